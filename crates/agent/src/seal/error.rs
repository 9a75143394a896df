use std::io;
use std::path::PathBuf;

use crate::AgentError;

/// Why a configuration was not sealed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The configuration, or who the agent is, is not at hand.
    #[error("{0}")]
    Agent(#[from] AgentError),
    /// The file is written in a way that cannot be changed.
    #[error(
        "the users are written in a way that cannot be changed safely; write each as [[user]] with `authentication = \
         {{ .. }}` and `privacy = {{ .. }}`"
    )]
    NotUnderstood,
    /// The file cannot be replaced.
    #[error("{path}: the file cannot be replaced, and is as before: {source}")]
    NotReplaced {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}
