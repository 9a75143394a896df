use std::fmt;

use varbind_engine::applications::command_generator::SendError;

use crate::client::{Error, Unanswered};
use crate::transport::TransportAddress;

/// Why a command has no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum ManagerError {
    /// The request cannot be made.
    NotSent {
        /// The agent.
        target: TransportAddress,
        /// The reason.
        error: SendError,
    },
    /// The request ended without an outcome.
    Abandoned {
        /// The agent.
        target: TransportAddress,
    },
    /// No answer came.
    Unanswered(Box<Unanswered>),
}

impl fmt::Display for ManagerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSent { target, error } => write!(f, "{target}: {error}"),
            Self::Abandoned { target } => write!(f, "{target}: the request was given up"),
            Self::Unanswered(unanswered) => unanswered.fmt(f),
        }
    }
}

impl std::error::Error for ManagerError {}

impl From<ManagerError> for Error {
    fn from(error: ManagerError) -> Self {
        match error {
            ManagerError::NotSent { target, error } => Self::NotSent {
                target,
                source: error,
            },
            ManagerError::Abandoned { target } => Self::Interrupted { target },
            ManagerError::Unanswered(unanswered) => Self::Unanswered(unanswered),
        }
    }
}
