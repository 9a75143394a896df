use std::mem::swap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use openssl::error::ErrorStack;
use openssl::ssl::{ErrorCode, ShutdownState, Ssl, SslCipherRef, SslContextRef, SslRef, SslStream};
use rustls::pki_types::CertificateDer;
use varbind_engine::security::SecurityName;
use zeroize::Zeroizing;

use super::error::DtlsError;
use super::exchange::Exchange;
use super::identity::{self, PeerAuthentication, Verdict};
use super::protection::{Agreement, Protection};
use super::record::{ContentType, Record};
use super::server::ResumableSessions;
use super::system_library::{self, ResumableSession};
use crate::transport::certificate::CertificateError;

/// A handshake, without the socket: datagrams go in and out through an [`Exchange`].
pub(super) struct Association {
    stream: SslStream<Exchange>,
    verdict: Verdict,
    /// One more than the highest sequence number that was sent with the new keys.
    next_sequence: u64,
    /// Datagrams with messages that came before the end of the handshake. OpenSSL's copies of them are never read.
    early: Vec<Vec<u8>>,
    /// The datagrams that were sent last with the new keys.
    last_flight: Vec<Vec<u8>>,
}

/// How far a handshake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handshake {
    Unfinished,
    Finished,
}

/// An association whose handshake is finished.
pub(super) struct Established {
    pub(super) protection: Protection,
    /// Datagrams with messages that came along with the end of the handshake.
    pub(super) early: Vec<Vec<u8>>,
}

impl Association {
    /// The beginning of the server's side: takes the ClientHello that waits in `exchange`, the cookie of which was
    /// checked. `None` if OpenSSL does not accept it.
    pub(super) fn accept(
        context: &SslContextRef,
        authentication: Arc<dyn PeerAuthentication>,
        datagram_size: usize,
        exchange: &mut Exchange,
    ) -> Result<Option<Self>, DtlsError> {
        let mut association = Self::new(context, authentication, datagram_size, |ssl| {
            ssl.set_accept_state();
            Ok(())
        })?;
        let heard = association.inside(exchange, system_library::listen)?;
        Ok(heard.then_some(association))
    }

    /// The beginning of the client's side, with a session to be resumed if there is one.
    pub(super) fn connect(
        context: &SslContextRef,
        authentication: Arc<dyn PeerAuthentication>,
        datagram_size: usize,
        session: Option<&ResumableSession>,
        server_name: Option<&str>,
    ) -> Result<Self, DtlsError> {
        Ok(Self::new(context, authentication, datagram_size, |ssl| {
            ssl.set_connect_state();
            if let Some(name) = server_name {
                ssl.set_hostname(name)?;
            }
            match session {
                Some(session) => session.resume_in(ssl),
                None => Ok(()),
            }
        })?)
    }

    fn new(
        context: &SslContextRef,
        authentication: Arc<dyn PeerAuthentication>,
        datagram_size: usize,
        set_up: impl FnOnce(&mut SslRef) -> Result<(), ErrorStack>,
    ) -> Result<Self, ErrorStack> {
        let mut ssl = Ssl::new(context)?;
        let verdict = identity::verify_by(&mut ssl, authentication);
        ssl.set_mtu(u32::try_from(datagram_size).unwrap_or(u32::MAX))?;
        set_up(&mut ssl)?;
        let mut stream = SslStream::new(ssl, Exchange::default())?;
        system_library::set_retransmission_times(&mut stream);
        Ok(Self {
            stream,
            verdict,
            next_sequence: 0,
            early: Vec::new(),
            last_flight: Vec::new(),
        })
    }

    /// Calls into OpenSSL with the octets of `exchange` at hand.
    fn inside<T>(
        &mut self,
        exchange: &mut Exchange,
        call: impl FnOnce(&mut SslStream<Exchange>) -> T,
    ) -> T {
        let before = exchange.count();
        self.note_arrived(exchange);
        swap(self.stream.get_mut(), exchange);
        let result = call(&mut self.stream);
        swap(self.stream.get_mut(), exchange);
        self.note_departing(exchange, before);
        result
    }

    /// Keeps what arrives too early, so that it is checked and read after the handshake.
    fn note_arrived(&mut self, exchange: &Exchange) {
        /// More do not come along with the end of a handshake.
        const MOST: usize = 8;
        let is_early = Record::all(exchange.waiting())
            .any(|record| record.epoch > 0 && record.content_type == ContentType::ApplicationData);
        if is_early && self.early.len() < MOST {
            self.early.push(exchange.waiting().to_vec());
        }
    }

    /// Takes note of what is sent with the new keys.
    fn note_departing(&mut self, exchange: &Exchange, before: usize) {
        let datagrams = || {
            let ranges = exchange.datagrams(before);
            ranges.filter_map(|range| exchange.departing().get(range))
        };
        let protected = datagrams()
            .flat_map(Record::all)
            .filter(|record| record.epoch == 1);
        if let Some(highest) = protected.map(|record| record.sequence()).max() {
            self.next_sequence = self.next_sequence.max(highest + 1);
            self.last_flight = datagrams().map(<[u8]>::to_vec).collect();
        }
    }

    /// Takes the handshake further, with a datagram if one waits in `exchange`.
    pub(super) fn shake_hands(&mut self, exchange: &mut Exchange) -> Result<Handshake, DtlsError> {
        match self.inside(exchange, SslStream::do_handshake) {
            Ok(()) => Ok(Handshake::Finished),
            Err(error) => match self.interpret(&error) {
                None => Ok(Handshake::Unfinished),
                Some(error) => Err(error),
            },
        }
    }

