use std::sync::Arc;

use crate::transport::certificate::TlsClient;
use crate::transport::ssh::SshOptions;

/// What the secure transports need to open a session.
///
/// Sessions over UDP and TCP take nothing from it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SecureTransportOptions {
    /// Who one is over TLS and DTLS, and how servers are told.
    pub tls: Option<Arc<TlsClient>>,
    /// For SSH.
    pub ssh: SshOptions,
}
