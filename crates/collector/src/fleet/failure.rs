//! Why a poll failed, in few words for statistics and in a sentence for people.

use std::time::Duration;

use varbind::client::Error as ClientError;
use varbind::engine::applications::command_generator::{FailureReason, WalkError};

use crate::output::Outcome;
use crate::poll::PollError;
use crate::schedule::Ending;

/// A poll without a result.
#[derive(Clone, Debug)]
pub(super) struct PollFailure {
    pub(super) reason: &'static str,
    pub(super) message: String,
    /// What the schedule makes of it.
    pub(super) ending: Ending,
}

/// No response.
pub(super) const TIMEOUT: &str = "timeout";
/// It responds, but not to everything in time.
pub(super) const DEADLINE: &str = "deadline";

impl PollFailure {
    /// The target cannot be asked as it is configured.
    pub(super) fn unusable(message: &str) -> Self {
        Self {
            reason: "configuration",
            message: message.to_owned(),
            ending: Ending::Silent,
        }
    }

    /// The deadline passed before the first response.
    pub(super) fn silent(target: &str, deadline: Duration) -> Self {
        Self {
            reason: TIMEOUT,
            message: format!(
                "{target}: no response within {deadline:?}: the host is down, a firewall is between, or the agent does not accept the community or user"
            ),
            ending: Ending::Silent,
        }
    }

    /// The deadline passed before the last response.
    pub(super) fn overdue(target: &str, deadline: Duration) -> Self {
        Self {
            reason: DEADLINE,
            message: format!(
                "{target}: it responds, but not to everything within {deadline:?}: raise deadline, or ask for fewer modules"
            ),
            ending: Ending::Overdue,
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        Outcome::Failure {
            reason: self.reason,
            message: self.message.clone(),
        }
    }
}

impl From<ClientError> for PollFailure {
    fn from(error: ClientError) -> Self {
        let (reason, ending) = match &error {
            ClientError::Unanswered(unanswered) => of_reason(&unanswered.failure.reason),
            ClientError::Walk(walk) => match &walk.error {
                WalkError::Failed { failure, .. } => of_reason(&failure.reason),
                _ => ("protocol", Ending::Responded),
            },
            ClientError::Open(_) | ClientError::Interrupted { .. } => {
                ("unreachable", Ending::Silent)
            }
            ClientError::Deadline { .. } => (DEADLINE, Ending::Overdue),
            ClientError::ErrorStatus { .. } => ("error-status", Ending::Responded),
            ClientError::Missing { .. } => ("protocol", Ending::Responded),
            _ => ("configuration", Ending::Silent),
        };
        Self {
            reason,
            message: error.to_string(),
            ending,
        }
    }
}

fn of_reason(reason: &FailureReason) -> (&'static str, Ending) {
    match reason {
        FailureReason::NoAnswer | FailureReason::NoAnswerToUser(_) => (TIMEOUT, Ending::Silent),
        FailureReason::Transport(_) => ("unreachable", Ending::Silent),
        FailureReason::Report(_) | FailureReason::NoContextEngineId(_) => {
            ("refused", Ending::Responded)
        }
        _ => ("protocol", Ending::Responded),
    }
}

impl From<PollError> for PollFailure {
    fn from(error: PollError) -> Self {
        match error {
            PollError::Client(error) => error.into(),
            error @ PollError::Deadline { .. } => Self {
                reason: DEADLINE,
                message: error.to_string(),
                ending: Ending::Overdue,
            },
        }
    }
}
