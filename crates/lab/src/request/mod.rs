//! What an agent is asked, as messages ready to send, and whether the answer is right.

mod answer;
mod assignment;
mod template;
mod walk;

pub(crate) use answer::usm_report;
pub use answer::{Answer, Expectation, WrongAnswer, read_answer};
pub use assignment::{Assignment, AssignmentError};
pub use template::{Envelope, FIRST_REQUEST_ID, MessageTemplate, TemplateError};
pub use walk::{WalkMessages, WalkProgress};

use std::fmt;

use serde::{Deserialize, Serialize};
use varbind_codec::smi::Oid;

/// A request, without version, community and request-id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// GetRequest-PDU.
    Get {
        /// The instances asked for.
        names: Vec<Oid>,
    },
    /// GetNextRequest-PDU.
    GetNext {
        /// The names whose successors are asked for.
        names: Vec<Oid>,
    },
    /// GetBulkRequest-PDU; not in SNMPv1.
    GetBulk {
        /// The names whose successors are asked for.
        names: Vec<Oid>,
        /// How many of the names are asked for once.
        non_repeaters: u16,
        /// How many successors of each other name.
        max_repetitions: u16,
    },
    /// SetRequest-PDU.
    Set {
        /// What is set, in turn: with two lists an agent cannot skip a value that it has already.
        alternatives: Vec<Vec<Assignment>>,
    },
    /// All objects under a name, one step after the other.
    Walk {
        /// The subtree.
        root: Oid,
        /// How a step is made.
        step: WalkStep,
    },
}

/// How a walk continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WalkStep {
    /// By GetNext.
    GetNext,
    /// By GetBulk; not in SNMPv1.
    GetBulk {
        /// Objects asked for at a time.
        max_repetitions: u16,
    },
}

impl Request {
    /// The names that it holds.
    #[must_use]
    pub fn names(&self) -> Vec<Oid> {
        match self {
            Self::Get { names } | Self::GetNext { names } | Self::GetBulk { names, .. } => {
                names.clone()
            }
            Self::Set { alternatives } => alternatives
                .first()
                .map(|list| list.iter().map(|set| set.name.clone()).collect())
                .unwrap_or_default(),
            Self::Walk { root, .. } => vec![root.clone()],
        }
    }

    /// Whether SNMPv1 lacks it.
    #[must_use]
    pub const fn needs_v2(&self) -> bool {
        matches!(
            self,
            Self::GetBulk { .. }
                | Self::Walk {
                    step: WalkStep::GetBulk { .. },
                    ..
                }
        )
    }

    /// Whether it is a walk.
    #[must_use]
    pub const fn is_walk(&self) -> bool {
        matches!(self, Self::Walk { .. })
    }

    /// Whether it changes the agent.
    #[must_use]
    pub const fn is_set(&self) -> bool {
        matches!(self, Self::Set { .. })
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Get { .. } => f.write_str("get"),
            Self::GetNext { .. } => f.write_str("getnext"),
            Self::GetBulk {
                non_repeaters,
                max_repetitions,
                ..
            } => write!(f, "getbulk({non_repeaters},{max_repetitions})"),
            Self::Set { .. } => f.write_str("set"),
            Self::Walk {
                step: WalkStep::GetNext,
                ..
            } => f.write_str("walk"),
            Self::Walk {
                step: WalkStep::GetBulk { max_repetitions },
                ..
            } => write!(f, "bulkwalk({max_repetitions})"),
        }
    }
}
