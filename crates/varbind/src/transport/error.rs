use std::io;
use std::sync::Arc;

use varbind_engine::applications::command_generator::{FailureReason, TransportFailure};

/// What a transport reports about the way to the peer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// Nothing listens at the port.
    #[error("connection refused: nothing listens at the port")]
    ConnectionRefused,
    /// The host cannot be reached.
    #[error("the host cannot be reached")]
    HostUnreachable,
    /// The network cannot be reached.
    #[error("the network cannot be reached")]
    NetworkUnreachable,
    /// The connection ended.
    #[error("the agent closed the connection")]
    ConnectionClosed,
    /// The peer does not take what is sent, or does not answer while the connection is set up.
    #[error("the peer does not read the data sent to it")]
    TimedOut,
    /// The message is larger than the path allows.
    #[error("the message is larger than the path allows")]
    MessageTooLong,
    /// The peer sent something else than SNMP, so that nothing after it can be understood (RFC 3430 section 2.1).
    #[error("the peer sent invalid SNMP: does another service listen there?")]
    NotSnmp,
    /// The peer sent a message that exceeds the largest size.
    #[error("the peer's message exceeds the largest message")]
    MessageTooLarge,
    /// The operating system does not allow it.
    #[error("the operating system does not allow it")]
    PermissionDenied,
    /// There is no secure session with the peer, or no more.
    #[error(transparent)]
    Security(#[from] SecurityFailure),
    /// Another error of the operating system, with its number.
    #[error("the transport failed (error {0})")]
    Other(i32),
}

impl TransportError {
    /// The error of a transport for which a request has no answer, if it was one.
    #[must_use]
    pub fn of(reason: &FailureReason) -> Option<&Self> {
        match reason {
            FailureReason::Transport(failure) => failure.cause().downcast_ref(),
            _ => None,
        }
    }
}

impl From<TransportError> for TransportFailure {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::ConnectionRefused
            | TransportError::HostUnreachable
            | TransportError::NetworkUnreachable
            | TransportError::MessageTooLong
            | TransportError::PermissionDenied => Self::undelivered(error),
            _ => Self::new(error),
        }
    }
}

/// What the operating system reports.
impl From<&io::Error> for TransportError {
    fn from(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Self::ConnectionRefused,
            io::ErrorKind::HostUnreachable => Self::HostUnreachable,
            io::ErrorKind::NetworkUnreachable => Self::NetworkUnreachable,
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof => Self::ConnectionClosed,
            io::ErrorKind::TimedOut => Self::TimedOut,
            io::ErrorKind::PermissionDenied => Self::PermissionDenied,
            _ if error.raw_os_error() == Some(libc::EMSGSIZE) => Self::MessageTooLong,
            _ => Self::Other(error.raw_os_error().unwrap_or(0)),
        }
    }
}

/// Why a session cannot be opened, or has ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The operating system reports this.
    #[error(transparent)]
    System(#[from] io::Error),
    /// The peer or its messages are the reason.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The configuration has changed since the peer was accepted, and does not accept it.
    #[error("{0}")]
    NoLongerAccepted(String),
}

impl SessionError {
    /// Why the two ends of a secure transport have no session, if that is the reason.
    #[must_use]
    pub const fn security_failure(&self) -> Option<&SecurityFailure> {
        match self {
            Self::Transport(TransportError::Security(failure)) => Some(failure),
            _ => None,
        }
    }
}

impl From<SecurityFailure> for SessionError {
    fn from(failure: SecurityFailure) -> Self {
        TransportError::from(failure).into()
    }
}

impl From<io::ErrorKind> for SessionError {
    fn from(kind: io::ErrorKind) -> Self {
        io::Error::from(kind).into()
    }
}

impl From<tokio::time::error::Elapsed> for SessionError {
    fn from(error: tokio::time::error::Elapsed) -> Self {
        io::Error::from(error).into()
    }
}

impl From<&SessionError> for TransportError {
    fn from(error: &SessionError) -> Self {
        match error {
            SessionError::System(error) => error.into(),
            SessionError::Transport(error) => error.clone(),
            SessionError::NoLongerAccepted(_) => Self::PermissionDenied,
        }
    }
}

/// Why a secure transport does not let messages through: a handshake or an authentication failed (openSession, RFC 5590
/// section 5.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{explanation}")]
pub struct SecurityFailure {
    kind: SecurityFailureKind,
    explanation: Arc<str>,
}

/// What kind of thing went wrong in a handshake or an authentication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SecurityFailureKind {
    /// The peer showed who it is, and nothing says that it is to be trusted
    /// (snmpTlstmSessionUnknownServerCertificate).
    UnknownPeer,
    /// What the peer showed is not valid, or is another's than expected (snmpTlstmSessionInvalidServerCertificates).
    InvalidPeer,
    /// The peer does not accept who we are.
    RefusedByPeer,
    /// The two ends have no version, algorithm or subsystem in common.
    NothingInCommon,
    /// The peer broke the protocol, or does not speak it.
    ProtocolError,
}

impl SecurityFailure {
    /// A failure with its explanation for people: what happened and what can be done, in lower case and without a full
    /// stop. It must not tell secrets.
    #[must_use]
    pub fn new(kind: SecurityFailureKind, explanation: impl Into<Arc<str>>) -> Self {
        Self {
            kind,
            explanation: explanation.into(),
        }
    }

    /// What kind of thing went wrong.
    #[must_use]
    pub const fn kind(&self) -> SecurityFailureKind {
        self.kind
    }

    /// What happened, for people.
    #[must_use]
    pub fn explanation(&self) -> &str {
        &self.explanation
    }
}
