//! What the builders of an agent and of a notification receiver share.

use std::io;
use std::net::SocketAddr;
#[cfg(feature = "certificates")]
use std::path::PathBuf;
use std::sync::Arc;

use varbind_engine::engine_id::EngineId;
use varbind_engine::instrumentation::RegistrationError;
use varbind_engine::security::SecurityLevel;
use varbind_engine::security::usm::{Credentials, InvalidKey, InvalidUserName, LocalEngine};

use crate::client::User;
use crate::clock::Clock;
use crate::random::{random_engine_id, random_seed};
#[cfg(feature = "certificates")]
use crate::transport::certificate::{LoadError, TlsServer};
#[cfg(feature = "ssh")]
use crate::transport::ssh::HostKeyError;
use crate::transport::{ParseAddressError, Transport, TransportAddress};

/// Why an agent or a receiver cannot be started. The message contains those of its sources: print it alone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The text is not an address.
    #[error("{address:?}: {source}")]
    Address {
        /// The text.
        address: String,
        /// What is wrong with it.
        source: ParseAddressError,
    },
    /// An address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: TransportAddress,
        /// Why.
        source: io::Error,
    },
    /// A user's password cannot be used.
    #[error("user {user:?}: {source}")]
    Key {
        /// The user.
        user: String,
        /// What is wrong with it.
        source: InvalidKey,
    },
    /// A user's name cannot be used.
    #[error("user {user:?}: {source}")]
    UserName {
        /// The name.
        user: String,
        /// What is wrong with it.
        source: InvalidUserName,
    },
    /// A user has no password, so anyone could use the name.
    #[error("user {user:?} has no password for authentication: add one, as by User::sha256")]
    NoAuthentication {
        /// The user.
        user: String,
    },
    /// A file with certificates or a key cannot be used.
    #[cfg(feature = "certificates")]
    #[error(transparent)]
    Certificate(#[from] LoadError),
    /// The key of an SSH server cannot be used.
    #[cfg(feature = "ssh")]
    #[error(transparent)]
    HostKey(#[from] HostKeyError),
    /// No snmpEngineID can be generated.
    #[error("the system has no random numbers for snmpEngineID: {0}")]
    EngineId(#[source] io::Error),
    /// Two objects have one name, or one of them lies below the other.
    #[error(transparent)]
    Objects(#[from] RegistrationError),
    /// A thread cannot be started.
    #[error("the agent cannot be started: {0}")]
    Threads(#[source] io::Error),
}

impl BuildError {
    pub(crate) fn key(user: &User, source: InvalidKey) -> Self {
        Self::Key {
            user: user.name().to_owned(),
            source,
        }
    }

    pub(crate) fn user_name(user: &User, source: InvalidUserName) -> Self {
        Self::UserName {
            user: user.name().to_owned(),
            source,
        }
    }
}

/// What is needed to listen over TLS and DTLS.
#[cfg(feature = "certificates")]
#[derive(Debug, Default)]
pub(crate) enum Tls {
    #[default]
    Nothing,
    /// Certificate chain, key and authority.
    Files([PathBuf; 3]),
    Server(TlsServer),
}

#[cfg(feature = "certificates")]
impl Tls {
    pub(crate) fn server(self) -> Result<Option<TlsServer>, BuildError> {
        Ok(match self {
            Self::Nothing => None,
            Self::Files([chain, key, authority]) => {
                Some(TlsServer::load(&chain, &key, &authority)?)
            }
            Self::Server(server) => Some(server),
        })
    }
}

/// The keys of a user who can be distinguished from others.
pub(crate) fn credentials(user: &User) -> Result<Credentials, BuildError> {
    let credentials = user
        .credentials()
        .map_err(|source| BuildError::key(user, source))?;
    match credentials.security_level() {
        SecurityLevel::NoAuthNoPriv => Err(BuildError::NoAuthentication {
            user: user.name().to_owned(),
        }),
        _ => Ok(credentials),
    }
}

/// The engine with this id and snmpEngineBoots, or one that there has never been.
pub(crate) fn local_engine(
    known: Option<(EngineId, i32)>,
    clock: Clock,
) -> Result<Arc<LocalEngine>, BuildError> {
    let (id, boots) = match known {
        Some(known) => known,
        None => (random_engine_id().map_err(BuildError::EngineId)?, 1),
    };
    let engine = LocalEngine::new(id, boots, clock.now(), random_seed());
    Ok(Arc::new(engine))
}

/// An address to listen on, and the first socket address that it stands for.
pub(crate) fn resolve(
    address: String,
    default_port: fn(Transport) -> u16,
) -> Result<(TransportAddress, SocketAddr), BuildError> {
    let address: TransportAddress = match address.parse() {
        Ok(parsed) => parsed,
        Err(source) => return Err(BuildError::Address { address, source }),
    };
    let resolved = address.resolve(default_port(address.transport));
    let first = resolved.and_then(|sockets| {
        let first = sockets.into_iter().next();
        first.ok_or_else(|| io::ErrorKind::NotFound.into())
    });
    match first {
        Ok(socket) => Ok((address, socket)),
        Err(source) => Err(BuildError::Listen { address, source }),
    }
}
