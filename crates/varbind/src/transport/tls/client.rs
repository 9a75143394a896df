use std::io;
use std::sync::Arc;

use rustls::client::{Resumption, UnbufferedClientConnection};
use rustls::pki_types::ServerName;
use rustls::sign::SingleCertAndKey;
use rustls::{ClientConfig, KeyLogFile};

use super::verifier::ServerVerifier;
use crate::transport::certificate::cryptography::provider;
use crate::transport::certificate::{CertificateIdentity, TlsClient};

/// What sessions over TLS are opened with, and those that can be resumed.
#[derive(Debug)]
pub(crate) struct ClientConfiguration {
    rustls: Arc<ClientConfig>,
    identity: CertificateIdentity,
}

/// How many servers' sessions are kept to be resumed.
const KEPT: usize = 256;

impl ClientConfiguration {
    pub(crate) fn new(client: &TlsClient) -> io::Result<Self> {
        let identity = Arc::clone(client.identity().certified());
        let mut config = ClientConfig::builder_with_provider(Arc::clone(provider()))
            .with_protocol_versions(client.versions().versions())
            .map_err(io::Error::other)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(ServerVerifier {
                server: client.server().clone(),
                observation: client.observation().cloned(),
            }))
            .with_client_cert_resolver(Arc::new(SingleCertAndKey::from(identity)));
        config.resumption = if client.resumes() {
            Resumption::in_memory_sessions(KEPT)
        } else {
            Resumption::disabled()
        };
        config.key_log = Arc::new(KeyLogFile::new());
        Ok(Self {
            rustls: Arc::new(config),
            identity: client.identity().clone(),
        })
    }

    pub(crate) fn rustls(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.rustls)
    }

    /// The certificate that it shows.
    pub(super) const fn identity(&self) -> &CertificateIdentity {
        &self.identity
    }

    /// The client's side of a connection with a server of this name or address.
    pub(crate) fn connection(&self, host: &str) -> io::Result<UnbufferedClientConnection> {
        let host = host.split('%').next().unwrap_or(host);
        let name = ServerName::try_from(host.to_owned()).map_err(|_| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{host:?} is not a name that a certificate can have: write it in the letters of the DNS (xn--...)"),
            )
        })?;
        UnbufferedClientConnection::new(self.rustls(), name).map_err(io::Error::other)
    }
}
