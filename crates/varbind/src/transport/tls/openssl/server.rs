use std::sync::Arc;

use openssl::error::ErrorStack;
use openssl::ssl::{Error, NameType, Ssl, SslRef};
use rustls::pki_types::{CertificateDer, UnixTime};
use tokio::net::TcpStream;
use tokio::time::timeout;
use varbind_engine::security::SecurityName;
use varbind_engine::transport::{SecureTransport, TransportState};

use super::connection::OpensslConnection;
use super::security_level;
use crate::transport::certificate::{ClientAuthentication, TlsStatistics};
use crate::transport::dtls::verify_by;
use crate::transport::session::{Admission, Session, SessionService, SessionStream, Work};
use crate::transport::tls::TlsConfiguration;
use crate::transport::tls::server::Current;
use crate::transport::{SessionError, Transport, next_session_id};

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
        Ok(Ok((connection, name))) => {
            admission.authenticate();
            let state = TransportState::new(
                SecureTransport::Tls,
                name,
                security_level(connection.ssl()),
                next_session_id(),
            );
            let stream = OpensslStream {
                connection,
                state: Box::new(state),
                statistics: Arc::clone(&current.statistics),
                accepted_by: current.generation,
                configuration,
                has_received: false,
                has_ended: false,
            };
            drop(current);
            Session::new(Transport::Tls, stream, Arc::new(admission))
                .run()
                .await;
        }
        Ok(Err(reason)) => admission.log_refusal(Transport::Tls, &format!("refused: {reason}")),
        Err(_) => {
            admission.log_refusal(Transport::Tls, &"refused: the handshake took too long");
        }
    }
}

async fn handshake<S: SessionService>(
    current: &Current,
    socket: TcpStream,
    admission: &Admission<S>,
) -> Result<(OpensslConnection, SecurityName), String> {
    let told = |error: ErrorStack| error.to_string();
    let context = current.openssl.as_ref().ok_or("OpenSSL is not used")?;
    let mut ssl = Ssl::new(context).map_err(told)?;
    let clients = Arc::<ClientAuthentication>::clone(&current.clients);
    let verdict = verify_by(&mut ssl, clients);
    let mut connection = OpensslConnection::new(ssl, socket).map_err(told)?;
    let mut work = Work::Handshake;
    let mut readiness = connection.readable().await;
    loop {
        readiness.map_err(|error| error.to_string())?;
        let step = || connection.accept();
        let Err(error) = admission.shake_hands(work, step).await else {
            break;
        };
        work = Work::HandshakeEnd;
        readiness = match connection.wanted(error).await {
            Ok(readiness) => readiness,
            Err(error) => {
                if let Some(Err(refusal)) = verdict.take() {
                    current.statistics.invalid_client_certificates.increment();
                    return Err(refusal.to_string());
                }
                return Err(openssl_message(error));
            }
        };
    }
    match verdict.take() {
        Some(Ok(name)) => Ok((connection, name)),
        Some(Err(refusal)) => Err(refusal.to_string()),
        None => Err("it has shown no certificate in this session".to_owned()),
    }
}

fn openssl_message(error: Error) -> String {
    match error.into_io_error() {
        Ok(error) => error.to_string(),
        Err(error) => error.to_string(),
    }
}

/// A session that was accepted.
struct OpensslStream {
    connection: OpensslConnection,
    state: Box<TransportState>,
    statistics: Arc<TlsStatistics>,
    configuration: TlsConfiguration,
    /// The generation of the configuration by which the client was accepted last.
    accepted_by: u64,
    has_received: bool,
    has_ended: bool,
}

impl OpensslStream {
    /// Authenticates the client's certificates again if the configuration has changed.
    fn reauthenticate(&mut self) -> Result<(), SessionError> {
        let ssl = self.connection.ssl();
        let identify = |current: &Current| {
            let clients = &current.clients;
            clients.security_name(&client_chain(ssl), UnixTime::now())
        };
        self.configuration
            .reauthenticate(&mut self.accepted_by, &self.state, identify)
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
    async fn read_some(&mut self, input: &mut Vec<u8>) -> Result<usize, SessionError> {
        loop {
            if let Some(read) = self.try_read(input)? {
                return Ok(read);
            }
            self.connection.readable().await?;
        }
    }

    fn try_read(&mut self, input: &mut Vec<u8>) -> Result<Option<usize>, SessionError> {
        let read = self.connection.try_read(input)?;
        match read {
            Some(0) => self.has_ended = true,
            Some(_) => {
                self.reauthenticate()?;
                if !self.has_received {
                    self.has_received = true;
                    self.statistics.accepts.increment();
                }
            }
            None => {}
        }
        Ok(read)
    }

    async fn write_all(&mut self, output: &[u8]) -> Result<(), SessionError> {
        let written = self.connection.write_all(output).await;
        written.inspect_err(|_| self.statistics.no_sessions.increment())
    }

    async fn shutdown(&mut self) {
        self.connection.shutdown().await;
        // Counted when the peer can know of it.
        if !self.has_ended {
            self.statistics.server_closes.increment();
        }
    }

    fn transport_state(&self) -> Option<&TransportState> {
        Some(&self.state)
    }

    fn server_name(&self) -> Option<&str> {
        self.connection.ssl().servername(NameType::HOST_NAME)
    }
}
