//! The side that connects: one socket, with a port of its own, for each session (RFC 6353 section 5.1).

mod link;

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use openssl::ssl::SslContext;

use super::context;
use super::error::DtlsError;
use super::exchange::Exchange;
use super::identity::{ExpectedServer, PeerAuthentication};
use super::system_library::ResumableSession;
use crate::transport::Observation;
use crate::transport::certificate::{CertificateIdentity, TlsClient, TlsFacts, TlsStatistics};
use crate::transport::message_size::DTLS_DATAGRAM;
use crate::transport::message_size::DTLS_RECORD;
use link::{Link, flush, is_refused};

/// Sessions kept to be resumed.
const RESUMABLE: usize = 1024;
/// How long nothing may come back before it is taken that the peer has lost the association; doubled each time that a
/// new one has not helped.
const FIRST_DOUBT: Duration = Duration::from_secs(2);
const LAST_DOUBT: Duration = Duration::from_secs(60);
/// How often an association is looked at that was given up, for answers that come late.
const FORMER_INTERVAL: Duration = Duration::from_millis(20);

/// Who a client is, and the sessions that it may resume.
pub(crate) struct ClientConfiguration {
    context: SslContext,
    statistics: Arc<TlsStatistics>,
    /// `None` for nothing to be resumed.
    sessions: Option<Mutex<HashMap<SocketAddr, ResumableSession>>>,
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
        })
    }

    fn sessions(&self) -> Option<MutexGuard<'_, HashMap<SocketAddr, ResumableSession>>> {
        let sessions = self.sessions.as_ref()?;
        Some(sessions.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn resumable(&self, remote: SocketAddr) -> Option<ResumableSession> {
        self.sessions()?.get(&remote).cloned()
    }

    fn keep(&self, remote: SocketAddr, session: Option<ResumableSession>) {
        let Some(mut sessions) = self.sessions() else {
            return;
        };
        match session {
            Some(session) if sessions.len() < RESUMABLE || sessions.contains_key(&remote) => {
                sessions.insert(remote, session);
            }
            Some(_) => {}
            None => {
                sessions.remove(&remote);
            }
        }
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
    /// What is known by the name or address `host`, at one of its addresses.
    ///
    /// # Errors
    /// When OpenSSL does not accept the certificate or the key.
    pub(crate) fn new(
        client: &TlsClient,
        host: &str,
        remote: SocketAddr,
        timeout: Duration,
    ) -> io::Result<Self> {
        // RFC 6066 section 3: an address is no name of a server.
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

/// A session with a peer, and what it takes to open it anew.
pub(crate) struct DtlsClient {
    target: DtlsTarget,
    link: Link,
    /// The association before, from which answers may still come.
    former: Option<Link>,
    exchange: Exchange,
    datagram: Vec<u8>,
    message: Box<[u8; DTLS_RECORD]>,
    silence: Silence,
}

/// What is known of a peer that does not answer.
#[derive(Debug)]
struct Silence {
    /// Since when nothing has come back.
    since: Option<Instant>,
    /// How long that may be.
    doubt: Duration,
}

impl DtlsClient {
    /// Opens a session: a handshake, resumed if that is possible.
    ///
    /// # Errors
    /// When there is no session in the time that the target gives.
    pub(crate) fn open(target: DtlsTarget) -> Result<Self, DtlsError> {
        let mut exchange = Exchange::default();
        let mut datagram = Vec::new();
        Ok(Self {
            link: Link::open(&target, &mut exchange, &mut datagram)?,
            target,
            former: None,
            exchange,
            datagram,
            message: Box::new([0; DTLS_RECORD]),
            silence: Silence {
                since: None,
                doubt: FIRST_DOUBT,
            },
        })
    }

    #[cfg(test)]
    pub(super) const fn peer(&self) -> &varbind_engine::security::SecurityName {
        &self.link.peer
    }

    /// Whether a former session was resumed.
    pub(crate) fn is_resumed(&self) -> bool {
        self.link.is_resumed
    }

    /// How long the handshake took.
    pub(crate) const fn handshake_time(&self) -> Duration {
        self.link.handshake_time
    }

    /// Sends one message. When the association is over, or nothing has come back for too long, another is opened first:
    /// a peer that has restarted cannot say that it does not know the association.
    ///
    /// # Errors
    /// When it cannot be sent.
    pub(crate) fn send(&mut self, message: &[u8]) -> Result<(), DtlsError> {
        let now = Instant::now();
        let is_doubtful = self.silence.is_too_long(now);
        if self.link.is_over || is_doubtful {
            self.reconnect()?;
            if is_doubtful {
                self.silence.doubt = (self.silence.doubt * 2).min(LAST_DOUBT);
            }
            self.silence.since = None;
        }
        self.silence.since.get_or_insert(now);
        self.link.association.write(&mut self.exchange, message)?;
        let sent = flush(&self.link.socket, &mut self.exchange);
        if sent.as_ref().is_err_and(is_refused) {
            self.link.is_over = true;
        }
        Ok(sent?)
    }

    fn reconnect(&mut self) -> Result<(), DtlsError> {
        let link = Link::open(&self.target, &mut self.exchange, &mut self.datagram)?;
        log::debug!("dtls:{}: a new session", self.target.remote);
        let former = std::mem::replace(&mut self.link, link);
        self.former = (!former.is_over).then_some(former);
        Ok(())
    }

    /// The next message that is there, and what there is to do when the [`patience`](Self::patience) is over.
    ///
    /// # Errors
    /// When the socket reports one.
    pub(crate) fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, DtlsError> {
        let Self {
            exchange,
            datagram,
            message,
            ..
        } = self;
        // A datagram that was not read to its end is the current association's.
        for link in [Some(&mut self.link), self.former.as_mut()]
            .into_iter()
            .flatten()
        {
            let Some(length) = link.receive(exchange, datagram, message)? else {
                if link.is_over && link.is_resumed && !link.has_heard {
                    // The server did not like what was resumed: the next session begins anew.
                    self.target.configuration.keep(self.target.remote, None);
                }
                continue;
            };
            link.has_heard = true;
            self.silence.since = None;
            self.silence.doubt = FIRST_DOUBT;
            let places = (buffer.get_mut(..length), message.get(..length));
            let (Some(room), Some(message)) = places else {
                log::debug!("a message of {length} octets is too long");
                continue;
            };
            room.copy_from_slice(message);
            return Ok(Some(length));
        }
        Ok(None)
    }

    /// How long may be waited for the [`file`](Self::file) before [`receive`](Self::receive) is called all the same.
    pub(crate) fn patience(&self) -> Option<Duration> {
        self.former.as_ref().map(|_| FORMER_INTERVAL)
    }

    /// Is readable when something has come.
    pub(crate) fn file(&self) -> BorrowedFd<'_> {
        self.link.socket.as_fd()
    }

    /// The address from which the peer is sent to.
    ///
    /// # Errors
    /// As `getsockname(2)`.
    pub(crate) fn local(&self) -> io::Result<SocketAddr> {
        self.link.socket.local_addr()
    }
}

impl Silence {
    fn is_too_long(&self, now: Instant) -> bool {
        self.since
            .is_some_and(|since| now.saturating_duration_since(since) >= self.doubt)
    }
}

impl Drop for DtlsClient {
    fn drop(&mut self) {
        for link in self.former.as_mut().into_iter().chain([&mut self.link]) {
            if !link.is_over {
                link.association.close(&mut self.exchange);
                let _ = flush(&link.socket, &mut self.exchange);
                let statistics = &self.target.configuration.statistics;
                statistics.client_closes.increment();
            }
        }
    }
}

impl fmt::Debug for DtlsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DtlsClient")
            .field("remote", &self.target.remote)
            .field("peer", &self.link.peer)
            .field("is_resumed", &self.is_resumed())
            .finish_non_exhaustive()
    }
}
