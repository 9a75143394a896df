use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use rustls::server::{NoServerSessionStorage, UnbufferedServerConnection};
use rustls::sign::SingleCertAndKey;
use rustls::{KeyLogFile, ServerConfig};
use varbind_engine::security::SecurityName;
use varbind_engine::transport::TransportState;

use super::TlsVersions;
use super::server_name::ServerName;
use super::verifier::ClientVerifier;
use crate::transport::SessionError;
use crate::transport::certificate::cryptography::{Ticketer, provider};
use crate::transport::certificate::{
    CertificateError, ClientAuthentication, TlsServer, TlsStatistics,
};

/// What a listener accepts sessions with. It can be replaced at any time; copies are the same.
#[derive(Clone)]
pub(crate) struct TlsConfiguration(Arc<ArcSwap<Current>>);

/// What sessions are accepted with now.
pub(super) struct Current {
    /// A number that no other configuration has.
    pub(super) generation: u64,
    config: Arc<ServerConfig>,
    keeps_server_names: bool,
    pub(super) clients: Arc<ClientAuthentication>,
    pub(super) versions: TlsVersions,
    pub(super) statistics: Arc<TlsStatistics>,
    /// What OpenSSL accepts sessions with, if it is to do so.
    #[cfg(feature = "openssl-tls")]
    pub(super) openssl: Option<::openssl::ssl::SslContext>,
}

impl TlsConfiguration {
    pub(crate) fn new(server: &TlsServer) -> io::Result<Self> {
        Ok(Self(Arc::new(ArcSwap::from_pointee(Current::new(server)?))))
    }

    /// Takes another. The clients of open sessions are authenticated again with their next message. No session of before
    /// can be resumed.
    pub(crate) fn replace(&self, server: &TlsServer) -> io::Result<()> {
        self.0.store(Arc::new(Current::new(server)?));
        Ok(())
    }

    /// Authenticates a client again if the configuration has changed since it was `accepted_by` one. `identify` finds its name.
    ///
    /// # Errors
    /// When the client is not accepted any more, or has another name than that of its session.
    pub(super) fn reauthenticate(
        &self,
        accepted_by: &mut u64,
        state: &TransportState,
        identify: impl FnOnce(&Current) -> Result<SecurityName, CertificateError>,
    ) -> Result<(), SessionError> {
        if self.0.load().generation == *accepted_by {
            return Ok(());
        }
        let current = self.current();
        let refused = |why: &dyn fmt::Display| SessionError::NoLongerAccepted(why.to_string());
        match identify(&current) {
            Ok(name) if name == *state.security_name() => {
                *accepted_by = current.generation;
                Ok(())
            }
            Ok(_) => Err(refused(&"its certificate has another name now")),
            Err(error) => Err(refused(&error)),
        }
    }

    pub(super) fn current(&self) -> Arc<Current> {
        self.0.load_full()
    }
}

/// What TLS needs of a server.
pub(crate) fn server_configuration(server: &TlsServer) -> io::Result<Arc<ServerConfig>> {
    let verifier = ClientVerifier(Arc::clone(&server.clients));
    let identity = Arc::clone(server.identity.certified());
    let mut config = ServerConfig::builder_with_provider(Arc::clone(provider()))
        .with_protocol_versions(server.versions.versions())
        .map_err(io::Error::other)?
        .with_client_cert_verifier(Arc::new(verifier))
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(identity)));
    config.session_storage = Arc::new(NoServerSessionStorage {});
    if server.resumption {
        // The keys of tickets are those of this configuration, so that another one invalidates them.
        config.ticketer = Ticketer::new().map_err(io::Error::other)?;
        // A manager opens one session at a time; each ticket has the client's whole chain in it.
        config.send_tls13_tickets = 1;
    } else {
        config.send_tls13_tickets = 0;
    }
    config.key_log = Arc::new(KeyLogFile::new());
    Ok(Arc::new(config))
}

impl Current {
    fn new(server: &TlsServer) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Ok(Self {
            generation: NEXT.fetch_add(1, Ordering::Relaxed),
            config: server_configuration(server)?,
            keeps_server_names: server.keeps_server_names,
            clients: Arc::clone(&server.clients),
            versions: server.versions,
            #[cfg(feature = "openssl-tls")]
            openssl: match server.versions.need_openssl() {
                true => Some(super::openssl::server_context(
                    &server.identity,
                    server.versions,
                )?),
                false => None,
            },
            statistics: Arc::clone(&server.statistics),
        })
    }

    /// A connection, and where the name by which its client asks for the server will be.
    pub(super) fn connection(
        &self,
    ) -> Result<(UnbufferedServerConnection, ServerName), rustls::Error> {
        let (config, name) = match self.keeps_server_names {
            false => (Arc::clone(&self.config), ServerName::default()),
            true => ServerName::kept_by(&self.config),
        };
        Ok((UnbufferedServerConnection::new(config)?, name))
    }
}