    /// What an error of OpenSSL means; nothing, if it only waits for more.
    fn interpret(&self, error: &openssl::ssl::Error) -> Option<DtlsError> {
        match error.code() {
            ErrorCode::WANT_READ | ErrorCode::WANT_WRITE => None,
            ErrorCode::ZERO_RETURN => Some(DtlsError::Closed),
            _ => Some(match error.ssl_error() {
                // Why a peer was refused is known better here.
                Some(stack) => match self.verdict.take() {
                    Some(Err(refusal)) => DtlsError::PeerRefused(refusal),
                    _ => DtlsError::from_stack(stack),
                },
                None => DtlsError::Protocol("the library gives no reason".to_owned()),
            }),
        }
    }

    /// Who the peer is, when the handshake is finished: as was decided in the handshake, or, of a session that was
    /// resumed, as it is decided now. A server has what the client sent then in its `sessions`.
    pub(super) fn identify(
        &self,
        authentication: &dyn PeerAuthentication,
        sessions: Option<&ResumableSessions>,
    ) -> Result<SecurityName, CertificateError> {
        match (self.verdict.take(), sessions) {
            (Some(decision), _) => decision,
            (None, Some(sessions)) => authentication.authenticate(&self.resumed_chain(sessions)),
            (None, None) => authentication.authenticate(&self.server_chain()),
        }
    }

    /// The certificates of a client that resumes a session (DER), its own first.
    fn resumed_chain(&self, sessions: &ResumableSessions) -> Vec<CertificateDer<'static>> {
        let ssl = self.stream.ssl();
        let own = ssl.peer_certificate();
        let own = own.and_then(|certificate| certificate.to_der().ok());
        let rest = ssl.session().map(|session| sessions.chain(session.id()));
        let own = own.into_iter().map(CertificateDer::from);
        own.chain(rest.unwrap_or_default()).collect()
    }

    /// The certificates of a server whose session is resumed (DER), its own first.
    fn server_chain(&self) -> Vec<CertificateDer<'static>> {
        let chain = self.stream.ssl().peer_cert_chain().into_iter().flatten();
        let chain = chain.filter_map(|certificate| certificate.to_der().ok());
        chain.map(CertificateDer::from).collect()
    }

    /// When the last flight is to be sent again, if it is.
    pub(super) fn retransmission(&self, now: Instant) -> Option<Instant> {
        now.checked_add(self.retransmission_time()?)
    }

    /// In what time the last flight is to be sent again, if it is.
    pub(super) fn retransmission_time(&self) -> Option<Duration> {
        system_library::retransmission_time(self.stream.ssl())
    }

    /// Sends the last flight again, if its time has come.
    pub(super) fn retransmit(&mut self, exchange: &mut Exchange) -> Result<(), DtlsError> {
        Ok(self.inside(exchange, system_library::retransmit)?)
    }

    /// Writes a close_notify, in place of what would follow the handshake.
    pub(super) fn close(&mut self, exchange: &mut Exchange) {
        let _ = self.inside(exchange, SslStream::shutdown);
    }

    /// Gives the keys of a finished handshake over to the protection of what follows it.
    pub(super) fn establish(mut self) -> Result<Established, DtlsError> {
        // An SSL that ends without these would take its session with it, which could not be resumed any more.
        let both = ShutdownState::SENT | ShutdownState::RECEIVED;
        self.stream.set_shutdown(both);
        let ssl = self.stream.ssl();
        let is_server = ssl.is_server();
        let agreement = Agreement {
            cipher_suite: ssl
                .current_cipher()
                .map_or([0; 2], SslCipherRef::protocol_id),
            master_secret: octets(|room| ssl.session().map_or(0, |it| it.master_key(room)))?,
            client_random: *octets(|room| ssl.client_random(room))?,
            server_random: *octets(|room| ssl.server_random(room))?,
            is_server,
            next_sequence: self.next_sequence,
            // Who speaks last is the server, but the client when a session is resumed.
            last_flight: match is_server == ssl.session_reused() {
                true => Vec::new(),
                false => self.last_flight,
            },
        };
        Ok(Established {
            protection: Protection::new(agreement)?,
            early: self.early,
        })
    }

    /// What the handshake waits for, in the words of OpenSSL.
    pub(super) fn state(&self) -> &'static str {
        self.stream.ssl().state_string_long()
    }

    /// The cipher suite that was agreed upon, by its name in the registry of IANA.
    pub(super) fn cipher_suite(&self) -> String {
        let cipher = self.stream.ssl().current_cipher();
        let suite = cipher.map_or([0; 2], SslCipherRef::protocol_id);
        rustls::CipherSuite::from(u16::from_be_bytes(suite))
            .as_str()
            .map_or_else(|| format!("{suite:02x?}"), str::to_owned)
    }

    /// Whether a session was resumed.
    pub(super) fn is_resumed(&self) -> bool {
        self.stream.ssl().session_reused()
    }

    /// The session, to be resumed by a later association.
    pub(super) fn session(&self) -> Option<ResumableSession> {
        ResumableSession::of(self.stream.ssl())
    }
}

/// As many octets as OpenSSL has to fill.
fn octets<const N: usize>(
    fill: impl FnOnce(&mut [u8]) -> usize,
) -> Result<Zeroizing<[u8; N]>, DtlsError> {
    let mut room = Zeroizing::new([0; N]);
    match fill(&mut room[..]) {
        length if length == N => Ok(room),
        _ => Err(DtlsError::Protocol("the handshake left no keys".to_owned())),
    }
}
