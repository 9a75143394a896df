//! The client's side of a handshake of DTLS 1.2 (RFC 6347, RFC 5246, RFC 8422, RFC 7627), without a socket and without
//! OpenSSL: loading that takes a command that asks for one value twice as long as everything else it does.
//!
//! There is one version, ephemeral key exchange, AEADs, and nothing to be negotiated later. Cryptography is aws-lc's, and
//! whether a certificate is accepted is decided where it is for TLS.

mod flight;
mod messages;
mod octets;
mod reassembly;
mod secrets;
mod state;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::KeyLog;
use rustls::pki_types::CertificateDer;
use rustls::sign::CertifiedKey;
use varbind_engine::security::SecurityName;

use super::super::error::{Alert, DtlsError};
use super::super::exchange::Exchange;
use super::super::identity::PeerAuthentication;
use super::super::protection::{Established, Protection};
use super::super::record::{ContentType, Record};
use flight::{Flight, write_alert};
use messages::{CLIENT_HELLO, ClientHello, FINISHED, HELLO_VERIFY_REQUEST, cookie};
use octets::Reader;
use reassembly::{Fragment, Message, Reassembly};
use secrets::MasterSecret;
use state::{Agreed, State};

/// How long a flight waits for an answer before it is sent again: a second at first (RFC 6347 section 4.2.4.1), and twice
/// as long each time, but no longer than this: a handshake takes no longer than a few of them.
const FIRST_INTERVAL: Duration = Duration::from_secs(1);
const LONGEST_INTERVAL: Duration = Duration::from_secs(4);
/// HelloVerifyRequests that are answered.
const MOST_COOKIES: u16 = 8;
/// Datagrams with messages that are kept until the handshake is finished.
const MOST_EARLY: usize = 8;

/// How far a handshake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Unfinished,
    Finished,
}

/// What a handshake begins with.
pub(super) struct Beginning<'a> {
    pub(super) identity: Arc<CertifiedKey>,
    /// Is told the secrets of the session.
    pub(super) key_log: &'a dyn KeyLog,
    pub(super) authentication: Arc<dyn PeerAuthentication>,
    /// The largest datagram, in octets.
    pub(super) datagram: usize,
    /// The name of the server that is asked for (SNI).
    pub(super) server_name: Option<&'a str>,
    pub(super) session: Option<ResumableSession>,
}

/// A session that a later handshake may resume (RFC 5246 section 7.3).
#[derive(Clone)]
pub(super) struct ResumableSession(Arc<Agreed>);

/// A handshake of a client: datagrams go in and out through an [`Exchange`].
pub(super) struct ClientHandshake<'a> {
    beginning: Beginning<'a>,
    random: [u8; 32],
    cookie: Vec<u8>,
    /// All handshake messages so far, as they are hashed.
    transcript: Vec<u8>,
    reassembly: Reassembly,
    /// The number of our next message.
    next_message: u16,
    /// The number of our next record before the new keys.
    next_record: u64,
    flight: Flight,
    /// What protects records, as soon as there are keys.
    protection: Option<Protection>,
    state: State,
    /// Datagrams with messages that came before the end of the handshake.
    early: Vec<Vec<u8>>,
    interval: Duration,
    resend_at: Option<Instant>,
}

/// Why a handshake fails, and what the peer is told.
struct Failure {
    alert: Option<u8>,
    error: DtlsError,
}

impl Failure {
    fn telling(alert: u8, error: DtlsError) -> Self {
        Self {
            alert: Some(alert),
            error,
        }
    }

    fn protocol(alert: u8, what: &str) -> Self {
        Self::telling(alert, DtlsError::Protocol(what.to_owned()))
    }
}

impl<'a> ClientHandshake<'a> {
    /// # Errors
    /// When there are no random octets.
    pub(super) fn new(beginning: Beginning<'a>) -> Result<Self, DtlsError> {
        let mut random = [0; 32];
        aws_lc_rs::rand::fill(&mut random)
            .map_err(|_| DtlsError::Protocol("there are no random octets".to_owned()))?;
        Ok(Self {
            beginning,
            random,
            cookie: Vec::new(),
            transcript: Vec::new(),
            reassembly: Reassembly::default(),
            next_message: 0,
            next_record: 0,
            flight: Flight::default(),
            protection: None,
            state: State::Unsent,
            early: Vec::new(),
            interval: FIRST_INTERVAL,
            resend_at: None,
        })
    }

