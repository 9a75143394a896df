use std::fmt;
use std::sync::Arc;

/// What a transport reports about the way to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportError {
    /// Nobody listens at the port.
    ConnectionRefused,
    /// The host cannot be reached.
    HostUnreachable,
    /// The network cannot be reached.
    NetworkUnreachable,
    /// The connection ended.
    ConnectionClosed,
    /// The peer does not take what is sent, or does not answer while the connection is set up.
    TimedOut,
    /// The message is larger than the path allows.
    MessageTooLong,
    /// The peer sent something else than SNMP, so that nothing after it can be understood (RFC 3430 section 2.1).
    NotSnmp,
    /// The peer sent a message that exceeds the largest size.
    MessageTooLarge,
    /// The operating system does not allow it.
    PermissionDenied,
    /// There is no secure session with the peer, or no more.
    Security(SecurityFailure),
    /// Another error of the operating system, with its number.
    Other(i32),
}

/// Why a secure transport does not let messages through: a handshake or an authentication failed (openSession, RFC 5590
/// section 5.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SecurityFailure {
    kind: SecurityFailureKind,
    explanation: Arc<str>,
}

/// What kind of thing went wrong in a handshake or an authentication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SecurityFailureKind {
    /// Our own certificate, key or other credentials are missing or of no use.
    OwnCredentials,
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

impl fmt::Display for SecurityFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.explanation)
    }
}

impl std::error::Error for SecurityFailure {}

impl From<SecurityFailure> for TransportError {
    fn from(failure: SecurityFailure) -> Self {
        Self::Security(failure)
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConnectionRefused => write!(f, "connection refused: nothing listens at the port"),
            Self::HostUnreachable => write!(f, "the host cannot be reached"),
            Self::NetworkUnreachable => write!(f, "the network cannot be reached"),
            Self::ConnectionClosed => write!(f, "the agent closed the connection"),
            Self::TimedOut => write!(f, "the peer does not take what is sent to it"),
            Self::MessageTooLong => write!(f, "the message is larger than the path allows"),
            Self::NotSnmp => write!(
                f,
                "what the peer sends is not SNMP: does another service listen there?"
            ),
            Self::MessageTooLarge => write!(f, "the peer's message exceeds the largest message"),
            Self::PermissionDenied => write!(f, "the operating system does not allow it"),
            Self::Security(failure) => failure.fmt(f),
            Self::Other(number) => write!(f, "the transport failed (error {number})"),
        }
    }
}

impl std::error::Error for TransportError {}
