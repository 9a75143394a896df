use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why an inventory cannot be used, or a selection names no hosts.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read.
    #[error("the inventory {} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Something in the file is wrong. The message never repeats a secret.
    #[error("{}, line {line}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with which key, and what to write instead.
        problem: String,
    },
    /// There is no inventory to select from.
    #[error("{selection}: there is no inventory: write {} or name one with --hosts FILE", wanted.display())]
    NoInventory {
        /// What was to be selected.
        selection: String,
        /// The file that is read usually.
        wanted: PathBuf,
    },
    /// The inventory has no group or host of this name.
    #[error("{name}: the inventory has no such group or host{suggestion}")]
    UnknownName {
        /// The name.
        name: String,
        /// The name that was probably meant.
        suggestion: String,
    },
    /// No host is left.
    #[error("{0}: no host is selected")]
    NothingSelected(String),
    /// The text is neither a selection nor an address.
    #[error("{selection}: {problem}")]
    BadSelection {
        /// The text.
        selection: String,
        /// What is wrong with it.
        problem: String,
    },
}