    /// Takes the handshake further, with a datagram if one waits in `exchange`.
    ///
    /// # Errors
    /// When it has failed; then an alert may be in `exchange`.
    pub(super) fn shake_hands(&mut self, exchange: &mut Exchange) -> Result<Progress, DtlsError> {
        if matches!(self.state, State::Unsent) {
            self.say_hello(exchange);
        }
        let datagram = exchange.waiting().to_vec();
        exchange.withdraw();
        for record in Record::all(&datagram) {
            if let Err(failure) = self.take_record(&record, &datagram, exchange) {
                if let Some(alert) = failure.alert {
                    self.tell(alert, exchange);
                }
                self.state = State::Failed;
                self.resend_at = None;
                return Err(failure.error);
            }
        }
        Ok(match self.state {
            State::Over(_) => Progress::Finished,
            _ => Progress::Unfinished,
        })
    }

    fn say_hello(&mut self, exchange: &mut Exchange) {
        let session = self.beginning.session.as_ref();
        let hello = ClientHello {
            random: &self.random,
            session_id: session.map_or(&[], |session| &session.0.session_id),
            server_name: self.beginning.server_name,
        };
        let body = hello.body(&self.cookie);
        // What came before a cookie is not hashed (RFC 6347 section 4.2.1).
        self.transcript.clear();
        let message = self.message(CLIENT_HELLO, body);
        self.send(
            Flight {
                messages: vec![message],
                finished: None,
            },
            exchange,
        );
        self.state = State::ServerHello;
    }

    /// One more message of ours.
    fn message(&mut self, kind: u8, body: Vec<u8>) -> Message {
        let message = Message {
            kind,
            sequence: self.next_message,
            body,
        };
        self.next_message += 1;
        self.transcript.extend(message.octets());
        message
    }

    fn send(&mut self, flight: Flight, exchange: &mut Exchange) {
        self.flight = flight;
        self.interval = FIRST_INTERVAL;
        self.write_flight(exchange);
    }

    fn write_flight(&mut self, exchange: &mut Exchange) {
        self.flight.write(
            exchange,
            self.beginning.datagram,
            &mut self.next_record,
            self.protection.as_mut(),
        );
        self.resend_at = Instant::now().checked_add(self.interval);
    }

    fn tell(&mut self, alert: u8, exchange: &mut Exchange) {
        match &mut self.protection {
            // From our ChangeCipherSpec on.
            Some(protection) if self.flight.finished.is_some() => {
                protection.send_alert(exchange, Alert(alert));
            }
            _ => write_alert(exchange, &mut self.next_record, alert),
        }
    }

    fn take_record(
        &mut self,
        record: &Record<'_>,
        datagram: &[u8],
        exchange: &mut Exchange,
    ) -> Result<(), Failure> {
        let mut content = Vec::new();
        let content = match (&mut self.protection, record.epoch) {
            (_, 0) => record.fragment(),
            (Some(_), 1) if record.content_type == ContentType::ApplicationData => {
                // It is read when the handshake is finished.
                if self.early.len() < MOST_EARLY
                    && self.early.last().is_none_or(|it| it != datagram)
                {
                    self.early.push(datagram.to_vec());
                }
                return Ok(());
            }
            (Some(protection), 1) => {
                if !protection.open_record(record, &mut content) {
                    return Ok(());
                }
                &content
            }
            // It may be from anyone (RFC 6347 section 4.1.2.7).
            _ => return Ok(()),
        };
        match record.content_type {
            ContentType::Handshake => self.take_fragments(content, record.epoch, exchange),
            ContentType::Alert => heed(content),
            ContentType::ChangeCipherSpec | ContentType::ApplicationData => Ok(()),
        }
    }

