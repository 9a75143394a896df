use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::{
    CertificateIdentity, CertificateMap, ClientAuthentication, LoadError, PeerIdentity,
    ServerAuthentication, TlsFacts, TlsStatistics, TrustAnchors, UnixTime,
};
use crate::transport::Observation;
#[cfg(feature = "tls")]
use crate::transport::SecurityFailure;
#[cfg(feature = "tls")]
use crate::transport::tls::{self, TlsVersions};
#[cfg(feature = "dtls")]
use crate::transport::{SessionError, dtls};

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
    #[cfg(feature = "tls")]
    pub versions: TlsVersions,
    /// Whether clients may resume sessions.
    pub resumption: bool,
    /// Whether sessions know the name by which their client asked for the server.
    pub(crate) keeps_server_names: bool,
}

impl TlsServer {
    /// A server with counters of its own.
    #[must_use]
    pub fn new(identity: CertificateIdentity, clients: ClientAuthentication) -> Self {
        Self {
            identity,
            clients: Arc::new(clients),
            statistics: Arc::default(),
            #[cfg(feature = "tls")]
            versions: TlsVersions::All,
            resumption: true,
            keeps_server_names: false,
        }
    }

    /// The same whose sessions know the name by which their client asked for the server.
    pub(crate) fn keeping_server_names(&self) -> Self {
        Self {
            keeps_server_names: true,
            ..self.clone()
        }
    }

    /// A server with the certificate chain and key in these PEM files, for clients whose certificates are signed by the authority in
    /// the third: they are named by their first subjectAltName, or else by their CommonName.
    ///
    /// # Errors
    /// When a file cannot be read or does not hold what it should.
    pub fn load(chain: &Path, key: &Path, authority: &Path) -> Result<Self, LoadError> {
        let trust = TrustAnchors::load(authority)?;
        let map = CertificateMap::of_authorities(trust.certificates());
        let clients = ClientAuthentication::new(trust, map);
        Ok(Self::new(CertificateIdentity::load(chain, key)?, clients))
    }

    /// What a server of another protocol over TLS needs, as one of HTTPS: certificate, versions and the rules for
    /// clients are those of SNMP over TLS. The client's name is then what [`ClientAuthentication::security_name`] says.
    ///
    /// # Errors
    /// When the certificate or the key is of no use.
    #[cfg(feature = "tls")]
    pub fn rustls_configuration(&self) -> io::Result<Arc<rustls::ServerConfig>> {
        tls::server_configuration(self)
    }
}

/// A client of TLS or DTLS: its identity and the servers it accepts. Users of one endpoint share resumable sessions.
pub struct TlsClient {
    identity: CertificateIdentity,
    server: ServerAuthentication,
    statistics: Arc<TlsStatistics>,
    #[cfg(feature = "tls")]
    versions: TlsVersions,
    resumes: bool,
    observation: Option<Arc<Observation<TlsFacts>>>,
    made: Made,
}

/// What the libraries need, made when it is needed first, and the sessions that they remember.
#[derive(Default)]
struct Made {
    #[cfg(feature = "tls")]
    tls: Mutex<Option<Arc<tls::ClientConfiguration>>>,
    #[cfg(feature = "dtls")]
    dtls: Mutex<Option<Arc<dtls::ClientConfiguration>>>,
    #[cfg(feature = "openssl-tls")]
    openssl: Mutex<Option<::openssl::ssl::SslContext>>,
}

fn made_once<T: Clone, E>(
    made: &Mutex<Option<T>>,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    match &*made {
        Some(made) => Ok(made.clone()),
        None => Ok(made.insert(make()?).clone()),
    }
}

impl TlsClient {
    /// A client with counters of its own.
    #[must_use]
    pub fn new(identity: CertificateIdentity, server: ServerAuthentication) -> Self {
        Self::with_statistics(identity, server, Arc::default())
    }

