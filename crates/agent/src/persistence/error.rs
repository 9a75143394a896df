use std::fmt;
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

/// Why the values that were set earlier are not at hand.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// Another agent uses the directory.
    Locked {
        /// The directory.
        directory: PathBuf,
        /// The number of its process.
        process: String,
    },
    /// The values cannot be read.
    Unreadable {
        /// The directory.
        directory: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked { directory, process } => write!(
                f,
                "{}: the agent with process id {process} keeps its values here; stop it, or give this one another \
                 state-directory",
                directory.display()
            ),
            Self::Unreadable { directory, source } => write!(
                f,
                "{}: the values set earlier cannot be read: {source}",
                directory.display()
            ),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Locked { .. } => None,
            Self::Unreadable { source, .. } => Some(source),
        }
    }
}
