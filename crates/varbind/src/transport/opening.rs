use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

#[cfg(feature = "ssh")]
use super::ssh::SshError;
use super::{SecurityFailure, SessionError, TransportAddress, missing_configuration};

/// What the secure transports need to open a session.
///
/// Sessions over UDP and TCP take nothing from it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SecureTransportOptions {
    /// Own identity over TLS and DTLS, and authentication of servers.
    #[cfg(feature = "certificates")]
    pub tls: Option<std::sync::Arc<super::certificate::TlsClient>>,
    /// For SSH.
    #[cfg(feature = "ssh")]
    pub ssh: super::ssh::SshOptions,
}

/// What opening a session took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opening {
    /// Until the socket was connected.
    pub connect: Duration,
    /// The handshake of TLS or DTLS, or the key exchange of SSH, where the transport has one.
    pub handshake: Option<Duration>,
    /// Authenticating the user and opening a channel, in SSH.
    pub authentication: Option<Duration>,
    /// Whether the session is resumed.
    pub is_resumed: bool,
}

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
        error: Box<SessionError>,
    },
    /// The transport is a feature of this crate which is not enabled.
    Unavailable {
        /// The agent.
        target: TransportAddress,
    },
    /// The system has no room for what carries the messages in the thread that waits for them.
    Runtime(io::Error),
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
    pub fn security_failure(&self) -> Option<&SecurityFailure> {
        match self {
            Self::Connecting { error, .. } => error.security_failure(),
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
        error: SessionError,
    ) -> Self {
        Self::Connecting {
            target: target.clone(),
            address,
            error: Box::new(error),
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resolving { target, error } => {
                write!(
                    f,
                    "the name {} cannot be resolved: {error}; check its spelling, or name the address",
                    target.host
                )
            }
            Self::Unavailable { target } => {
                write!(f, "{target}: {}", missing_configuration(target.transport))
            }
            Self::Runtime(error) => write!(f, "no runtime can be made: {error}"),
            #[cfg(feature = "ssh")]
            Self::Ssh { target, error } => write!(f, "{target}: {error}"),
            Self::Connecting {
                target,
                address,
                error,
            } => {
                write!(f, "{target}: ")?;
                let kind = match &**error {
                    SessionError::System(error) => Some(error.kind()),
                    _ => None,
                };
                match kind {
                    Some(io::ErrorKind::ConnectionRefused) => write!(
                        f,
                        "connection refused: nothing listens on {} port {} of {}",
                        target.transport,
                        address.port(),
                        address.ip()
                    ),
                    Some(io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock) => write!(
                        f,
                        "no answer to opening a connection to {address}: the host is down or a firewall is between"
                    ),
                    _ => write!(f, "connecting to {address}: {error}"),
                }
            }
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Resolving { error, .. } | Self::Runtime(error) => Some(error),
            Self::Connecting { error, .. } => Some(error),
            Self::Unavailable { .. } => None,
            #[cfg(feature = "ssh")]
            Self::Ssh { error, .. } => Some(error),
        }
    }
}
