use std::fmt;
use std::io::{self, Read};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::net::{SendFlags, send};
use rustls::{HandshakeKind, ProtocolVersion};
use varbind_engine::applications::command_generator::{SecurityFailure, SecurityFailureKind};

use super::Opening;
use super::framing::Framing;
#[cfg(feature = "openssl-tls")]
use super::openssl::OpensslConnection;
use super::tcp::{WRITE_TIMEOUT, connect};
use super::{PeerSocket, Wait, boxed, is_transient, wait_for};
use crate::transport::certificate::{TlsClient, TlsFacts, TlsStatistics};
use crate::transport::tls::{
    Arrival, ClientRecords, RecordError, Side, TlsVersions, advise, handshake_failure,
};
use crate::transport::{Observation, TransportAddress};

/// A TLS session and what has arrived of it but not been taken (RFC 6353).
pub(super) struct TlsConnection {
    socket: TcpStream,
    records: ClientRecords,
    framing: Framing,
    versions: TlsVersions,
    statistics: Arc<TlsStatistics>,
    /// Whether the peer has ended it.
    has_ended: bool,
    handshake_time: Duration,
}

/// A session by the library that speaks the client's versions.
pub(super) fn open(
    target: &TransportAddress,
    remote: SocketAddr,
    timeout: Duration,
    client: &TlsClient,
) -> io::Result<Box<dyn PeerSocket>> {
    #[cfg(feature = "openssl-tls")]
    if client.versions().need_openssl() {
        return OpensslConnection::open(target, remote, timeout, client).map(boxed);
    }
    TlsConnection::open(target, remote, timeout, client).map(boxed)
}

impl TlsConnection {
    /// Opens a session (openSession, RFC 6353 section 5.3.1). The last of the handshake may wait for the first request, so
    /// that both leave together.
    fn open(
        target: &TransportAddress,
        remote: SocketAddr,
        timeout: Duration,
        client: &TlsClient,
    ) -> io::Result<Self> {
        let statistics = client.statistics();
        statistics.opens.increment();
        Self::try_open(target, remote, timeout, client)
            .inspect_err(|_| statistics.open_errors.increment())
    }

    fn try_open(
        target: &TransportAddress,
        remote: SocketAddr,
        timeout: Duration,
        client: &TlsClient,
    ) -> io::Result<Self> {
        let deadline = Instant::now() + timeout;
        let connection = client.tls()?.connection(&target.host)?;
        let mut tls = Self {
            socket: connect(remote, timeout)?,
            records: ClientRecords::new(connection),
            framing: Framing::default(),
            versions: client.versions(),
            statistics: Arc::clone(client.statistics()),
            has_ended: false,
            handshake_time: Duration::ZERO,
        };
        let begun = Instant::now();
        let result = tls.handshake(deadline);
        Observation::note(client.observation().map(Arc::as_ref), |facts| {
            tls.tell_negotiated(facts);
        });
        if result.is_err() {
            // Nobody is to wait for a session that there is not.
            tls.has_ended = true;
        }
        tls.handshake_time = begun.elapsed();
        result.map(|()| tls)
    }

    /// What the two sides have agreed upon so far.
    fn tell_negotiated(&self, facts: &mut TlsFacts) {
        let state = self.records.state();
        facts.version = match state.protocol_version() {
            Some(ProtocolVersion::TLSv1_3) => Some("TLS 1.3"),
            Some(ProtocolVersion::TLSv1_2) => Some("TLS 1.2"),
            _ => None,
        };
        // The library writes TLS13 for TLS, where a suite is of that version.
        facts.cipher_suite = state
            .negotiated_cipher_suite()
            .map(|it| format!("{:?}", it.suite()).replacen("TLS13", "TLS", 1));
        facts.key_exchange = state
            .negotiated_key_exchange_group()
            .map(|group| format!("{:?}", group.name()));
        facts.is_resumed = state
            .handshake_kind()
            .map(|kind| kind == HandshakeKind::Resumed);
    }

