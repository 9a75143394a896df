//! Files of the host, below its root: /proc and /sys, as text.

use std::fs::{self, DirEntry, File};
use std::io::Read;
use std::os::unix::fs::DirEntryExt;
use std::path::{Path, PathBuf};

use super::file_systems::{Mount, parse_mounts};

/// The longest file that is read: 100,000 sockets take 15 MB.
const LONGEST_FILE: u64 = 32 << 20;
/// Room for most files of /proc and /sys, whose sizes are not known: one read, and one that finds the end.
const USUAL_FILE: usize = 8 << 10;

/// Where the files of the host are: `/`, or where a container has them mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostRoot(PathBuf);

impl HostRoot {
    pub(crate) const fn new(root: PathBuf) -> Self {
        Self(root)
    }

    /// The path of a file of the host, given without its leading slash.
    pub(crate) fn path(&self, file: impl AsRef<Path>) -> PathBuf {
        self.0.join(file)
    }

    /// Whether these are the files of the system that the agent runs in.
    pub(crate) fn is_own(&self) -> bool {
        self.0 == Path::new("/")
    }

    /// Whether the files of /proc are those of the kernel that the agent runs on.
    pub(crate) fn is_of_kernel(&self) -> bool {
        let mounts = || self.text("proc/self/mounts");
        self.is_own() && mounts().is_some_and(|mounts| is_of_kernel(&mounts))
    }

    /// The text of a file; octets that are not UTF-8 are replaced. `None` where it cannot be read.
    pub(crate) fn text(&self, file: impl AsRef<Path>) -> Option<String> {
        let octets = self.octets(file)?;
        Some(match String::from_utf8(octets) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    /// The octets of a file.
    pub(crate) fn octets(&self, file: impl AsRef<Path>) -> Option<Vec<u8>> {
        let mut octets = Vec::with_capacity(USUAL_FILE);
        let file = File::open(self.path(file)).ok()?;
        file.take(LONGEST_FILE).read_to_end(&mut octets).ok()?;
        Some(octets)
    }

    /// The text of a file of one line, without white space around it.
    pub(crate) fn line(&self, file: impl AsRef<Path>) -> Option<String> {
        Some(self.text(file)?.trim().to_owned())
    }

    /// A number that is alone in a file.
    pub(crate) fn number(&self, file: impl AsRef<Path>) -> Option<i64> {
        self.line(file)?.parse().ok()
    }

    /// The names in a directory, in order; those that are not UTF-8 are left out.
    pub(crate) fn names(&self, directory: impl AsRef<Path>) -> Vec<String> {
        let entries = self.entries(directory).into_iter();
        entries.map(|(name, _)| name).collect()
    }

    /// The names in a directory, in order, and the numbers of their inodes.
    pub(crate) fn entries(&self, directory: impl AsRef<Path>) -> Vec<(String, u64)> {
        let Ok(entries) = fs::read_dir(self.path(directory)) else {
            return Vec::new();
        };
        let entry = |entry: DirEntry| Some((entry.file_name().into_string().ok()?, entry.ino()));
        let mut entries: Vec<_> = entries.flatten().filter_map(entry).collect();
        entries.sort_unstable();
        entries
    }
}

/// Whether no file of /proc comes from a program, as lxcfs, which may hang.
fn is_of_kernel(mounts: &str) -> bool {
    let is_of_program = |mount: &Mount| {
        Path::new(&mount.path).starts_with("/proc") && mount.kind.starts_with("fuse")
    };
    !parse_mounts(mounts).iter().any(is_of_program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_program_serves_are_not_those_of_the_kernel() {
        let with =
            |mount: &str| format!("proc /proc proc rw 0 0\nfuse /home fuse.x rw 0 0\n{mount}");
        for of_kernel in ["", "binfmt_misc /proc/sys/fs/binfmt_misc autofs rw 0 0\n"] {
            assert!(is_of_kernel(&with(of_kernel)), "{of_kernel}");
        }
        for of_program in [
            "lxcfs /proc/stat fuse.lxcfs rw 0 0\n",
            "x /proc fuse rw 0 0\n",
        ] {
            assert!(!is_of_kernel(&with(of_program)), "{of_program}");
        }
    }
}
