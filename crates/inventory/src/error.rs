use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// An error in an inventory or a selection.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read.
    #[error("the inventory {} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Something in the file is wrong. The message never repeats a secret.
    #[error("{}, line {line}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The key, its problem, and what to write instead.
        problem: String,
    },
    /// There is no inventory to select from.
    #[error("{selection}: there is no inventory: write {} or name one with --hosts FILE", wanted.display())]
    NoInventory {
        /// The selection.
        selection: String,
        /// The user's inventory, which does not exist.
        wanted: PathBuf,
    },
    /// The inventory has no group or host of this name.
    #[error("{name}: the inventory has no such group or host{suggestion}")]
    UnknownName {
        /// The name.
        name: String,
        /// `; did you mean NAME?` if a similar name exists, else empty.
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
