use std::io;
use std::time::Duration;

use rustls::HandshakeKind;
use socket2::SockRef;
use tokio::net::TcpStream;
use varbind_engine::transport::TransportState;

use super::client_side::ClientSide;
use super::records::{Arrival, RecordError};
use super::stream::flush;
use crate::transport::SessionError;
use crate::transport::certificate::TlsClient;
use crate::transport::session::SessionStream;

/// A TLS session that a client has opened (RFC 6353).
pub(crate) struct ClientTlsStream {
    socket: TcpStream,
    side: ClientSide,
    /// Whether the peer has ended it, or it failed.
    has_ended: bool,
}

/// The peer is given no more time than this to take a close_notify.
const CLOSING: Duration = Duration::from_millis(100);

impl ClientTlsStream {
    /// Opens a session with the server of this name over a connection (openSession, RFC 6353 section 5.3.1).
    pub(crate) async fn open(
        socket: TcpStream,
        host: &str,
        client: &TlsClient,
    ) -> Result<Self, SessionError> {
        let statistics = client.statistics();
        statistics.opens.increment();
        let opened = Self::open_uncounted(socket, host, client).await;
        opened.inspect_err(|_| statistics.open_errors.increment())
    }

    async fn open_uncounted(
        socket: TcpStream,
        host: &str,
        client: &TlsClient,
    ) -> Result<Self, SessionError> {
        let mut stream = Self {
            socket,
            side: ClientSide::new(client, host)?,
            // There is none to be closed until the handshake is done.
            has_ended: true,
        };
        let result = stream.handshake().await;
        stream.side.note_negotiated(client);
        result?;
        stream.has_ended = false;
        Ok(stream)
    }

    /// Whether it is resumed.
    pub(crate) fn is_resumed(&self) -> bool {
        self.side.records.state().handshake_kind() == Some(HandshakeKind::Resumed)
    }

    async fn handshake(&mut self) -> Result<(), SessionError> {
        let Self { socket, side, .. } = self;
        let mut first = Vec::new();
        let mut plaintext = Vec::new();
        let began = side.records.begin();
        began.map_err(|error| side.handshake_failure(error, &first))?;
        loop {
            if !side.records.state().is_handshaking() {
                side.records.keep_plaintext(plaintext);
                // The last of the handshake leaves together with the first request, if that comes soon.
                let flags = libc::MSG_MORE | libc::MSG_NOSIGNAL;
                let outgoing = side.records.outgoing();
                if let Ok(sent) = SockRef::from(&*socket).send_with_flags(outgoing, flags) {
                    side.records.note_sent(sent);
                }
                return Ok(());
            }
            flush(socket, &mut side.records).await?;
            socket.readable().await?;
            let read = side.records.read(
                |room| {
                    let read = TcpStream::try_read(socket, room)?;
                    ClientSide::keep_first(&mut first, room.get(..read).unwrap_or(&[]));
                    Ok(read)
                },
                &mut plaintext,
            );
            match read {
                Ok(Arrival::Octets(_)) => {}
                Ok(Arrival::End { .. }) => return Err(side.ended(&first)),
                Err(RecordError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => {
                    let failure = side.handshake_failure(error, &first);
                    // The alert that says why.
                    let _ = flush(socket, &mut side.records).await;
                    return Err(failure);
                }
            }
        }
    }
}

impl SessionStream for ClientTlsStream {
    async fn read_some(&mut self, input: &mut Vec<u8>) -> Result<usize, SessionError> {
        loop {
            if let Some(read) = self.try_read(input)? {
                return Ok(read);
            }
            // Of the protocol itself, as the answer to an update of keys.
            flush(&self.socket, &mut self.side.records).await?;
            self.socket.readable().await?;
        }
    }

    fn try_read(&mut self, input: &mut Vec<u8>) -> Result<Option<usize>, SessionError> {
        let Self { socket, side, .. } = self;
        match side
            .records
            .read(|room| TcpStream::try_read(socket, room), input)
        {
            Ok(Arrival::Octets(0)) => Ok(None),
            Ok(Arrival::Octets(octets)) => Ok(Some(octets)),
            Ok(Arrival::End { .. }) => {
                self.has_ended = true;
                Ok(Some(0))
            }
            Err(RecordError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(RecordError::Io(error)) => Err(error.into()),
            Err(RecordError::Tls(error)) => {
                self.has_ended = true;
                Err(side.failure(&error))
            }
        }
    }

    async fn write_all(&mut self, output: &[u8]) -> Result<(), SessionError> {
        if self.has_ended {
            self.side.statistics.no_sessions.increment();
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if let Err(error) = self.side.records.write(output) {
            return Err(self.side.handshake_failure(error, &[]));
        }
        match flush(&self.socket, &mut self.side.records).await {
            Ok(()) => Ok(()),
            Err(error) => {
                let Self { socket, side, .. } = self;
                Err(side.write_failure(error, |room| TcpStream::try_read(socket, room)))
            }
        }
    }

    async fn shutdown(&mut self) {
        if self.has_ended {
            return;
        }
        self.has_ended = true;
        self.side.statistics.client_closes.increment();
        self.side.records.close();
        let _ = tokio::time::timeout(CLOSING, flush(&self.socket, &mut self.side.records)).await;
    }

    fn transport_state(&self) -> Option<&TransportState> {
        None
    }
}