    fn take_fragments(
        &mut self,
        content: &[u8],
        epoch: u16,
        exchange: &mut Exchange,
    ) -> Result<(), Failure> {
        let mut reader = Reader::new(content);
        while let Some(fragment) = Fragment::read(&mut reader) {
            if fragment.kind == HELLO_VERIFY_REQUEST {
                self.verify(&fragment, exchange);
            } else if (fragment.kind == FINISHED) == (epoch == 1) {
                // Only Finished is protected, and it always is.
                self.reassembly.add(&fragment);
            }
        }
        while let Some(message) = self.reassembly.take() {
            self.take_message(&message, exchange)?;
        }
        Ok(())
    }

    /// Says hello again, with the cookie that the server asks for.
    fn verify(&mut self, request: &Fragment<'_>, exchange: &mut Exchange) {
        let cookie = request.whole().and_then(cookie);
        let is_awaited =
            matches!(self.state, State::ServerHello) && self.next_message < MOST_COOKIES;
        if let Some(cookie) = cookie.filter(|&cookie| is_awaited && cookie != self.cookie) {
            self.cookie = cookie.to_vec();
            self.reassembly.skip(request.sequence);
            self.say_hello(exchange);
        }
    }

    /// In what time the last flight is to be sent again, if it is.
    pub(super) fn retransmission_time(&self) -> Option<Duration> {
        let at = self.resend_at?;
        Some(at.saturating_duration_since(Instant::now()))
    }

    /// Sends the last flight again, if its time has come.
    pub(super) fn retransmit(&mut self, exchange: &mut Exchange) {
        if self
            .retransmission_time()
            .is_some_and(|time| time.is_zero())
        {
            self.interval = (self.interval * 2).min(LONGEST_INTERVAL);
            self.write_flight(exchange);
        }
    }

    /// What the handshake waits for.
    pub(super) const fn state(&self) -> &'static str {
        self.state.awaited()
    }

    /// What a finished handshake has come to.
    ///
    /// # Errors
    /// When it is not finished.
    pub(super) fn establish(self) -> Result<Outcome, DtlsError> {
        match (self.state, self.protection) {
            (State::Over(agreed), Some(protection)) => Ok(Outcome {
                agreed: Arc::new(*agreed),
                established: Established {
                    protection,
                    early: self.early,
                },
            }),
            _ => Err(DtlsError::Protocol(
                "the handshake is not finished".to_owned(),
            )),
        }
    }
}

/// What an alert of the server means.
fn heed(alert: &[u8]) -> Result<(), Failure> {
    const WARNING: u8 = 1;
    const CLOSE_NOTIFY: u8 = 0;
    let error = match *alert {
        [_, CLOSE_NOTIFY] => DtlsError::Closed,
        [level, description] if level != WARNING => DtlsError::AlertReceived(Alert(description)),
        _ => return Ok(()),
    };
    Err(Failure { alert: None, error })
}

/// A finished handshake.
pub(super) struct Outcome {
    agreed: Arc<Agreed>,
    pub(super) established: Established,
}

impl Outcome {
    /// Who the server is.
    pub(super) fn peer(&self) -> &SecurityName {
        &self.agreed.peer.name
    }

    /// Whether a session was resumed.
    pub(super) fn is_resumed(&self) -> bool {
        self.agreed.is_resumed
    }

    /// The cipher suite that was agreed upon, by its name in the registry of IANA.
    pub(super) fn cipher_suite(&self) -> String {
        let number = self.agreed.suite.number;
        rustls::CipherSuite::from(number)
            .as_str()
            .map_or_else(|| format!("{number:04x}"), str::to_owned)
    }

    /// The session, to be resumed later; `None` if the server does not resume any.
    pub(super) fn session(&self) -> Option<ResumableSession> {
        let is_kept = !self.agreed.session_id.is_empty();
        is_kept.then(|| ResumableSession(Arc::clone(&self.agreed)))
    }
}

/// A server that has shown its certificates.
struct Server {
    chain: Vec<CertificateDer<'static>>,
    name: SecurityName,
}
