use std::io::{self, Read, Write};

use openssl::error::ErrorStack;
use openssl::ssl::{Error, ErrorCode, Ssl, SslRef, SslStream};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::transport::{SecurityFailure, SecurityFailureKind, SessionError};

/// Octets read at once.
const READ: usize = 16_384;
/// Octets that OpenSSL gets to work on in one turn.
const TURN: usize = 16_384;

/// A connection as OpenSSL reads and writes it: it never waits.
///
/// Left to itself, OpenSSL reads until there is something for the session, however much its peer sends beside that.
#[derive(Debug)]
struct Socket {
    connection: TcpStream,
    /// Octets that may be read in this turn.
    allowance: usize,
}

impl Socket {
    const fn new(connection: TcpStream) -> Self {
        Self {
            connection,
            allowance: 0,
        }
    }

    const fn begin_turn(&mut self) {
        self.allowance = TURN;
    }

    /// Waits for what has not been read, after others had their turn if this one was used up.
    async fn readable(&self) -> io::Result<()> {
        if self.allowance == 0 {
            tokio::task::yield_now().await;
        }
        self.connection.readable().await
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(self.allowance);
        let Some(buffer) = buffer.get_mut(..length).filter(|it| !it.is_empty()) else {
            return Err(io::ErrorKind::WouldBlock.into());
        };
        let read = self.connection.try_read(buffer)?;
        self.allowance -= read;
        Ok(read)
    }
}

impl Write for Socket {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.connection.try_write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One side of TLS on a connection, from the handshake on.
pub(super) struct OpensslConnection(SslStream<Socket>);

impl OpensslConnection {
    pub(super) fn new(ssl: Ssl, connection: TcpStream) -> Result<Self, ErrorStack> {
        SslStream::new(ssl, Socket::new(connection)).map(Self)
    }

    pub(super) fn ssl(&self) -> &SslRef {
        self.0.ssl()
    }

    /// Takes a server's handshake further.
    pub(super) fn accept(&mut self) -> Result<(), Error> {
        self.0.get_mut().begin_turn();
        self.0.accept()
    }

    /// Takes a client's handshake further.
    pub(super) fn connect(&mut self) -> Result<(), Error> {
        self.0.get_mut().begin_turn();
        self.0.connect()
    }

    /// Waits for what a handshake wants; returns the error if that is nothing of the connection.
    pub(super) async fn wanted(&self, error: Error) -> Result<io::Result<()>, Error> {
        match error.code() {
            ErrorCode::WANT_READ => Ok(self.readable().await),
            ErrorCode::WANT_WRITE => Ok(self.0.get_ref().connection.writable().await),
            _ => Err(error),
        }
    }

    /// Waits until something has arrived.
    pub(super) async fn readable(&self) -> io::Result<()> {
        self.0.get_ref().readable().await
    }

    /// Appends what has arrived, 0 octets at the end of the session; `None` if nothing has.
    pub(super) fn try_read(&mut self, input: &mut Vec<u8>) -> Result<Option<usize>, SessionError> {
        let before = input.len();
        input.resize(before + READ, 0);
        self.0.get_mut().begin_turn();
        let read = self.0.ssl_read(input.get_mut(before..).unwrap_or(&mut []));
        input.truncate(before + *read.as_ref().unwrap_or(&0));
        let error = match read {
            Ok(read) => return Ok(Some(read)),
            Err(error) if error.code() == ErrorCode::ZERO_RETURN => return Ok(Some(0)),
            Err(error) => error,
        };
        if input.is_empty() {
            // An idle session keeps no buffers.
            *input = Vec::new();
        }
        session_error(error).map_or(Ok(None), Err)
    }

    pub(super) async fn write_all(&mut self, mut output: &[u8]) -> Result<(), SessionError> {
        while !output.is_empty() {
            match self.0.ssl_write(output) {
                Ok(written) => output = output.get(written..).unwrap_or(&[]),
                Err(error) => match session_error(error) {
                    None => self.0.get_ref().connection.writable().await?,
                    Some(error) => return Err(error),
                },
            }
        }
        Ok(())
    }

    /// Ends the session and the connection.
    pub(super) async fn shutdown(&mut self) {
        let _ = self.0.shutdown();
        let _ = AsyncWriteExt::shutdown(&mut self.0.get_mut().connection).await;
    }
}

/// What an error of reading or writing means; `None` if it only is not the time for it.
fn session_error(error: Error) -> Option<SessionError> {
    match error.code() {
        ErrorCode::WANT_READ | ErrorCode::WANT_WRITE => None,
        _ => Some(match error.into_io_error() {
            Ok(error) => error.into(),
            Err(error) => {
                let explanation = format!("the peer has ended the session: {error}");
                SecurityFailure::new(SecurityFailureKind::RefusedByPeer, explanation).into()
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_peer_that_sends_without_end_is_not_read_beyond_a_turn() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut peer = TcpStream::connect(address).await.unwrap();
        let mut socket = Socket::new(listener.accept().await.unwrap().0);
        AsyncWriteExt::write_all(&mut peer, &vec![0; 3 * TURN])
            .await
            .unwrap();
        let mut read = 0;
        while read < 3 * TURN {
            socket.readable().await.unwrap();
            socket.begin_turn();
            let before = read;
            let mut buffer = [0; 1000];
            while let Ok(length) = socket.read(&mut buffer) {
                read += length;
            }
            assert!(read - before <= TURN);
        }
    }
}