    fn handshake(&mut self, deadline: Instant) -> io::Result<()> {
        let mut first = Vec::new();
        let mut plaintext = Vec::new();
        let began = self.records.begin();
        began.map_err(|error| self.failure(error, &first))?;
        loop {
            self.flush(self.records.state().is_handshaking())?;
            if !self.records.state().is_handshaking() {
                self.records.keep_plaintext(plaintext);
                return Ok(());
            }
            let patience = deadline.saturating_duration_since(Instant::now());
            if wait_for(self.socket.as_fd(), PollFlags::IN, patience)? == Wait::TimedOut
                && Instant::now() >= deadline
            {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let Self {
                socket, records, ..
            } = self;
            let read = records.read(
                |room| {
                    let read = socket.read(room)?;
                    let missing = FIRST.saturating_sub(first.len());
                    first.extend(room.iter().take(read.min(missing)));
                    Ok(read)
                },
                &mut plaintext,
            );
            match read {
                Ok(Arrival::Octets(_)) => {}
                Ok(Arrival::End { .. }) => return Err(self.ended(&first)),
                Err(RecordError::Io(error)) if is_transient(&error) => {}
                Err(error) => {
                    let failure = self.failure(error, &first);
                    // The alert that says why.
                    let _ = self.flush(true);
                    return Err(failure);
                }
            }
        }
    }

    /// The peer has ended the connection during the handshake without a word.
    fn ended(&self, first: &[u8]) -> io::Error {
        let explanation = if first.is_empty() {
            format!(
                "the peer has closed the connection without an answer to TLS: it speaks something else at this port, does not \
                 speak {}, or is overloaded",
                self.versions
            )
        } else {
            "the peer has closed the connection in the middle of the handshake: its log may say why"
                .to_owned()
        };
        io::Error::other(SecurityFailure::new(
            SecurityFailureKind::ProtocolError,
            explanation,
        ))
    }

    fn failure(&self, error: RecordError, first: &[u8]) -> io::Error {
        let error = match error {
            RecordError::Io(error) => return error,
            RecordError::Tls(error) => error,
        };
        let (failure, certificate) = handshake_failure(&error, Side::Client, self.versions, first);
        let statistics = &self.statistics;
        match &certificate {
            Some(error) if error.is_unknown() => statistics.unknown_server_certificates.increment(),
            Some(_) => statistics.invalid_server_certificates.increment(),
            None if matches!(error, rustls::Error::InvalidCertificate(_)) => {
                statistics.invalid_server_certificates.increment();
            }
            None => {}
        }
        io::Error::other(advise(&failure, certificate.as_ref()))
    }

    /// The peer does not take what is sent: it may have said why before.
    fn last_words(&mut self, error: io::Error) -> io::Error {
        let Self {
            socket, records, ..
        } = self;
        match records.read(|room| socket.read(room), &mut Vec::new()) {
            Err(RecordError::Tls(error)) => self.failure(RecordError::Tls(error), &[]),
            _ => error,
        }
    }

    /// Sends what is to be sent; what `is_last` is not may wait a moment for more.
    fn flush(&mut self, is_last: bool) -> io::Result<()> {
        let flags = if is_last {
            SendFlags::NOSIGNAL
        } else {
            SendFlags::NOSIGNAL | SendFlags::MORE
        };
        while !self.records.outgoing().is_empty() {
            match send(&self.socket, self.records.outgoing(), flags).map_err(io::Error::from) {
                Ok(sent) => self.records.note_sent(sent),
                Err(error) if is_transient(&error) => {
                    let wait = wait_for(self.socket.as_fd(), PollFlags::OUT, WRITE_TIMEOUT)?;
                    if wait == Wait::TimedOut {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// As much of what came first as is needed to say what the peer speaks.
const FIRST: usize = 16;

impl PeerSocket for TlsConnection {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        if self.has_ended {
            self.statistics.no_sessions.increment();
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if let Err(error) = self.records.write(message) {
            return Err(self.failure(error, &[]));
        }
        self.flush(true).map_err(|error| self.last_words(error))
    }

    fn receive<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<Option<&'b [u8]>> {
        let Self {
            socket,
            records,
            framing,
            has_ended,
            versions,
            ..
        } = self;
        let received = framing.receive(buffer, |arrived| {
            loop {
                match records.read(|room| socket.read(room), arrived) {
                    // Something that is not of the session: more may be there.
                    Ok(Arrival::Octets(0)) => {}
                    Ok(Arrival::Octets(octets)) => return Ok(Some(octets)),
                    Ok(Arrival::End { .. }) => {
                        *has_ended = true;
                        return Ok(Some(0));
                    }
                    Err(RecordError::Io(error)) if is_transient(&error) => return Ok(None),
                    Err(RecordError::Io(error)) => return Err(error),
                    Err(RecordError::Tls(error)) => {
                        *has_ended = true;
                        let (failure, _) = handshake_failure(&error, Side::Client, *versions, &[]);
                        return Err(io::Error::other(failure));
                    }
                }
            }
        });
        // Of the protocol itself, as the answer to an update of keys.
        if !self.records.outgoing().is_empty() {
            let flags = SendFlags::NOSIGNAL;
            if let Ok(sent) = send(&self.socket, self.records.outgoing(), flags) {
                self.records.note_sent(sent);
            }
        }
        received
    }

    fn is_ready(&self) -> bool {
        self.framing.has_message()
    }

    fn opening(&self) -> Opening {
        Opening {
            handshake: Some(self.handshake_time),
            is_resumed: self.records.state().handshake_kind() == Some(HandshakeKind::Resumed),
            ..Opening::default()
        }
    }

    fn file(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    fn local(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }
}

impl Drop for TlsConnection {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        self.statistics.client_closes.increment();
        self.records.close();
        // Together with the end of the connection, in one segment.
        let flags = SendFlags::NOSIGNAL | SendFlags::MORE;
        let _ = send(&self.socket, self.records.outgoing(), flags);
    }
}

impl fmt::Debug for TlsConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsConnection")
            .field("socket", &self.socket)
            .finish_non_exhaustive()
    }
}
