use std::io::{self, Read, Write};
use std::sync::Arc;

use openssl::error::ErrorStack;
use openssl::ssl::{Error, ErrorCode, Ssl, SslRef, SslStream};
use rustls::pki_types::{CertificateDer, UnixTime};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use varbind_engine::security::SecurityName;
use varbind_engine::transport::{SecureTransport, TransportState};

use super::{io_error, security_level};
use crate::transport::certificate::{ClientAuthentication, TlsStatistics};
use crate::transport::dtls::verify_by;
use crate::transport::session::{Admission, Session, SessionService, SessionStream, Work};
use crate::transport::tls::TlsConfiguration;
use crate::transport::tls::server::Current;
use crate::transport::{Transport, next_session_id};

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

/// Serves a connection from its handshake to its end.
pub(in crate::transport::tls) async fn serve<S: SessionService>(
    configuration: TlsConfiguration,
    current: Arc<Current>,
    socket: TcpStream,
    admission: Admission<S>,
) {
    let limits = admission.limits();
    let handshake = handshake(&current, socket, &admission);
    let accepted = timeout(limits.handshake_time, Box::pin(handshake)).await;
    match accepted {
        Ok(Ok((stream, name))) => {
            admission.authenticate();
            let state = TransportState::new(
                SecureTransport::Tls,
                name,
                security_level(stream.ssl()),
                next_session_id(),
            );
            let stream = OpensslStream {
                stream,
                state: Box::new(state),
                statistics: Arc::clone(&current.statistics),
                judged_by: current.generation,
                configuration,
                has_received: false,
                has_ended: false,
            };
            drop(current);
            Session::new(Transport::Tls, stream, Arc::new(admission))
                .run()
                .await;
        }
        Ok(Err(reason)) => admission.tell_refusal(Transport::Tls, &format!("refused: {reason}")),
        Err(_) => {
            admission.tell_refusal(Transport::Tls, &"refused: the handshake took too long");
        }
    }
}

async fn handshake<S: SessionService>(
    current: &Current,
    socket: TcpStream,
    admission: &Admission<S>,
) -> Result<(SslStream<Socket>, SecurityName), String> {
    let told = |error: ErrorStack| error.to_string();
    let context = current.openssl.as_ref().ok_or("OpenSSL is not used")?;
    let mut ssl = Ssl::new(context).map_err(told)?;
    let clients = Arc::<ClientAuthentication>::clone(&current.clients);
    let verdict = verify_by(&mut ssl, clients);
    let mut stream = SslStream::new(ssl, Socket::new(socket)).map_err(told)?;
    let mut work = Work::Handshake;
    let mut readiness = stream.get_ref().readable().await;
    loop {
        readiness.map_err(|error| error.to_string())?;
        let step = || {
            stream.get_mut().begin_turn();
            stream.accept()
        };
        let Err(error) = admission.shake_hands(work, step).await else {
            break;
        };
        work = Work::HandshakeEnd;
        readiness = match error.code() {
            ErrorCode::WANT_READ => stream.get_ref().readable().await,
            ErrorCode::WANT_WRITE => stream.get_ref().connection.writable().await,
            _ => {
                if let Some(Err(refusal)) = verdict.take() {
                    current.statistics.invalid_client_certificates.increment();
                    return Err(refusal.to_string());
                }
                return Err(told_by_openssl(error));
            }
        };
    }
    match verdict.take() {
        Some(Ok(name)) => Ok((stream, name)),
        Some(Err(refusal)) => Err(refusal.to_string()),
        None => Err("it has shown no certificate in this session".to_owned()),
    }
}

fn told_by_openssl(error: Error) -> String {
    match error.into_io_error() {
        Ok(error) => error.to_string(),
        Err(error) => error.to_string(),
    }
}

/// A session that was accepted.
struct OpensslStream {
    stream: SslStream<Socket>,
    state: Box<TransportState>,
    statistics: Arc<TlsStatistics>,
    configuration: TlsConfiguration,
    /// The generation of the configuration by which the client was accepted last.
    judged_by: u64,
    has_received: bool,
    has_ended: bool,
}

impl OpensslStream {
    /// Judges the client's certificates by the configuration that holds now, if it is another one than before.
    fn judge_anew(&mut self) -> io::Result<()> {
        let ssl = self.stream.ssl();
        let identify = |current: &Current| {
            let clients = &current.clients;
            clients.security_name(&client_chain(ssl), UnixTime::now())
        };
        self.configuration
            .judge_anew(&mut self.judged_by, &self.state, identify)
    }
}

/// The certificates of a client (DER), its own first.
fn client_chain(ssl: &SslRef) -> Vec<CertificateDer<'static>> {
    let own = ssl.peer_certificate().and_then(|own| own.to_der().ok());
    // To a server, it gives those that came behind.
    let others = ssl.peer_cert_chain().into_iter().flatten();
    let others = others.filter_map(|certificate| certificate.to_der().ok());
    own.into_iter()
        .chain(others)
        .map(CertificateDer::from)
        .collect()
}

impl SessionStream for OpensslStream {
    async fn read_some(&mut self, input: &mut Vec<u8>) -> io::Result<usize> {
        loop {
            if let Some(read) = self.try_read(input)? {
                return Ok(read);
            }
            self.stream.get_ref().readable().await?;
        }
    }

    fn try_read(&mut self, input: &mut Vec<u8>) -> io::Result<Option<usize>> {
        let before = input.len();
        input.resize(before + READ, 0);
        self.stream.get_mut().begin_turn();
        let read = self
            .stream
            .ssl_read(input.get_mut(before..).unwrap_or(&mut []));
        input.truncate(before + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(read) => {
                self.judge_anew()?;
                if !self.has_received {
                    self.has_received = true;
                    self.statistics.accepts.increment();
                }
                Ok(Some(read))
            }
            Err(error) if error.code() == ErrorCode::ZERO_RETURN => {
                self.has_ended = true;
                Ok(Some(0))
            }
            Err(error) => match io_error(error) {
                None => {
                    // An idle session keeps no buffers.
                    if input.is_empty() {
                        *input = Vec::new();
                    }
                    Ok(None)
                }
                Some(error) => Err(error),
            },
        }
    }

    async fn write_all(&mut self, output: &[u8]) -> io::Result<()> {
        let mut rest = output;
        while !rest.is_empty() {
            match self.stream.ssl_write(rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or(&[]),
                Err(error) => match io_error(error) {
                    None => self.stream.get_ref().connection.writable().await?,
                    Some(error) => {
                        self.statistics.no_sessions.increment();
                        return Err(error);
                    }
                },
            }
        }
        Ok(())
    }

    async fn shutdown(&mut self) {
        let _ = self.stream.shutdown();
        let _ = AsyncWriteExt::shutdown(&mut self.stream.get_mut().connection).await;
        // Counted when the peer can know of it.
        if !self.has_ended {
            self.statistics.server_closes.increment();
        }
    }

    fn transport_state(&self) -> Option<&TransportState> {
        Some(&self.state)
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
