//! Files of the host, below its root: /proc and /sys, as text.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

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
        let Ok(entries) = fs::read_dir(self.path(directory)) else {
            return Vec::new();
        };
        let mut names: Vec<_> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort_unstable();
        names
    }
}
