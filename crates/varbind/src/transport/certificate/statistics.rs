use crate::transport::TransportCounter;

/// The counters of sessions over TLS and DTLS (snmpTlstmSession, RFC 6353 section 7).
#[derive(Debug, Default)]
pub struct TlsStatistics {
    /// Sessions that a client was to open, whether it could or not (snmpTlstmSessionOpens).
    pub opens: TransportCounter,
    /// Sessions that a client closed (snmpTlstmSessionClientCloses).
    pub client_closes: TransportCounter,
    /// Sessions that a client could not open (snmpTlstmSessionOpenErrors).
    pub open_errors: TransportCounter,
    /// Sessions that a server accepted and over which a message came (snmpTlstmSessionAccepts).
    pub accepts: TransportCounter,
    /// Sessions that a server closed (snmpTlstmSessionServerCloses).
    pub server_closes: TransportCounter,
    /// Messages that could not be sent because their session had ended (snmpTlstmSessionNoSessions).
    pub no_sessions: TransportCounter,
    /// Sessions that a server refused for the client's certificate (snmpTlstmSessionInvalidClientCertificates).
    pub invalid_client_certificates: TransportCounter,
    /// Sessions that a client gave up because nothing that is configured vouches for the server's certificate
    /// (snmpTlstmSessionUnknownServerCertificate).
    pub unknown_server_certificates: TransportCounter,
    /// Sessions that a client gave up because the server's certificate is wrong
    /// (snmpTlstmSessionInvalidServerCertificates).
    pub invalid_server_certificates: TransportCounter,
    /// Messages that could not be sent because what was known of their session was wrong (snmpTlstmSessionInvalidCaches).
    pub invalid_caches: TransportCounter,
}
