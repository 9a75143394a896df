//! Gives back the memory of code that only the start of a daemon needed, and of sessions that have ended.
//!
//! Reading arguments and configuration runs through far more code than answering requests does. Those pages stay mapped
//! until memory is short; on a small machine that is when it is too late. They are dropped here, and come back from the file
//! as far as they are used again.
#![expect(
    unsafe_code,
    reason = "madvise has no safe interface: advice may change the content of memory; malloc_trim is C"
)]

use std::fs;
use std::io;
use std::ops::Range;

/// Drops the pages of the program's own code from this process. Returns how many octets of mappings that concerned.
///
/// # Errors
/// When the mappings cannot be read, or the kernel refuses.
pub fn release_code() -> io::Result<usize> {
    let program = fs::read_link("/proc/self/exe")?;
    let program = program.to_string_lossy();
    let mut octets = 0;
    for line in fs::read_to_string("/proc/self/maps")?.lines() {
        if let Some(range) = code_of(line, &program) {
            octets += range.len();
            drop_pages(range)?;
        }
    }
    Ok(octets)
}

/// Gives memory back that was freed but kept by the allocator for later, as far as the C library can do that. It takes
/// milliseconds where there is much.
pub fn release_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: malloc_trim has no preconditions, and may be called by any thread at any time: it takes the allocator's own
    // locks, and touches only memory that is free.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// The addresses of a mapping, if it is code of `program`: `start-end r-xp offset device inode path`.
fn code_of(line: &str, program: &str) -> Option<Range<usize>> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    // Private and not writable, so that every page is what the file has.
    let is_code = fields.next()? == "r-xp";
    let is_of_program = fields.nth(3)?.trim_start() == program;
    let address = |text| usize::from_str_radix(text, 16).ok();
    (is_code && is_of_program).then_some(address(start)?..address(end)?)
}

fn drop_pages(range: Range<usize>) -> io::Result<()> {
    // SAFETY: the range is one whole mapping of this process, private, of a file and without write permission, as the
    // kernel itself just told. No page of it can differ from the file, so dropping it changes no content: the next access
    // reads the same octets again. Program code is never unmapped, so the range is still that mapping.
    let result = unsafe {
        libc::madvise(
            std::ptr::with_exposed_provenance_mut(range.start),
            range.len(),
            libc::MADV_DONTNEED,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_of_the_program_is_meant() {
        let code = "55e0-55f0 r-xp 00001000 fe:00 42      /usr/bin/varbind";
        assert_eq!(code_of(code, "/usr/bin/varbind"), Some(0x55e0..0x55f0));
        for other in [
            "55e0-55f0 r--p 00001000 fe:00 42      /usr/bin/varbind",
            "55e0-55f0 rw-p 00001000 fe:00 42      /usr/bin/varbind",
            "55e0-55f0 rwxp 00001000 fe:00 42      /usr/bin/varbind",
            "55e0-55f0 r-xp 00001000 fe:00 42      /usr/lib/libc.so.6",
            "55e0-55f0 r-xp 00000000 00:00 0       [vdso]",
            "garbage",
        ] {
            assert_eq!(code_of(other, "/usr/bin/varbind"), None, "{other}");
        }
    }

    #[test]
    fn the_program_goes_on_without_its_pages() {
        assert!(release_code().unwrap() > 0);
        assert!(release_code().unwrap() > 0);
    }
}
