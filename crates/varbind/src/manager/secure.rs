#[cfg(feature = "certificates")]
use std::io;
#[cfg(feature = "certificates")]
use std::sync::Arc;

#[cfg(feature = "certificates")]
use crate::transport::certificate::TlsClient;
#[cfg(feature = "ssh")]
use crate::transport::ssh::SshOptions;
#[cfg(feature = "certificates")]
use crate::transport::{TransportAddress, missing_configuration};

/// What the secure transports need to open a session.
///
/// Sessions over UDP and TCP take nothing from it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SecureTransportOptions {
    /// Who one is over TLS and DTLS, and how servers are told.
    #[cfg(feature = "certificates")]
    pub tls: Option<Arc<TlsClient>>,
    /// For SSH.
    #[cfg(feature = "ssh")]
    pub ssh: SshOptions,
}

#[cfg(feature = "certificates")]
impl SecureTransportOptions {
    /// What opens sessions over TLS and DTLS.
    pub(super) fn tls_client(&self, target: &TransportAddress) -> io::Result<&TlsClient> {
        let missing = || missing_configuration(target.transport);
        self.tls.as_deref().ok_or_else(missing)
    }
}
