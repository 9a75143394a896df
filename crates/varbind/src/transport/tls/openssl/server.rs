use std::io::{self, Read, Write};
use std::sync::Arc;

use openssl::ssl::{Error, ErrorCode, Ssl, SslContext, SslStream};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use varbind_engine::security::SecurityName;
use varbind_engine::transport::{SecureTransport, TransportState};

use super::{io_error, security_level};
use crate::transport::certificate::{ClientAuthentication, TlsStatistics};
use crate::transport::dtls::verify_by;
use crate::transport::session::{Admission, Session, SessionService, SessionStream};
use crate::transport::{Transport, next_session_id};

/// Octets read at once.
const READ: usize = 16_384;

/// A connection as OpenSSL reads and writes it: it never waits.
#[derive(Debug)]
struct Socket(TcpStream);

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(buffer)
    }
}

impl Write for Socket {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0.try_write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Serves a connection from its handshake to its end.
pub(in crate::transport::tls) async fn serve<S: SessionService>(
    context: SslContext,
    clients: Arc<ClientAuthentication>,
    statistics: Arc<TlsStatistics>,
    socket: TcpStream,
    admission: Admission<S>,
) {
    let limits = admission.limits();
    let handshake = handshake(&context, clients, &statistics, socket);
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
                statistics,
                has_received: false,
                has_ended: false,
            };
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

async fn handshake(
    context: &SslContext,
    clients: Arc<ClientAuthentication>,
    statistics: &TlsStatistics,
    socket: TcpStream,
) -> Result<(SslStream<Socket>, SecurityName), String> {
    let told = |error: openssl::error::ErrorStack| error.to_string();
    let mut ssl = Ssl::new(context).map_err(told)?;
    let verdict = verify_by(&mut ssl, clients);
    let mut stream = SslStream::new(ssl, Socket(socket)).map_err(told)?;
    while let Err(error) = stream.accept() {
        let readiness = match error.code() {
            ErrorCode::WANT_READ => stream.get_ref().0.readable().await,
            ErrorCode::WANT_WRITE => stream.get_ref().0.writable().await,
            _ => {
                if let Some(Err(refusal)) = verdict.take() {
                    statistics.invalid_client_certificates.increment();
                    return Err(refusal.to_string());
                }
                return Err(told_by_openssl(error));
            }
        };
        readiness.map_err(|error| error.to_string())?;
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
    has_received: bool,
    has_ended: bool,
}

impl SessionStream for OpensslStream {
    async fn read_some(&mut self, input: &mut Vec<u8>) -> io::Result<usize> {
        loop {
            if let Some(read) = self.try_read(input)? {
                return Ok(read);
            }
            self.stream.get_ref().0.readable().await?;
        }
    }

    fn try_read(&mut self, input: &mut Vec<u8>) -> io::Result<Option<usize>> {
        let before = input.len();
        input.resize(before + READ, 0);
        let read = self
            .stream
            .ssl_read(input.get_mut(before..).unwrap_or(&mut []));
        input.truncate(before + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(read) => {
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
                    None => self.stream.get_ref().0.writable().await?,
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
        if !self.has_ended {
            self.statistics.server_closes.increment();
        }
        let _ = self.stream.shutdown();
        let _ = AsyncWriteExt::shutdown(&mut self.stream.get_mut().0).await;
    }

    fn transport_state(&self) -> Option<&TransportState> {
        Some(&self.state)
    }
}
