use std::fmt;

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, VarBind};

use super::super::{Failure, SendError};

/// An event of a walk.
#[derive(Debug)]
pub enum WalkEvent {
    /// The next objects.
    Objects(Vec<VarBind>),
    /// That was all.
    Finished(WalkSummary),
    /// The walk ended early. All objects before the failure were delivered.
    Failed(WalkError, WalkSummary),
}

/// What a walk took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkSummary {
    /// Delivered objects.
    pub objects: u64,
    /// Requests made, without their retries.
    pub requests: u64,
    /// Parts that the range was divided into.
    pub segments: u64,
    /// Parts that were asked for and turned out to be empty.
    pub empty_segments: u64,
    /// The largest max-repetitions that was asked for.
    pub largest_repetitions: u16,
    /// Octets of the largest response.
    pub largest_response: usize,
    /// Whether the agent said that it has nothing behind the last object.
    pub reached_end: bool,
}

/// Why a walk ended early.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WalkError {
    /// The agent answered with a name that is not behind the one before.
    NotIncreasing {
        /// The name before.
        previous: Oid,
        /// The name that should be behind it.
        name: Oid,
    },
    /// The agent returned this name again: the walk would never end.
    Repeats(Oid),
    /// The agent answered without a single object when asked what is behind this name.
    EmptyAnswer(Oid),
    /// The agent has more objects than allowed.
    TooManyObjects(u64),
    /// The agent answered with an error-status.
    ErrorStatus {
        /// What it answered.
        status: ErrorStatus,
        /// The name behind which it was asked, or that it was asked for.
        name: Oid,
    },
    /// A request failed.
    Failed {
        /// How.
        failure: Failure,
        /// The name behind which it asked.
        name: Oid,
    },
    /// A request could not be sent.
    Send(SendError),
}

impl fmt::Display for WalkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotIncreasing { previous, name } => write!(
                f,
                "the agent does not sort its objects: {name} came behind {previous}"
            ),
            Self::Repeats(name) => write!(f, "the agent repeats itself: it came back to {name}"),
            Self::EmptyAnswer(name) => {
                write!(
                    f,
                    "the agent answered without any object when asked what follows {name}"
                )
            }
            Self::TooManyObjects(limit) => write!(
                f,
                "the agent has more than {limit} objects, or invents them without end"
            ),
            Self::ErrorStatus { status, name } => {
                write!(f, "the agent returned {status} for {name}")
            }
            Self::Failed { failure, name } => {
                write!(f, "{} when asked what follows {name}", failure.reason)
            }
            Self::Send(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WalkError {}
