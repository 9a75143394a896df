use std::mem::swap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use openssl::error::ErrorStack;
use openssl::ssl::{
    ErrorCode, NameType, ShutdownState, Ssl, SslCipherRef, SslContextRef, SslRef, SslStream,
};
use rustls::pki_types::CertificateDer;
use varbind_engine::security::SecurityName;

use super::error::DtlsError;
use super::exchange::Exchange;
use super::identity::{self, PeerAuthentication, Verdict};
use super::record::Record;
use super::resumption::ResumableSessions;
use super::system_library::{self, ResumableSession};
use crate::transport::certificate::CertificateError;
use crate::transport::message_size::DTLS_RECORD;

/// An association, without the socket: datagrams go in and out through an [`Exchange`].
pub(super) struct Association {
    stream: SslStream<Exchange>,
    verdict: Verdict,
    /// How many more records of the next epoch OpenSSL may keep until the handshake is finished.
    early_records: usize,
}

/// Records of the next epoch that a peer may send before the end of the handshake: its Finished, which it may repeat, and its
/// first messages. OpenSSL keeps a whole read buffer for each, and up to a hundred.
const EARLY_RECORDS: usize = 16;

/// How far a handshake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handshake {
    Unfinished,
    Finished,
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
        let heard = association.inside(exchange, system_library::listen)??;
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
            early_records: EARLY_RECORDS,
        })
    }

    /// Calls into OpenSSL with the octets of `exchange`.
    fn inside<T>(
        &mut self,
        exchange: &mut Exchange,
        call: impl FnOnce(&mut SslStream<Exchange>) -> T,
    ) -> Result<T, ErrorStack> {
        // What an error means can only be found out when none was there before (SSL_get_error(3)).
        drop(ErrorStack::get());
        system_library::allocate_buffers(&mut self.stream)?;
        swap(self.stream.get_mut(), exchange);
        let result = call(&mut self.stream);
        swap(self.stream.get_mut(), exchange);
        Ok(result)
    }

    /// Takes the handshake further, with a datagram if one waits in `exchange`.
    pub(super) fn shake_hands(&mut self, exchange: &mut Exchange) -> Result<Handshake, DtlsError> {
        self.limit_early_records(exchange);
        match self.inside(exchange, SslStream::do_handshake)? {
            Ok(()) => Ok(Handshake::Finished),
            Err(error) => match self.interpret(&error) {
                None => Ok(Handshake::Unfinished),
                Some(error) => Err(error),
            },
        }
    }

    /// Cuts off records of the next epoch when there have been too many.
    fn limit_early_records(&mut self, exchange: &mut Exchange) {
        let mut length = 0;
        for record in Record::all(exchange.waiting()) {
            if record.epoch > 0 {
                let Some(left) = self.early_records.checked_sub(1) else {
                    break;
                };
                self.early_records = left;
            }
            length += record.length();
        }
        exchange.truncate_waiting(length);
    }

    /// The length of the next message, which is put into `buffer`; `None` if none waits in `exchange`. What cannot be read is
    /// passed over: it may be from anyone (RFC 6347 section 4.1.2.7). The end of our handshake is sent again if the peer
    /// repeats its own, and another handshake is refused.
    pub(super) fn read(
        &mut self,
        exchange: &mut Exchange,
        buffer: &mut [u8; DTLS_RECORD],
    ) -> Result<Option<usize>, DtlsError> {
        loop {
            match self.inside(exchange, |stream| stream.ssl_read(buffer))? {
                // A record without content.
                Ok(0) => {}
                Ok(length) => return Ok(Some(length)),
                Err(error) => return self.interpret(&error).map_or(Ok(None), Err),
            }
        }
    }

    /// Writes a message into a record of its own (RFC 6353 section 5.1).
    pub(super) fn write(
        &mut self,
        exchange: &mut Exchange,
        message: &[u8],
    ) -> Result<(), DtlsError> {
        if message.len() > DTLS_RECORD {
            return Err(DtlsError::MessageTooLong {
                length: message.len(),
                largest: DTLS_RECORD,
            });
        }
        match self.inside(exchange, |stream| stream.ssl_write(message))? {
            Ok(_) => Ok(()),
            Err(error) => Err(self.interpret(&error).unwrap_or(DtlsError::Closed)),
        }
    }

    /// Gives back the buffers of records, of 17 kB each; the next record gets others.
    pub(super) fn release_buffers(&mut self) {
        system_library::release_buffers(&mut self.stream);
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
            (None, Some(sessions)) => authentication.authenticate(&self.client_chain(sessions)),
            (None, None) => authentication.authenticate(&self.sent_chain()),
        }
    }

    /// The certificates of a client (DER), its own first. Those behind it are among the `sessions` if this one was resumed.
    fn client_chain(&self, sessions: &ResumableSessions) -> Vec<CertificateDer<'static>> {
        let ssl = self.stream.ssl();
        let own = ssl.peer_certificate();
        let own = own.and_then(|certificate| certificate.to_der().ok());
        let own = own.into_iter().map(CertificateDer::from);
        let rest = match ssl.session_reused() {
            true => ssl.session().map(|session| sessions.chain(session.id())),
            false => Some(self.sent_chain()),
        };
        own.chain(rest.unwrap_or_default()).collect()
    }

    /// Who a client is by other rules than before.
    pub(super) fn identify_again(
        &self,
        authentication: &dyn PeerAuthentication,
        sessions: &ResumableSessions,
    ) -> Result<SecurityName, CertificateError> {
        authentication.authenticate(&self.client_chain(sessions))
    }

    /// The certificates that the peer has sent (DER): of a server its own first, of a client without its own.
    fn sent_chain(&self) -> Vec<CertificateDer<'static>> {
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
        Ok(self.inside(exchange, system_library::retransmit)??)
    }

    /// Writes a close_notify (RFC 6353 section 5.4).
    pub(super) fn close(&mut self, exchange: &mut Exchange) {
        let _ = self.inside(exchange, SslStream::shutdown);
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

    /// The name by which a client asked for this server, if its context keeps such names.
    pub(super) fn server_name(&self) -> Option<&str> {
        self.stream.ssl().servername(NameType::HOST_NAME)
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

impl Drop for Association {
    fn drop(&mut self) {
        // An SSL that ends without these would take its session with it, which could not be resumed any more.
        let both = ShutdownState::SENT | ShutdownState::RECEIVED;
        self.stream.set_shutdown(both);
    }
}

impl std::fmt::Debug for Association {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Association").finish_non_exhaustive()
    }
}
