use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::AgentError;

/// Why a configuration was not sealed.
#[derive(Debug)]
#[non_exhaustive]
pub enum SealError {
    /// The configuration, or who the agent is, is not at hand.
    Agent(AgentError),
    /// The file is written in a way that cannot be changed.
    NotUnderstood,
    /// The file cannot be replaced.
    NotReplaced {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl From<AgentError> for SealError {
    fn from(error: AgentError) -> Self {
        Self::Agent(error)
    }
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(error) => error.fmt(f),
            Self::NotUnderstood => f.write_str(
                "the users are written in a way that cannot be changed safely; write each as [[user]] with \
                 `authentication = { .. }` and `privacy = { .. }`",
            ),
            Self::NotReplaced { path, source } => write!(
                f,
                "{}: the file cannot be replaced, and is as before: {source}",
                path.display()
            ),
        }
    }
}

impl std::error::Error for SealError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Agent(error) => Some(error),
            Self::NotReplaced { source, .. } => Some(source),
            Self::NotUnderstood => None,
        }
    }
}
