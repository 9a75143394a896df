use std::{fs, io};

/// The memory of a process in octets: its private pages, and its part of those that it shares (PSS).
///
/// A page that n processes have in memory counts as an n-th, so that the sum over all processes is what they take together.
///
/// # Errors
/// If there is no such process, or it may not be looked at: /proc/PID/smaps_rollup needs the rights that a debugger needs.
pub fn pss(pid: u32) -> io::Result<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    kilobytes(&text, "Pss:").ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "no Pss in /proc/PID/smaps_rollup",
        )
    })
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
        let before = pss(std::process::id()).unwrap();
        assert!(before > 500_000, "{before}");
        let block = std::hint::black_box(vec![1_u8; 20_000_000]);
        let with_block = pss(std::process::id()).unwrap();
        assert!(with_block > before + 15_000_000, "{before} {with_block}");
        drop(block);
    }
}
