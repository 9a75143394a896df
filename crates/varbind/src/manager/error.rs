use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use varbind_engine::applications::command_generator::{
    Failure, FailureReason, ReportReason, SecurityFailure, SecurityFailureKind, SendError,
    TransportError, WalkError, WalkSummary,
};
use varbind_engine::security::usm::UsmError;

use super::Principal;
#[cfg(feature = "ssh")]
use crate::transport::ssh::SshError;
use crate::transport::{TransportAddress, missing_configuration};

/// Why a session could not be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The name cannot be resolved.
    Resolving {
        /// The agent.
        target: TransportAddress,
        /// The reason.
        error: io::Error,
    },
    /// No socket or connection.
    Connecting {
        /// The agent.
        target: TransportAddress,
        /// The address that was tried last.
        address: SocketAddr,
        /// The reason.
        error: io::Error,
    },
    /// The transport is a feature of this crate which is not enabled.
    Unavailable {
        /// The agent.
        target: TransportAddress,
    },
    /// No session over SSH.
    #[cfg(feature = "ssh")]
    Ssh {
        /// The agent.
        target: TransportAddress,
        /// The reason.
        error: Box<SshError>,
    },
}

impl OpenError {
    #[cfg(feature = "ssh")]
    pub(crate) fn ssh(target: &TransportAddress, error: SshError) -> Self {
        Self::Ssh {
            target: target.clone(),
            error: Box::new(error),
        }
    }

    /// What went wrong between the two ends of a secure transport, if that is why there is no session.
    #[must_use]
    pub fn security_failure(&self) -> Option<SecurityFailureKind> {
        let Self::Connecting { error, .. } = self else {
            return None;
        };
        match transport_error(error) {
            TransportError::Security(failure) => Some(failure.kind()),
            _ => None,
        }
    }

    pub(crate) fn resolving(target: &TransportAddress, error: io::Error) -> Self {
        Self::Resolving {
            target: target.clone(),
            error,
        }
    }

    pub(crate) fn connecting(
        target: &TransportAddress,
        address: SocketAddr,
        error: io::Error,
    ) -> Self {
        Self::Connecting {
            target: target.clone(),
            address,
            error,
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resolving { target, error } => {
                write!(f, "the name {} cannot be resolved: {error}", target.host)
            }
            Self::Unavailable { target } => {
                write!(f, "{target}: {}", missing_configuration(target.transport))
            }
            #[cfg(feature = "ssh")]
            Self::Ssh { target, error } => write!(f, "{target}: {error}"),
            Self::Connecting {
                target,
                address,
                error,
            } => {
                write!(f, "{target}: ")?;
                match error.kind() {
                    io::ErrorKind::ConnectionRefused => write!(
                        f,
                        "connection refused: nothing listens on {} port {} of {}",
                        target.transport,
                        address.port(),
                        address.ip()
                    ),
                    io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => write!(
                        f,
                        "no answer to opening a connection to {address}: the host is down or a firewall is between"
                    ),
                    _ => write!(f, "connecting to {address}: {error}"),
                }
            }
        }
    }
}

impl std::error::Error for OpenError {}

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

/// A request without an answer.
#[derive(Clone, Debug)]
pub struct Unanswered {
    /// The agent.
    pub target: TransportAddress,
    /// Its address.
    pub remote: SocketAddr,
    /// Who asked.
    pub principal: Principal,
    /// What is known.
    pub failure: Failure,
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

impl std::error::Error for Unanswered {}

/// Says which agent, and why there is no answer.
fn describe(
    f: &mut fmt::Formatter<'_>,
    target: &TransportAddress,
    remote: SocketAddr,
    principal: &Principal,
    failure: &Failure,
) -> fmt::Result {
    if let FailureReason::Report(reason) = &failure.reason {
        write!(f, "{target} answered: ")?;
        return match (reason, principal) {
            (ReportReason::Usm(UsmError::UnknownUserName), Principal::User(name)) => write!(
                f,
                "unknown user name: the agent has no user {name}, or has it for another engine ID"
            ),
            (ReportReason::Usm(_), _) => write!(f, "{reason}{}", principal.of_user()),
            _ => write!(f, "{reason}"),
        };
    }
    write!(f, "{target}: ")?;
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
                None => write!(
                    f,
                    ". The host is down, a firewall is between, or the agent does not {}",
                    principal.possible_cause()
                ),
            }
        }
        FailureReason::Transport(TransportError::ConnectionRefused) => write!(
            f,
            "connection refused: nothing listens on {} port {} of {}",
            target.transport,
            remote.port(),
            remote.ip()
        ),
        FailureReason::Transport(TransportError::NotSnmp) => write!(
            f,
            "what {remote} sends is not SNMP: does another service listen there?"
        ),
        FailureReason::Transport(TransportError::MessageTooLarge) => write!(
            f,
            "the answer of {remote} exceeds the largest message: ask for fewer objects at once"
        ),
        FailureReason::Transport(TransportError::Other(number)) => {
            write!(f, "{}", io::Error::from_raw_os_error(*number))
        }
        FailureReason::NoAnswerToUser(_) => match failure.discarded.likely_cause() {
            Some(cause) => write!(
                f,
                "no answer to requests{}, though the agent told its engine ID; {}: {cause}",
                principal.of_user(),
                failure.discarded
            ),
            None => write!(f, "{}{}", failure.reason, principal.of_user()),
        },
        reason => write!(f, "{reason}"),
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

impl std::error::Error for ManagerError {}

/// A walk that ended early.
#[derive(Clone, Debug)]
pub struct WalkFailure {
    /// The agent.
    pub target: TransportAddress,
    /// Its address.
    pub remote: SocketAddr,
    /// Who asked.
    pub principal: Principal,
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

impl std::error::Error for WalkFailure {}

/// What the operating system or a secure transport reports, in the engine's terms. A [`TransportError`] or a
/// [`SecurityFailure`] that is the source of the error is found again.
pub(crate) fn transport_error(error: &io::Error) -> TransportError {
    let source = error.get_ref();
    if let Some(error) = source.and_then(|source| source.downcast_ref::<TransportError>()) {
        return error.clone();
    }
    if let Some(failure) = source.and_then(|source| source.downcast_ref::<SecurityFailure>()) {
        return failure.clone().into();
    }
    match error.kind() {
        io::ErrorKind::ConnectionRefused => TransportError::ConnectionRefused,
        io::ErrorKind::HostUnreachable => TransportError::HostUnreachable,
        io::ErrorKind::NetworkUnreachable => TransportError::NetworkUnreachable,
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => TransportError::ConnectionClosed,
        io::ErrorKind::TimedOut => TransportError::TimedOut,
        io::ErrorKind::PermissionDenied => TransportError::PermissionDenied,
        _ if error.raw_os_error() == Some(libc::EMSGSIZE) => TransportError::MessageTooLong,
        _ => TransportError::Other(error.raw_os_error().unwrap_or(0)),
    }
}
