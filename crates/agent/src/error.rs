use std::io;
use std::path::PathBuf;

use varbind::transport::TransportAddress;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::InvalidUserName;

use crate::configuration::{CertificateFileError, ConfigurationError, SshServerError};
use crate::confinement::ConfinementError;
use crate::managed_objects::RegistryError;
use crate::persistence::{EngineIdentityError, StoreError};

/// Why the agent cannot start, or not take over a new configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The configuration is wrong.
    #[error("{0}")]
    Configuration(#[from] ConfigurationError),
    /// The configured objects contradict those that the agent has.
    #[error("{0}")]
    Registry(#[from] RegistryError),
    /// Stored values cannot be read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// It is not known who the agent is in SNMPv3.
    #[error("{0}")]
    EngineIdentity(#[from] EngineIdentityError),
    /// A user's name cannot be used.
    #[error("the users cannot be set up: {0}")]
    Users(#[source] InvalidUserName),
    /// The kernel does not tell the network interfaces.
    #[error("the network interfaces cannot be read: {0}")]
    Interfaces(String),
    /// A certificate or a key for TLS and DTLS cannot be used.
    #[error("{0}; `varbind pki` and `varbind agent --init` make certificates, [tls] names them")]
    Certificates(#[source] CertificateFileError),
    /// SSH cannot be served: there is no host key, or no PAM.
    #[error("{0}")]
    SshServer(#[source] SshServerError),
    /// An address cannot be listened on.
    #[error("cannot listen on {address}: {source}{}", advice(.address, .source))]
    Listen {
        /// The address.
        address: TransportAddress,
        /// Why.
        source: io::Error,
    },
    /// The socket for launchers of OpenSSH's server cannot be listened on.
    #[error("cannot listen on {path}: {source}")]
    Subsystem {
        /// The socket.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Subagents cannot be awaited.
    #[error("subagents cannot connect to {address}: {source}; see [agentx]")]
    Agentx {
        /// The address.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// A context that is passed on is one of this agent.
    #[error(
        "{name:?} of [[proxy]] has the context engine ID {engine_id}, which is that of this agent: requests would go round in a loop; \
         correct `context-engine`"
    )]
    ProxyLoop {
        /// The name of the section.
        name: String,
        /// snmpEngineID.
        engine_id: EngineId,
    },
    /// Notifications of other agents cannot be received.
    #[error(
        "cannot listen on {address} for notifications: {source}; correct `listen` of [notifications]"
    )]
    Notifications {
        /// The address.
        address: TransportAddress,
        /// Why.
        source: io::Error,
    },
    /// The web services cannot listen on their addresses.
    #[error(
        "RESTCONF and metrics cannot listen on {addresses}: {source}; correct `listen` of [web]"
    )]
    Web {
        /// The addresses.
        addresses: String,
        /// Why.
        source: io::Error,
    },
    /// The process cannot give up what it does not need.
    #[error(transparent)]
    Confinement(#[from] ConfinementError),
    /// The operating system gives no thread or no signal handler.
    #[error("the agent cannot start: {0}")]
    Start(#[source] io::Error),
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
