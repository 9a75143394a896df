use std::mem::swap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use openssl::error::ErrorStack;
use openssl::ssl::{ErrorCode, ShutdownState, Ssl, SslContextRef, SslRef, SslStream};
use rustls::pki_types::CertificateDer;
use varbind_engine::security::SecurityName;

use super::error::DtlsError;
use super::exchange::Exchange;
use super::identity::{self, PeerAuthentication, Verdict};
use super::system_library::{self, RestingStream, ResumableSession};
use crate::transport::certificate::CertificateError;

/// The largest content of a record (RFC 6347 section 4.1.1.1).
pub(crate) const LARGEST_RECORD: usize = 16_384;
/// What a record adds to its content with any cipher suite that is accepted: its header, the explicit nonce and the tag
/// of AES-GCM (RFC 5288 section 3).
pub(crate) const RECORD_OVERHEAD: usize = 13 + 8 + 16;

/// One DTLS association, without the socket: datagrams go in and out through an [`Exchange`].
#[derive(Debug)]
pub(super) struct Association {
    stream: RestingStream<Exchange>,
    verdict: Verdict,
}

/// How far a handshake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handshake {
    Unfinished,
    Finished,
}

/// What reading gave.
#[derive(Debug)]
pub(super) enum Read {
    /// A message of this length.
    Message(usize),
    /// Nothing, or nothing further.
    Nothing,
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
            stream: RestingStream::new(stream),
            verdict,
        })
    }

    /// Calls into OpenSSL with the octets of `exchange` at hand.
    fn inside<T>(
        &mut self,
        exchange: &mut Exchange,
        call: impl FnOnce(&mut SslStream<Exchange>) -> T,
    ) -> T {
        let stream = self.stream.awake();
        swap(stream.get_mut(), exchange);
        let result = call(stream);
        swap(stream.get_mut(), exchange);
        result
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
    /// resumed, as it is decided now.
    pub(super) fn identify(
        &self,
        authentication: &dyn PeerAuthentication,
    ) -> Result<SecurityName, CertificateError> {
        match self.verdict.take() {
            Some(decision) => decision,
            None => authentication.authenticate(&self.peer_chain()),
        }
    }

    /// The certificates of the peer (DER), its own first.
    fn peer_chain(&self) -> Vec<CertificateDer<'static>> {
        let ssl = self.stream.ssl();
        let own = ssl.peer_certificate();
        let own = own.and_then(|certificate| certificate.to_der().ok());
        let rest = ssl.peer_cert_chain().into_iter().flatten();
        let rest = rest.filter_map(|certificate| certificate.to_der().ok());
        // A server does not find the peer's own in the chain, a client does.
        let all = own.into_iter().chain(rest).map(CertificateDer::from);
        let mut chain: Vec<_> = all.collect();
        chain.dedup();
        chain
    }

    /// The next message of what waits in `exchange`.
    pub(super) fn read(
        &mut self,
        exchange: &mut Exchange,
        buffer: &mut [u8],
    ) -> Result<Read, DtlsError> {
        match self.inside(exchange, |stream| stream.ssl_read(buffer)) {
            Ok(length) => Ok(Read::Message(length)),
            Err(error) => match self.interpret(&error) {
                None => Ok(Read::Nothing),
                Some(error) => Err(error),
            },
        }
    }

    /// Writes a message into a record of its own (RFC 6353 section 5.1).
    pub(super) fn write(
        &mut self,
        exchange: &mut Exchange,
        message: &[u8],
    ) -> Result<(), DtlsError> {
        if message.len() > LARGEST_RECORD {
            return Err(DtlsError::MessageTooLong {
                length: message.len(),
                largest: LARGEST_RECORD,
            });
        }
        match self.inside(exchange, |stream| stream.ssl_write(message)) {
            Ok(_) => Ok(()),
            Err(error) => match self.interpret(&error) {
                None => Err(DtlsError::Protocol("the handshake is unfinished".into())),
                Some(error) => Err(error),
            },
        }
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

    /// Writes a close_notify (RFC 6353 section 5.4).
    pub(super) fn close(&mut self, exchange: &mut Exchange) {
        let _ = self.inside(exchange, SslStream::shutdown);
        // An association that ends without these would take its session with it, which could not be resumed any more.
        self.stream
            .awake()
            .set_shutdown(ShutdownState::SENT | ShutdownState::RECEIVED);
    }

    /// Ends without a word to a peer that is not there any more, but keeps the session to be resumed.
    pub(super) fn forget(&mut self) {
        self.stream
            .awake()
            .set_shutdown(ShutdownState::SENT | ShutdownState::RECEIVED);
    }

    /// Gives back what an idle association does not need.
    pub(super) fn rest(&mut self) {
        self.stream.rest();
    }

    /// What the handshake waits for, in the words of OpenSSL.
    pub(super) fn state(&self) -> &'static str {
        self.stream.ssl().state_string_long()
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
