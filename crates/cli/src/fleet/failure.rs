use varbind::client::{Error, WalkFailure};
use varbind::codec::pdu::ErrorStatus;
use varbind::engine::applications::command_generator::{FailureReason, WalkError};
use varbind::transport::TransportError;
use varbind_inventory::HostError;
use varbind_terminal::Failure;

use crate::error_status::explanation;

/// Why a host has no result, in words that are the same for all hosts with the same trouble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostFailure {
    /// The exit code of a command that asks this host alone.
    pub(crate) code: u8,
    pub(crate) reason: String,
}

impl HostFailure {
    /// The agent answered with an error-status; `about` is the object that it concerns.
    pub(super) fn of_status(status: ErrorStatus, about: Option<String>) -> Self {
        let about = about.map(|name| format!(" for {name}")).unwrap_or_default();
        let explanation = explanation(status);
        let reason = format!("answered {status}{about}: {explanation}");
        let code = Failure::ErrorStatus(String::new()).exit_code();
        Self { code, reason }
    }
}

impl From<HostError> for HostFailure {
    fn from(error: HostError) -> Self {
        Self {
            code: Failure::Usage(String::new()).exit_code(),
            reason: error.to_string(),
        }
    }
}

impl From<Error> for HostFailure {
    fn from(error: Error) -> Self {
        let reason = match &error {
            Error::Unanswered(unanswered) => of_reason(&unanswered.failure.reason),
            Error::Walk(failure) => return of_walk(failure),
            Error::Open(open) => without_address(&open.to_string()),
            Error::NotSent { source, .. } => source.to_string(),
            Error::Interrupted { .. } => "the session is cut again and again".to_owned(),
            Error::Deadline { deadline, .. } => format!("not finished within {deadline:?}"),
            other => without_address(&other.to_string()),
        };
        let code = Failure::from(error).exit_code();
        Self { code, reason }
    }
}

fn of_reason(reason: &FailureReason) -> String {
    match (reason, TransportError::of(reason)) {
        (_, Some(error)) => error.to_string(),
        (FailureReason::NoAnswer, _) => {
            "no answer: the host is down, a firewall is between, or the agent does not accept the community or user".to_owned()
        }
        (reason, None) => reason.to_string(),
    }
}

fn of_walk(failure: &WalkFailure) -> HostFailure {
    let protocol = Failure::Protocol(String::new()).exit_code();
    let (code, reason) = match &failure.error {
        WalkError::Failed { failure, .. } => {
            let code = match failure.reason {
                FailureReason::NoAnswer | FailureReason::NoAnswerToUser(_) => {
                    Failure::NoAnswer(String::new()).exit_code()
                }
                FailureReason::Transport(_) => Failure::Transport(String::new()).exit_code(),
                FailureReason::Report(_) | FailureReason::NoContextEngineId(_) => {
                    Failure::Reported.exit_code()
                }
                _ => protocol,
            };
            (code, of_reason(&failure.reason))
        }
        WalkError::ErrorStatus { status, .. } => return HostFailure::of_status(*status, None),
        WalkError::NotIncreasing { .. } => (
            protocol,
            "the agent does not sort its objects (-Cc takes them as they come)".to_owned(),
        ),
        WalkError::Repeats(_) => (protocol, "the agent repeats itself".to_owned()),
        WalkError::Send(error) => (Failure::Usage(String::new()).exit_code(), error.to_string()),
        _ => (protocol, "the agent broke the protocol".to_owned()),
    };
    let came = match failure.summary.objects {
        0 => "",
        _ => "; part of the objects came before",
    };
    HostFailure {
        code,
        reason: format!("{reason}{came}"),
    }
}

/// The message without the address that it begins with.
fn without_address(text: &str) -> String {
    let rest = text.split_once(": ").map_or(text, |(_, rest)| rest);
    rest.to_owned()
}
