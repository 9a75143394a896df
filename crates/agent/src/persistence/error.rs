use std::io;
use std::path::PathBuf;

pub(super) enum OpenError {
    Locked(String),
    Io(io::Error),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Why stored values cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another agent uses the directory.
    #[error(
        "{directory}: the agent with process id {process} keeps its values here; stop it, or give this one another \
         state-directory"
    )]
    Locked {
        /// The directory.
        directory: PathBuf,
        /// The number of its process.
        process: String,
    },
    /// The values cannot be read.
    #[error("{directory}: the values set earlier cannot be read: {source}")]
    Unreadable {
        /// The directory.
        directory: PathBuf,
        /// Why.
        source: io::Error,
    },
}
