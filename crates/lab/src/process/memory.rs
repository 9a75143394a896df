use std::{fs, io};

/// The resident memory of a process, in octets.
///
/// From smaps_rollup, which is exact; from status, which may lag by some pages for every core, where that cannot be read.
///
/// # Errors
/// If there is no such process, or /proc cannot be read.
pub fn resident(pid: u32) -> io::Result<u64> {
    let field = |file: &str, name: &str| {
        let text = fs::read_to_string(format!("/proc/{pid}/{file}"))?;
        kilobytes(&text, name).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("no {name} in /proc/PID/{file}"),
            )
        })
    };
    field("smaps_rollup", "Rss:").or_else(|_| field("status", "VmRSS:"))
}

fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(number * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_holds_memory() {
        let before = resident(std::process::id()).unwrap();
        assert!(before > 500_000, "{before}");
        let block = std::hint::black_box(vec![1_u8; 20_000_000]);
        let with_block = resident(std::process::id()).unwrap();
        assert!(with_block > before + 15_000_000, "{before} {with_block}");
        drop(block);
    }
}
