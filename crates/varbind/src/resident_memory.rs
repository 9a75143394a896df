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

/// Gives memory back that was freed but kept by the allocator for later, as far as the C library can do that: that of the
/// whole process between what is in use, and the end of what the calling thread allocates from. It takes milliseconds where
/// there is much.
pub fn release_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// Memory at the end of a thread's arena is given back from then on, whatever `malloc_trim` does: it never is there.
        const AT_RELEASE: libc::c_int = 64 << 10;
        /// The same in between: more than messages come and go with.
        const OTHERWISE: libc::c_int = 4 << 20;
        /// The allocator looks at the end of the arena when a block of 64 kB or more is freed; from 128 kB on blocks may be
        /// mappings of their own.
        const LARGE: usize = 96 << 10;
        // SAFETY: malloc_trim and mallopt have no preconditions, and may be called by any thread at any time: they take the
        // allocator's own locks, and touch only memory that is free, and numbers that any value is good for. The block is
        // freed once, by the thread that got it, and null may be freed.
        unsafe {
            libc::malloc_trim(0);
            libc::mallopt(libc::M_TRIM_THRESHOLD, AT_RELEASE);
            libc::free(std::hint::black_box(libc::malloc(LARGE)));
            libc::mallopt(libc::M_TRIM_THRESHOLD, OTHERWISE);
        }
    }
}

/// Tells when so many things have ended that giving back their memory is worth its time: when half of many have, or most of
/// some.
#[derive(Debug, Default)]
pub(crate) struct Ebb {
    /// The most there were since memory was given back last.
    most: usize,
}

impl Ebb {
    /// Takes note of how many there are now, and says whether it is time.
    pub(crate) fn is_at(&mut self, count: usize) -> bool {
        const MANY: usize = 64;
        const SOME: usize = 8;
        self.most = self.most.max(count);
        let is_time = self.most >= MANY && count <= self.most / 2
            || self.most >= SOME && count <= self.most / 8;
        if is_time {
            self.most = count;
        }
        is_time
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
    fn memory_is_given_back_when_half_of_many_are_gone_and_at_last_nearly_all() {
        let mut ebb = Ebb::default();
        let given_back: Vec<usize> = (0..=1000)
            .chain((0..1000).rev())
            .filter(|&count| ebb.is_at(count))
            .collect();
        assert_eq!(given_back, [500, 250, 125, 62, 7]);
        // One session behind the other is nothing.
        assert!((0..100).all(|_| !ebb.is_at(1) && !ebb.is_at(0)));
    }

    #[test]
    fn the_program_goes_on_without_its_pages() {
        assert!(release_code().unwrap() > 0);
        assert!(release_code().unwrap() > 0);
    }
}
