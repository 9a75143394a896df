//! Gives back the memory of code that only the start of a daemon needed, and of sessions that have ended.
//!
//! Reading arguments and configuration runs through far more code than answering requests does, of the program and of the C
//! library. Those pages stay mapped until memory is short; on a small machine that is when it is too late. They
//! are dropped here, and come back from the files as far as they are used again.
#![expect(
    unsafe_code,
    reason = "madvise has no safe interface: advice may change the content of memory; malloc_trim is C"
)]

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Drops the pages of code and constants, of the program and the C library, from this process. Returns how many octets of
/// mappings that concerned.
///
/// # Errors
/// When the mappings cannot be read, or the kernel refuses.
pub fn release_code() -> io::Result<usize> {
    let program = fs::read_link("/proc/self/exe")?;
    let mut octets = 0;
    let mut candidate = None;
    let maps = fs::read_to_string("/proc/self/maps")?;
    for line in fs::read_to_string("/proc/self/smaps")?.lines() {
        if let Some(mapping) = Line::of(line, &program) {
            match mapping {
                Line::Mapping(range) => candidate = range.filter(|range| is_in(range, &maps)),
                Line::Changed => candidate = None,
                Line::End => {
                    if let Some(range) = candidate.take() {
                        octets += range.len();
                        drop_pages(range)?;
                    }
                }
            }
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

/// A line of `/proc/self/smaps` that matters here.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// A mapping begins: its addresses, if it is never unmapped and cannot be written.
    Mapping(Option<Range<usize>>),
    /// Something in it is not what the file has, as where the dynamic linker has put addresses.
    Changed,
    /// It ends.
    End,
}

impl Line {
    fn of(line: &str, program: &Path) -> Option<Self> {
        let (first, rest) = line.split_once(' ')?;
        match first {
            "Anonymous:" | "Swap:" => (rest.trim() != "0 kB").then_some(Self::Changed),
            "VmFlags:" => Some(Self::End),
            _ if first.ends_with(':') => None,
            _ => Some(Self::Mapping(unwritable(first, rest, program))),
        }
    }
}

/// Of `start-end r-xp offset device inode path`.
fn unwritable(addresses: &str, rest: &str, program: &Path) -> Option<Range<usize>> {
    let mut fields = rest.splitn(5, ' ');
    let can_be_written = fields.next()?.contains('w');
    let file = Path::new(fields.nth(3)?.trim_start());
    if can_be_written || !(file == program || is_c_library(file)) {
        return None;
    }
    let (start, end) = addresses.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    Some(address(start)?..address(end)?)
}

/// Whether `/proc/self/maps` has a mapping, too. An emulator of another processor (QEMU's user mode) may translate the
/// addresses of that file, and not those of `smaps`, which are somebody else's then.
fn is_in(range: &Range<usize>, maps: &str) -> bool {
    let addresses = format!("{:08x}-{:08x}", range.start, range.end);
    maps.lines()
        .any(|line| line.split(' ').next() == Some(addresses.as_str()))
}

/// Whether a file is the C library or the dynamic linker, which stay as long as the process does. Other libraries may have
/// gone in the meantime, and something else may be in their place.
fn is_c_library(file: &Path) -> bool {
    let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_named = |start: &str| name.starts_with(start) && name.contains(".so");
    file.is_absolute() && (is_named("libc.so") || is_named("libc-") || is_named("ld-"))
}

fn drop_pages(range: Range<usize>) -> io::Result<()> {
    // SAFETY: the range is one whole mapping of this process, of a file and without write permission, in which no page
    // differs from the file (none is anonymous, in memory or swapped out), as the kernel itself just told. So dropping them
    // changes no content: the next access reads the same octets again. The program, the C library and the dynamic linker are
    // never unmapped, so the range is still that mapping.
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
    fn only_what_is_as_in_its_file_is_meant() {
        let program = Path::new("/usr/bin/varbind");
        let of = |line| Line::of(line, program);
        let mapping = |line| match Line::of(line, program) {
            Some(Line::Mapping(range)) => range,
            other => panic!("{line}: {other:?}"),
        };
        for line in [
            "55e0-55f0 r-xp 00001000 fe:00 42      /usr/bin/varbind",
            "55e0-55f0 r--p 00001000 fe:00 42      /usr/lib/a name/libc.so.6",
            "55e0-55f0 r--p 00001000 fe:00 42      /usr/lib64/ld-linux-x86-64.so.2",
        ] {
            assert_eq!(mapping(line), Some(0x55e0..0x55f0), "{line}");
        }
        for line in [
            "55e0-55f0 rw-p 00001000 fe:00 42      /usr/bin/varbind",
            "55e0-55f0 rwxp 00001000 fe:00 42      /usr/bin/varbind",
            "55e0-55f0 r-xp 00001000 fe:00 42      /usr/lib/libssl.so.3",
            "55e0-55f0 r--s 00001000 fe:00 42      /var/cache/libc-catalog",
            "55e0-55f0 r-xp 00000000 00:00 0       [vdso]",
            "55e0-55f0 r--p 00000000 00:00 0 ",
            "garbage is here",
        ] {
            assert_eq!(mapping(line), None, "{line}");
        }
        assert_eq!(of("Anonymous:            308 kB"), Some(Line::Changed));
        assert_eq!(of("Swap:                   4 kB"), Some(Line::Changed));
        assert_eq!(of("Anonymous:              0 kB"), None);
        assert_eq!(of("Rss:                    8 kB"), None);
        assert_eq!(of("VmFlags: rd mr mw me dw"), Some(Line::End));
    }

    #[test]
    fn a_mapping_of_another_address_space_is_not_taken_for_ours() {
        let maps = "3f7e0000-3f7fd000 r-xp 00000000 fe:00 81 /lib/ld-linux-armhf.so.3\n\
                    7f0012345000-7f0012346000 r--p 00000000 fe:00 81 /lib/libc.so.6\n";
        assert!(is_in(&(0x3f7e_0000..0x3f7f_d000), maps));
        assert!(is_in(&(0x7f00_1234_5000..0x7f00_1234_6000), maps));
        assert!(!is_in(&(0x3f7e_1000..0x3f7f_e000), maps));
        assert!(!is_in(&(0xf7e_0000..0x3f7f_d000), maps));
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
