/// What the secure transports need to open a session.
///
/// Sessions over UDP and TCP take nothing from it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SecureTransportOptions {
    /// Who one is over TLS and DTLS, and how servers are told.
    #[cfg(feature = "certificates")]
    pub tls: Option<std::sync::Arc<crate::transport::certificate::TlsClient>>,
    /// For SSH.
    #[cfg(feature = "ssh")]
    pub ssh: crate::transport::ssh::SshOptions,
}
