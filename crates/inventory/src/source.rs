//! The file that an inventory is read from.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::node::Node;

/// Readable by users that are neither the owner nor in the group of the file.
const READABLE_BY_OTHERS: u32 = 0o004;
/// Writable by other users.
const WRITABLE: u32 = 0o022;

/// A file and its permissions.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    mode: u32,
}

impl Source {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<(Self, String), Error> {
        let unreadable = |source| Error::Unreadable {
            path: path.to_owned(),
            source,
        };
        let metadata = fs::metadata(path).map_err(unreadable)?;
        let text = fs::read_to_string(path).map_err(unreadable)?;
        // Pipes, as of `<(program)`, belong to the process that reads them.
        let mode = match metadata.is_file() {
            true => metadata.permissions().mode(),
            false => 0o600,
        };
        let path = path.to_owned();
        Ok((Self { path, mode }, text))
    }

    /// A problem at a line.
    pub(crate) fn problem(&self, line: usize, problem: impl Into<String>) -> Error {
        Error::Malformed {
            path: self.path.clone(),
            line,
            problem: problem.into(),
        }
    }

    /// The problem that a node is not what is expected there.
    pub(crate) fn expected(&self, node: &Node, key: &str, expected: &str) -> Error {
        let found = node.kind();
        self.problem(
            node.line,
            format!("{key}: {expected} is expected, not {found}"),
        )
    }

    /// Refuses a secret in a file that others may read.
    pub(crate) fn check_secrecy(&self, line: usize, key: &str) -> Result<(), Error> {
        if self.mode & (READABLE_BY_OTHERS | WRITABLE) == 0 {
            return Ok(());
        }
        let path = self.path.display();
        let problem = format!(
            "{key}: the file holds a secret, and others may read or change it: chmod 600 {path}"
        );
        Err(self.problem(line, problem))
    }

    /// Refuses a program in a file that others may change.
    pub(crate) fn check_integrity(&self, line: usize, key: &str) -> Result<(), Error> {
        if self.mode & WRITABLE == 0 {
            return Ok(());
        }
        let path = self.path.display();
        let problem = format!(
            "{key}: the file names a program, and others may change the file: chmod go-w {path}"
        );
        Err(self.problem(line, problem))
    }

    /// A path as the file means it: relative to the file, or to the home directory behind `~/`.
    pub(crate) fn file(&self, text: &str) -> PathBuf {
        if let Some(rest) = text.strip_prefix("~/")
            && let Some(home) = std::env::var_os("HOME")
        {
            return Path::new(&home).join(rest);
        }
        let directory = self.path.parent().unwrap_or(Path::new(""));
        directory.join(text)
    }
}
