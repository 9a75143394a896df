use rustls::pki_types::CertificateDer;

/// What a handshake of TLS or DTLS tells of the peer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TlsFacts {
    /// The version that the two sides agreed upon, as in `TLS 1.3`.
    pub version: Option<&'static str>,
    /// The cipher suite, by its name in the registry of IANA.
    pub cipher_suite: Option<String>,
    /// The group of the key exchange, where it is known.
    pub key_exchange: Option<String>,
    /// The certificates that the peer sent, its own first, whether they were accepted or not; none in a resumed session.
    pub peer_chain: Vec<CertificateDer<'static>>,
    /// Whether the session goes on from a former one, once the handshake is finished.
    pub is_resumed: Option<bool>,
}
