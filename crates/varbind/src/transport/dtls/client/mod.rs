//! The side that connects: one socket, with a port of its own, for each session (RFC 6353 section 5.1).
//!
//! `handshake`, `link` and `links` do not wait. `session` waits for them in a tokio runtime.

mod handshake;
mod link;
mod links;
mod session;

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openssl::ssl::SslContext;

use super::context;
use super::error::DtlsError;
use super::identity::{ExpectedServer, PeerAuthentication};
use super::system_library::ResumableSession;
use crate::transport::Observation;
use crate::transport::certificate::{CertificateIdentity, TlsClient, TlsFacts, TlsStatistics};
use crate::transport::message_size::DTLS_DATAGRAM;
use link::Workspace;
pub(crate) use session::DtlsSession;

/// Sessions kept to be resumed.
const RESUMABLE: usize = 1024;

/// Sessions by the server's address and the name by which it was asked for: a session that is resumed has the name with which
/// it was opened (RFC 6066 section 3).
type ResumableSessions = HashMap<(SocketAddr, Option<String>), ResumableSession>;

/// Who a client is, and the sessions that it may resume.
pub(crate) struct ClientConfiguration {
    context: SslContext,
    statistics: Arc<TlsStatistics>,
    /// `None` for nothing to be resumed.
    sessions: Option<Mutex<ResumableSessions>>,
    /// Buffers that are not in use, as many as sessions were ever worked on at a time.
    workspaces: Mutex<Vec<Workspace>>,
}

impl ClientConfiguration {
    /// # Errors
    /// When OpenSSL does not accept the certificate or the key.
    pub(crate) fn new(
        identity: &CertificateIdentity,
        statistics: Arc<TlsStatistics>,
        resumes: bool,
    ) -> Result<Self, DtlsError> {
        Ok(Self {
            context: context::client(identity)?,
            statistics,
            sessions: resumes.then(Mutex::default),
            workspaces: Mutex::default(),
        })
    }

    /// Lends buffers for one step of a session.
    fn with_workspace<R>(&self, step: impl FnOnce(&mut Workspace) -> R) -> R {
        let workspaces = || {
            let workspaces = self.workspaces.lock();
            workspaces.unwrap_or_else(PoisonError::into_inner)
        };
        let kept = workspaces().pop();
        let mut workspace = kept.unwrap_or_default();
        let result = step(&mut workspace);
        workspaces().push(workspace);
        result
    }

    fn sessions(&self) -> Option<MutexGuard<'_, ResumableSessions>> {
        let sessions = self.sessions.as_ref()?;
        Some(sessions.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whom a client speaks to, and how.
#[derive(Clone)]
pub(crate) struct DtlsTarget {
    pub(crate) remote: SocketAddr,
    pub(crate) configuration: Arc<ClientConfiguration>,
    /// Decides whether the peer is who it should be.
    pub(crate) authentication: Arc<dyn PeerAuthentication>,
    /// Takes note of what is found out about the peer.
    pub(crate) observation: Option<Arc<Observation<TlsFacts>>>,
    /// The name of the server that is asked for (SNI), if it is known by a name.
    pub(crate) server_name: Option<String>,
    /// The largest datagram of a handshake, in octets.
    pub(crate) datagram: usize,
    /// How long a handshake may take.
    pub(crate) timeout: Duration,
}

impl DtlsTarget {
    /// The session that may be resumed with the server.
    fn resumable(&self) -> Option<ResumableSession> {
        let sessions = self.configuration.sessions()?;
        sessions.get(&self.server()).cloned()
    }

    /// Keeps a session to be resumed, or forgets the one that is kept.
    fn keep(&self, session: Option<ResumableSession>) {
        let Some(mut sessions) = self.configuration.sessions() else {
            return;
        };
        let server = self.server();
        match session {
            Some(session) if sessions.len() < RESUMABLE || sessions.contains_key(&server) => {
                sessions.insert(server, session);
            }
            Some(_) => {}
            None => {
                sessions.remove(&server);
            }
        }
    }

    fn server(&self) -> (SocketAddr, Option<String>) {
        (self.remote, self.server_name.clone())
    }

    /// What is known by the name or address `host`, at one of its addresses.
    ///
    /// # Errors
    /// When OpenSSL does not accept the certificate or the key.
    pub(crate) fn new(
        client: &TlsClient,
        host: &str,
        remote: SocketAddr,
        timeout: Duration,
    ) -> Result<Self, DtlsError> {
        // RFC 6066 section 3: an address is not a name of a server.
        let is_name = host.parse::<IpAddr>().is_err() && !host.contains('%');
        Ok(Self {
            remote,
            configuration: client.dtls()?,
            authentication: Arc::new(ExpectedServer {
                authentication: client.server().clone(),
                target: host.to_owned(),
                observation: client.observation().cloned(),
            }),
            observation: client.observation().cloned(),
            server_name: is_name.then(|| host.to_owned()),
            datagram: DTLS_DATAGRAM,
            timeout,
        })
    }
}