    /// A client with the certificate chain and key in these PEM files, of servers whose certificates are signed by the
    /// authority in the third and have the name or address by which they are spoken to.
    ///
    /// # Errors
    /// When a file cannot be read or does not hold what it should.
    pub fn load(chain: &Path, key: &Path, authority: &Path) -> Result<Self, LoadError> {
        let server = ServerAuthentication {
            trust: TrustAnchors::load(authority)?,
            identity: PeerIdentity::Target,
        };
        Ok(Self::new(CertificateIdentity::load(chain, key)?, server))
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
            #[cfg(feature = "tls")]
            versions: TlsVersions::All,
            resumes: true,
            observation: None,
            made: Made::default(),
        }
    }

    /// The same without resumption: every session has a full handshake.
    #[must_use]
    pub fn without_resumption(self) -> Self {
        Self {
            resumes: false,
            made: Made::default(),
            ..self
        }
    }

    /// The same that takes note of what is found out about servers.
    #[must_use]
    pub fn observed_by(self, observation: Arc<Observation<TlsFacts>>) -> Self {
        Self {
            observation: Some(observation),
            made: Made::default(),
            ..self
        }
    }

    /// What takes note of what is found out about servers.
    #[must_use]
    pub const fn observation(&self) -> Option<&Arc<Observation<TlsFacts>>> {
        self.observation.as_ref()
    }

    /// Whether sessions are resumed if the server agrees.
    #[must_use]
    pub const fn resumes(&self) -> bool {
        self.resumes
    }

    /// The certificate that it shows.
    #[must_use]
    pub const fn identity(&self) -> &CertificateIdentity {
        &self.identity
    }

    /// How it authenticates its servers.
    #[must_use]
    pub const fn server(&self) -> &ServerAuthentication {
        &self.server
    }

    /// Where sessions are counted.
    #[must_use]
    pub const fn statistics(&self) -> &Arc<TlsStatistics> {
        &self.statistics
    }

    /// An error of a session, with what is wrong with our certificate if the peer refuses it.
    #[cfg(feature = "dtls")]
    pub(crate) fn explain(&self, error: SessionError) -> SessionError {
        match error.security_failure() {
            Some(failure) => {
                let failure = failure.clone();
                self.identity.explain(failure, UnixTime::now()).into()
            }
            None => error,
        }
    }

    /// What DTLS needs.
    #[cfg(feature = "dtls")]
    pub(crate) fn dtls(&self) -> Result<Arc<dtls::ClientConfiguration>, dtls::DtlsError> {
        made_once(&self.made.dtls, || {
            let statistics = Arc::clone(&self.statistics);
            let new = dtls::ClientConfiguration::new(&self.identity, statistics, self.resumes)?;
            Ok(Arc::new(new))
        })
    }

    /// What OpenSSL needs for TLS.
    #[cfg(feature = "openssl-tls")]
    pub(crate) fn openssl(
        &self,
    ) -> Result<::openssl::ssl::SslContext, ::openssl::error::ErrorStack> {
        made_once(&self.made.openssl, || {
            tls::openssl::client_context(&self.identity, self.versions)
        })
    }
}

#[cfg(feature = "tls")]
impl TlsClient {
    /// The same with these versions of TLS; DTLS has one alone.
    #[must_use]
    pub fn with_versions(self, versions: TlsVersions) -> Self {
        Self {
            versions,
            made: Made::default(),
            ..self
        }
    }

    pub(crate) const fn versions(&self) -> TlsVersions {
        self.versions
    }

    /// What TLS needs.
    pub(crate) fn tls(&self) -> io::Result<Arc<tls::ClientConfiguration>> {
        made_once(&self.made.tls, || {
            Ok(Arc::new(tls::ClientConfiguration::new(self)?))
        })
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
        let advised = tls::advise(&failure, certificate.as_ref());
        self.identity.explain(advised, UnixTime::now())
    }
}

/// A copy remembers no sessions of the original.
impl Clone for TlsClient {
    fn clone(&self) -> Self {
        Self {
            identity: self.identity.clone(),
            server: self.server.clone(),
            statistics: Arc::clone(&self.statistics),
            #[cfg(feature = "tls")]
            versions: self.versions,
            resumes: self.resumes,
            observation: self.observation.clone(),
            made: Made::default(),
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
