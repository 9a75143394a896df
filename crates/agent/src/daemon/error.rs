use std::fmt;
use std::io;
use std::path::PathBuf;

use varbind::transport::TransportAddress;
use varbind_engine::security::usm::InvalidUserName;

use crate::configuration::{CertificateFileError, ConfigurationError, SshServerError};
use crate::managed_objects::RegistryError;
use crate::persistence::{EngineIdentityError, StoreError};

/// Why the agent cannot start, or not take over a new configuration.
#[derive(Debug)]
#[non_exhaustive]
pub enum AgentError {
    /// The configuration is wrong.
    Configuration(ConfigurationError),
    /// The configured objects contradict those that the agent has.
    Registry(RegistryError),
    /// The values set earlier are not at hand.
    Store(StoreError),
    /// It is not known who the agent is in SNMPv3.
    EngineIdentity(EngineIdentityError),
    /// A user's name cannot be used.
    Users(InvalidUserName),
    /// The kernel does not tell the network interfaces.
    Interfaces(String),
    /// A certificate or a key for TLS and DTLS cannot be used.
    Certificates(CertificateFileError),
    /// SSH cannot be served: there is no host key, or no PAM.
    SshServer(SshServerError),
    /// An address cannot be listened on.
    Listen {
        /// The address.
        address: TransportAddress,
        /// Why.
        source: io::Error,
    },
    /// The socket for launchers of OpenSSH's server cannot be listened on.
    Subsystem {
        /// The socket.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The web face cannot listen on its addresses.
    Web {
        /// The addresses.
        addresses: String,
        /// Why.
        source: io::Error,
    },
    /// The operating system gives no thread or no signal handler.
    Start(io::Error),
}

impl From<ConfigurationError> for AgentError {
    fn from(error: ConfigurationError) -> Self {
        Self::Configuration(error)
    }
}

impl From<RegistryError> for AgentError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

impl From<StoreError> for AgentError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<EngineIdentityError> for AgentError {
    fn from(error: EngineIdentityError) -> Self {
        Self::EngineIdentity(error)
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Configuration(error) => error.fmt(f),
            Self::Registry(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
            Self::EngineIdentity(error) => error.fmt(f),
            Self::Users(error) => write!(f, "the users cannot be set up: {error}"),
            Self::Interfaces(error) => {
                write!(f, "the network interfaces cannot be read: {error}")
            }
            Self::Certificates(error) => write!(
                f,
                "{error}; `varbind pki` and `varbind agent --init` make certificates, [tls] names them"
            ),
            Self::SshServer(error) => error.fmt(f),
            Self::Listen { address, source } => {
                write!(
                    f,
                    "cannot listen on {address}: {source}{}",
                    advice(address, source)
                )
            }
            Self::Subsystem { path, source } => {
                write!(f, "cannot listen on {}: {source}", path.display())
            }
            Self::Web { addresses, source } => {
                write!(
                    f,
                    "the web face cannot listen on {addresses}: {source}; correct `listen` of [web]"
                )
            }
            Self::Start(error) => write!(f, "the agent cannot start: {error}"),
        }
    }
}

/// What can be done about an address that cannot be listened on.
fn advice(address: &TransportAddress, error: &io::Error) -> String {
    let unprivileged = TransportAddress {
        port: Some(1161)
            .filter(|_| !address.transport.is_secure())
            .or(Some(20_161)),
        ..address.clone()
    };
    match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "; another program listens there, perhaps another agent: stop it, or choose another address, as \
             --listen {unprivileged}"
        ),
        io::ErrorKind::PermissionDenied => format!(
            "; ports below 1024 need root or the capability CAP_NET_BIND_SERVICE: give it, or choose another port, as \
             --listen {unprivileged}"
        ),
        io::ErrorKind::AddrNotAvailable => {
            "; this host has no such address: see `ip address`, and correct --listen or the key listen".to_owned()
        }
        _ => String::new(),
    }
}

impl std::error::Error for AgentError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Configuration(error) => Some(error),
            Self::Registry(error) => Some(error),
            Self::Store(error) => Some(error),
            Self::EngineIdentity(error) => Some(error),
            Self::Users(error) => Some(error),
            Self::Certificates(error) => Some(error),
            Self::SshServer(error) => Some(error),
            Self::Interfaces(_) => None,
            Self::Listen { source, .. }
            | Self::Subsystem { source, .. }
            | Self::Web { source, .. }
            | Self::Start(source) => Some(source),
        }
    }
}
