use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use varbind_engine::applications::command_generator::SecurityFailure;

use super::{
    CertificateIdentity, ClientAuthentication, ServerAuthentication, TlsFacts, TlsStatistics,
};
use crate::transport::Observation;
use crate::transport::tls::TlsVersions;
use crate::transport::{dtls, tls};

/// Who listens over TLS or DTLS, and whom it serves.
#[derive(Clone, Debug)]
pub struct TlsServer {
    /// The certificate that it shows.
    pub identity: CertificateIdentity,
    /// How its clients get their names.
    pub clients: Arc<ClientAuthentication>,
    /// Where sessions are counted.
    pub statistics: Arc<TlsStatistics>,
    /// The versions that it speaks; DTLS has one alone.
    pub versions: TlsVersions,
    /// Whether clients may resume sessions.
    pub resumption: bool,
}

impl TlsServer {
    /// A server with counters of its own.
    #[must_use]
    pub fn new(identity: CertificateIdentity, clients: ClientAuthentication) -> Self {
        Self {
            identity,
            clients: Arc::new(clients),
            statistics: Arc::default(),
            versions: TlsVersions::All,
            resumption: true,
        }
    }

    /// What a server of another protocol over TLS needs, as one of HTTPS: certificate, versions and the rules for
    /// clients are those of SNMP over TLS. The client's name is then what [`ClientAuthentication::security_name`] says.
    ///
    /// # Errors
    /// When the certificate or the key is of no use.
    pub fn rustls_configuration(&self) -> io::Result<Arc<rustls::ServerConfig>> {
        tls::server_configuration(self)
    }
}

/// Who connects over TLS or DTLS, and to whom. Whoever shares one resumes sessions that were opened with it.
pub struct TlsClient {
    identity: CertificateIdentity,
    server: ServerAuthentication,
    statistics: Arc<TlsStatistics>,
    versions: TlsVersions,
    resumes: bool,
    observation: Option<Arc<Observation<TlsFacts>>>,
    tls: Mutex<Option<Arc<tls::ClientConfiguration>>>,
    dtls: Mutex<Option<Arc<dtls::ClientConfiguration>>>,
    #[cfg(feature = "openssl-tls")]
    openssl: Mutex<Option<::openssl::ssl::SslContext>>,
}

impl TlsClient {
    /// A client with counters of its own.
    #[must_use]
    pub fn new(identity: CertificateIdentity, server: ServerAuthentication) -> Self {
        Self::with_statistics(identity, server, Arc::default())
    }

    /// A client that counts its sessions with those of others.
    #[must_use]
    pub fn with_statistics(
        identity: CertificateIdentity,
        server: ServerAuthentication,
        statistics: Arc<TlsStatistics>,
    ) -> Self {
        Self {
            identity,
            server,
            statistics,
            versions: TlsVersions::All,
            resumes: true,
            observation: None,
            tls: Mutex::default(),
            dtls: Mutex::default(),
            #[cfg(feature = "openssl-tls")]
            openssl: Mutex::default(),
        }
    }

    /// The same with these versions of TLS; DTLS has one alone.
    #[must_use]
    pub fn with_versions(self, versions: TlsVersions) -> Self {
        Self {
            versions,
            tls: Mutex::default(),
            #[cfg(feature = "openssl-tls")]
            openssl: Mutex::default(),
            ..self
        }
    }

    /// The same that shakes hands in full for every session, whatever it remembers of former ones.
    #[must_use]
    pub fn without_resumption(self) -> Self {
        Self {
            resumes: false,
            tls: Mutex::default(),
            ..self
        }
    }

    /// The same that takes note of what is found out about servers.
    #[must_use]
    pub fn observed_by(self, observation: Arc<Observation<TlsFacts>>) -> Self {
        Self {
            observation: Some(observation),
            tls: Mutex::default(),
            ..self
        }
    }

    /// What takes note of what is found out about servers.
    #[must_use]
    pub const fn observation(&self) -> Option<&Arc<Observation<TlsFacts>>> {
        self.observation.as_ref()
    }

    pub(crate) const fn versions(&self) -> TlsVersions {
        self.versions
    }

    /// Whether sessions go on from former ones where the server agrees.
    #[must_use]
    pub const fn resumes(&self) -> bool {
        self.resumes
    }

    /// What TLS needs, made when it is needed first.
    pub(crate) fn tls(&self) -> io::Result<Arc<tls::ClientConfiguration>> {
        let mut made = self.tls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*made {
            return Ok(Arc::clone(made));
        }
        let new = Arc::new(tls::ClientConfiguration::new(self)?);
        *made = Some(Arc::clone(&new));
        Ok(new)
    }

    /// What OpenSSL needs for TLS, made when it is needed first.
    #[cfg(feature = "openssl-tls")]
    pub(crate) fn openssl(&self) -> io::Result<::openssl::ssl::SslContext> {
        let mut made = self.openssl.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*made {
            return Ok(made.clone());
        }
        let new = tls::openssl::client_context(&self.identity, self.versions)?;
        *made = Some(new.clone());
        Ok(new)
    }

    /// The certificate that it shows.
    #[must_use]
    pub const fn identity(&self) -> &CertificateIdentity {
        &self.identity
    }

    /// How it tells its servers.
    #[must_use]
    pub const fn server(&self) -> &ServerAuthentication {
        &self.server
    }

    /// Where sessions are counted.
    #[must_use]
    pub const fn statistics(&self) -> &Arc<TlsStatistics> {
        &self.statistics
    }

    /// What a client of another protocol over TLS needs, as one of HTTPS: certificate, versions, sessions to be resumed and
    /// how a server is told are those of SNMP over TLS. [`Self::handshake_failure`] says what went wrong.
    ///
    /// # Errors
    /// When the certificate or the key is of no use.
    pub fn rustls_configuration(&self) -> io::Result<Arc<rustls::ClientConfig>> {
        Ok(self.tls()?.rustls())
    }

    /// What it means that a handshake with [`Self::rustls_configuration`] failed, or that the peer has ended the session
    /// with an alert. It is to be asked in the thread that worked on the handshake, and at once. `first` is what came
    /// first of the peer, of which 16 octets are enough.
    #[must_use]
    pub fn handshake_failure(&self, error: &rustls::Error, first: &[u8]) -> SecurityFailure {
        let (failure, certificate) =
            tls::handshake_failure(error, tls::Side::Client, self.versions, first);
        tls::advise(&failure, certificate.as_ref())
    }

    /// What DTLS needs, made when it is needed first.
    pub(crate) fn dtls(&self) -> io::Result<Arc<dtls::ClientConfiguration>> {
        let mut made = self.dtls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*made {
            return Ok(Arc::clone(made));
        }
        let new = Arc::new(dtls::ClientConfiguration::new(
            &self.identity,
            Arc::clone(&self.statistics),
            self.resumes,
        )?);
        *made = Some(Arc::clone(&new));
        Ok(new)
    }
}

/// A copy remembers no sessions of the original.
impl Clone for TlsClient {
    fn clone(&self) -> Self {
        Self {
            identity: self.identity.clone(),
            server: self.server.clone(),
            statistics: Arc::clone(&self.statistics),
            versions: self.versions,
            resumes: self.resumes,
            observation: self.observation.clone(),
            tls: Mutex::default(),
            dtls: Mutex::default(),
            #[cfg(feature = "openssl-tls")]
            openssl: Mutex::default(),
        }
    }
}

impl fmt::Debug for TlsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsClient")
            .field("identity", &self.identity)
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
