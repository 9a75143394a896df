use std::fmt;
use std::io::{self, Read};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::net::{SendFlags, send};
use rustls::HandshakeKind;

use super::Opening;
use super::framing::Framing;
#[cfg(feature = "openssl-tls")]
use super::openssl::OpensslConnection;
use super::tcp::{WRITE_TIMEOUT, connect};
use super::{PeerSocket, Wait, boxed, is_transient, wait_for};
use crate::transport::TransportAddress;
use crate::transport::certificate::TlsClient;
use crate::transport::tls::{Arrival, ClientSide, RecordError};

/// A TLS session and what has arrived of it but not been taken (RFC 6353).
pub(super) struct TlsConnection {
    socket: TcpStream,
    side: ClientSide,
    framing: Framing,
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
        let side = ClientSide::new(client, &target.host)?;
        let mut tls = Self {
            socket: connect(remote, timeout)?,
            side,
            framing: Framing::default(),
            has_ended: false,
            handshake_time: Duration::ZERO,
        };
        let begun = Instant::now();
        let result = tls.handshake(deadline);
        tls.side.note_negotiated(client);
        if result.is_err() {
            // Nobody is to wait for a session that there is not.
            tls.has_ended = true;
        }
        tls.handshake_time = begun.elapsed();
        result.map(|()| tls)
    }

    fn handshake(&mut self, deadline: Instant) -> io::Result<()> {
        let mut first = Vec::new();
        let mut plaintext = Vec::new();
        let began = self.side.records.begin();
        began.map_err(|error| self.side.handshake_failure(error, &first))?;
        loop {
            self.flush(self.side.records.state().is_handshaking())?;
            if !self.side.records.state().is_handshaking() {
                self.side.records.keep_plaintext(plaintext);
                return Ok(());
            }
            let patience = deadline.saturating_duration_since(Instant::now());
            if wait_for(self.socket.as_fd(), PollFlags::IN, patience)? == Wait::TimedOut
                && Instant::now() >= deadline
            {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let Self { socket, side, .. } = self;
            let read = side.records.read(
                |room| {
                    let read = socket.read(room)?;
                    ClientSide::keep_first(&mut first, room.get(..read).unwrap_or(&[]));
                    Ok(read)
                },
                &mut plaintext,
            );
            match read {
                Ok(Arrival::Octets(_)) => {}
                Ok(Arrival::End { .. }) => return Err(self.side.ended(&first)),
                Err(RecordError::Io(error)) if is_transient(&error) => {}
                Err(error) => {
                    let failure = self.side.handshake_failure(error, &first);
                    // The alert that says why.
                    let _ = self.flush(true);
                    return Err(failure);
                }
            }
        }
    }

    /// Sends what is to be sent; what `is_last` is not may wait a moment for more.
    fn flush(&mut self, is_last: bool) -> io::Result<()> {
        let flags = if is_last {
            SendFlags::NOSIGNAL
        } else {
            SendFlags::NOSIGNAL | SendFlags::MORE
        };
        while !self.side.records.outgoing().is_empty() {
            match send(&self.socket, self.side.records.outgoing(), flags).map_err(io::Error::from) {
                Ok(sent) => self.side.records.note_sent(sent),
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

impl PeerSocket for TlsConnection {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        if self.has_ended {
            self.side.statistics.no_sessions.increment();
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if let Err(error) = self.side.records.write(message) {
            return Err(self.side.handshake_failure(error, &[]));
        }
        self.flush(true).map_err(|error| {
            let Self { socket, side, .. } = self;
            side.write_failure(error, |room| socket.read(room))
        })
    }

    fn receive<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<Option<&'b [u8]>> {
        let Self {
            socket,
            side,
            framing,
            has_ended,
            ..
        } = self;
        let received = framing.receive(buffer, |arrived| {
            loop {
                match side.records.read(|room| socket.read(room), arrived) {
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
                        return Err(side.failure(&error));
                    }
                }
            }
        });
        // Of the protocol itself, as the answer to an update of keys.
        if !self.side.records.outgoing().is_empty() {
            let flags = SendFlags::NOSIGNAL;
            if let Ok(sent) = send(&self.socket, self.side.records.outgoing(), flags) {
                self.side.records.note_sent(sent);
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
            is_resumed: self.side.records.state().handshake_kind() == Some(HandshakeKind::Resumed),
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
        self.side.statistics.client_closes.increment();
        self.side.records.close();
        // Together with the end of the connection, in one segment.
        let flags = SendFlags::NOSIGNAL | SendFlags::MORE;
        let _ = send(&self.socket, self.side.records.outgoing(), flags);
    }
}

impl fmt::Debug for TlsConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsConnection")
            .field("socket", &self.socket)
            .finish_non_exhaustive()
    }
}
