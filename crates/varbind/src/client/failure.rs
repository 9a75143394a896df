use std::error::Error;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use varbind_engine::applications::command_generator::{
    Failure, FailureReason, ReportReason, WalkError, WalkSummary,
};
use varbind_engine::security::usm::UsmError;

use super::ClientPrincipal;
use crate::transport::{Transport, TransportAddress, TransportError};

/// A request without an answer.
#[derive(Clone, Debug)]
pub struct Unanswered {
    /// The agent.
    pub target: TransportAddress,
    /// Its address.
    pub remote: SocketAddr,
    /// Who asked.
    pub principal: ClientPrincipal,
    /// What is known.
    pub failure: Failure,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe(f, &self.target, self.remote, &self.principal, &self.failure)?;
        if self.failure.may_be_applied {
            write!(
                f,
                "; the agent may have carried out the Set all the same: read before it is set again"
            )?;
        }
        Ok(())
    }
}

impl Error for Unanswered {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        source(&self.failure.reason)
    }
}

fn source(reason: &FailureReason) -> Option<&(dyn Error + 'static)> {
    match reason {
        FailureReason::Transport(failure) => Some(failure.cause()),
        FailureReason::MalformedAnswer(error) => Some(error),
        FailureReason::Encode(error) => Some(error),
        _ => None,
    }
}

/// Says which agent, and why there is no answer.
fn describe(
    f: &mut fmt::Formatter<'_>,
    target: &TransportAddress,
    remote: SocketAddr,
    principal: &ClientPrincipal,
    failure: &Failure,
) -> fmt::Result {
    if let FailureReason::Report(reason) = &failure.reason {
        write!(f, "{target} answered: ")?;
        return match (reason, principal) {
            (ReportReason::Usm(UsmError::UnknownUserName), ClientPrincipal::User(name)) => write!(
                f,
                "unknown user name: the agent has no user {name}, or has it for another engine ID"
            ),
            (ReportReason::Usm(_), _) => write!(f, "{reason}{}", principal.of_user()),
            _ => write!(f, "{reason}"),
        };
    }
    write!(f, "{target}: ")?;
    if let Some(error) = TransportError::of(&failure.reason) {
        return describe_transport_error(f, target.transport, remote, error);
    }
    match &failure.reason {
        FailureReason::NoAnswer => {
            write!(
                f,
                "no answer from {remote} within {}: ",
                Seconds(failure.elapsed)
            )?;
            match failure.attempts.as_slice() {
                [] | [_] => write!(f, "1 attempt")?,
                attempts => {
                    write!(f, "{} attempts, at", attempts.len())?;
                    for attempt in attempts.iter().take(8) {
                        write!(f, " {}", Seconds(*attempt))?;
                    }
                    if attempts.len() > 8 {
                        write!(f, " ..")?;
                    }
                }
            }
            match failure.discarded.likely_cause() {
                Some(cause) => write!(f, "; {}: {cause}", failure.discarded),
                None if target.transport == Transport::Udp => write!(
                    f,
                    ". The host is down, a firewall is between, or the agent does not {}",
                    principal.possible_cause()
                ),
                None => write!(
                    f,
                    ". It accepted the connection, but does not {}, or another service listens there",
                    principal.possible_cause()
                ),
            }
        }
        FailureReason::NoAnswerToUser(_) => match failure.discarded.likely_cause() {
            Some(cause) => write!(
                f,
                "no answer to requests{}, though the agent reported its engine ID; {}: {cause}",
                principal.of_user(),
                failure.discarded
            ),
            None => write!(f, "{}{}", failure.reason, principal.of_user()),
        },
        reason => write!(f, "{reason}"),
    }
}

fn describe_transport_error(
    f: &mut fmt::Formatter<'_>,
    transport: Transport,
    remote: SocketAddr,
    error: &TransportError,
) -> fmt::Result {
    match error {
        TransportError::ConnectionRefused => write!(
            f,
            "connection refused: nothing listens on {transport} port {} of {}",
            remote.port(),
            remote.ip()
        ),
        TransportError::NotSnmp => write!(
            f,
            "what {remote} sends is not SNMP: does another service listen there?"
        ),
        TransportError::MessageTooLarge => write!(
            f,
            "the answer of {remote} exceeds the largest message: request fewer objects at once"
        ),
        TransportError::ConnectionClosed if transport == Transport::Ssh => write!(
            f,
            "{error}: its log may say why, as that the program of its subsystem `snmp` is missing"
        ),
        TransportError::Other(number) => {
            write!(f, "{}", io::Error::from_raw_os_error(*number))
        }
        error => write!(f, "{error}"),
    }
}

/// A duration as people write it.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs_f64();
        if seconds == 0.0 {
            write!(f, "0 s")
        } else if seconds < 0.1 {
            write!(f, "{:.1} ms", seconds * 1e3)
        } else {
            write!(f, "{seconds:.2} s")
        }
    }
}

/// A walk that ended early.
#[derive(Clone, Debug)]
pub struct WalkFailure {
    /// The agent.
    pub target: TransportAddress,
    /// Its address.
    pub remote: SocketAddr,
    /// Who asked.
    pub principal: ClientPrincipal,
    /// Why.
    pub error: WalkError,
    /// What was done until then.
    pub summary: WalkSummary,
}

impl fmt::Display for WalkFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            WalkError::Failed { failure, name } => {
                describe(f, &self.target, self.remote, &self.principal, failure)?;
                write!(f, ", when asked what follows {name}")?;
            }
            error => write!(f, "{}: {error}", self.target)?,
        }
        write!(f, " ({} objects came before)", self.summary.objects)
    }
}

impl Error for WalkFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.error {
            WalkError::Failed { failure, .. } => source(&failure.reason),
            WalkError::Send(error) => Some(error),
            _ => None,
        }
    }
}
