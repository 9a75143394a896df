use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::UnixTime;
use rustls::server::UnbufferedServerConnection;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use varbind_engine::security::{SecurityLevel, SecurityName};
use varbind_engine::transport::{SecureTransport, TransportState};

use super::TlsConfiguration;
use super::failure::{Side, handshake_failure};
use super::records::{Arrival, RecordError, Records};
use super::server::Current;
use super::server_name::ServerName;
use super::stream::{TlsStream, flush};
use crate::transport::certificate::{CertificateError, TlsStatistics};
use crate::transport::session::{Acceptor, Admission, Session, SessionService, Work};
use crate::transport::{Transport, next_session_id};

/// Makes sessions of connections by the handshake of TLS (RFC 6353 section 5.3.2).
pub(crate) struct TlsAcceptor(TlsConfiguration);

impl TlsAcceptor {
    pub(crate) const fn new(configuration: TlsConfiguration) -> Self {
        Self(configuration)
    }
}

impl<S: SessionService> Acceptor<S> for TlsAcceptor {
    fn transport(&self) -> Transport {
        Transport::Tls
    }

    async fn serve(self: Arc<Self>, socket: TcpStream, admission: Admission<S>) {
        #[cfg(feature = "openssl-tls")]
        {
            let current = self.0.current();
            if current.openssl.is_some() {
                let configuration = self.0.clone();
                return super::openssl::serve(configuration, current, socket, admission).await;
            }
        }
        let limits = admission.limits();
        // A handshake needs more room than a session, which is not to keep it.
        let handshake = Box::pin(self.handshake(socket, &admission));
        let accepted = match timeout(limits.handshake_time, handshake).await {
            Ok(accepted) => accepted,
            Err(_) => Err(Refused::TooSlow),
        };
        match accepted {
            Ok(accepted) => {
                admission.authenticate();
                let configuration = self.0.clone();
                let stream = TlsStream::new(accepted, configuration, limits.message_time);
                Session::new(Transport::Tls, stream, Arc::new(admission))
                    .run()
                    .await;
            }
            Err(refused @ Refused::Certificate(_)) => {
                admission.log_refusal(Transport::Tls, &refused);
            }
            Err(refused) => admission.handshake_unfinished(Transport::Tls, &refused),
        }
    }
}

/// A connection whose client is known.
pub(super) struct Accepted {
    pub(super) socket: TcpStream,
    pub(super) records: Records<UnbufferedServerConnection>,
    pub(super) state: Box<TransportState>,
    pub(super) server_name: ServerName,
    pub(super) statistics: Arc<TlsStatistics>,
    /// The generation of the configuration by which the client was accepted.
    pub(super) accepted_by: u64,
}

/// Why there is no session.
enum Refused {
    TooSlow,
    /// The connection ended before the handshake.
    Ended,
    Io(io::Error),
    /// The client's certificate is not accepted.
    Certificate(CertificateError),
    Failed(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused: ")?;
        match self {
            Self::TooSlow => f.write_str("the handshake took too long"),
            Self::Ended => f.write_str("it ended the connection in the middle of the handshake"),
            Self::Io(error) => write!(f, "{error}"),
            Self::Certificate(error) => write!(f, "{error}"),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// As much of what came first as is needed to say what the peer speaks.
type First = Vec<u8>;

impl TlsAcceptor {
    async fn handshake<S: SessionService>(
        &self,
        mut socket: TcpStream,
        admission: &Admission<S>,
    ) -> Result<Accepted, Refused> {
        // A peer that says nothing costs nothing.
        socket.readable().await?;
        let current = self.0.current();
        let (connection, server_name) = current
            .connection()
            .map_err(|error| Refused::Failed(error.to_string()))?;
        let mut records = Records::new(connection);
        let mut first = First::new();
        let mut plaintext = Vec::new();
        let mut work = Work::Handshake;
        while records.state().is_handshaking() {
            socket.readable().await?;
            let step = || {
                let arrive = |room: &mut [u8]| {
                    let read = socket.try_read(room)?;
                    note_first(&mut first, room.get(..read).unwrap_or(&[]));
                    Ok(read)
                };
                records.read(arrive, &mut plaintext)
            };
            let read = admission.shake_hands(work, step).await;
            work = Work::HandshakeEnd;
            // Before anything is waited for: the next handshake may be refused meanwhile.
            let refused = match &read {
                Err(RecordError::Tls(error)) => Some(refused(error, &current, &first)),
                _ => None,
            };
            // What is said last may wait for the first answer: then both leave together.
            if let Some(refused) = refused {
                let _ = flush(&socket, &mut records).await;
                linger(&mut socket).await;
                return Err(refused);
            }
            if records.state().is_handshaking() {
                flush(&socket, &mut records).await?;
            }
            match read {
                Ok(Arrival::End { .. }) => return Err(Refused::Ended),
                Err(RecordError::Io(error)) if error.kind() != io::ErrorKind::WouldBlock => {
                    return Err(error.into());
                }
                _ => {}
            }
        }
        match security_name(&records, &current) {
            Ok(name) => {
                records.keep_plaintext(plaintext);
                Ok(Accepted {
                    state: Box::new(TransportState::new(
                        SecureTransport::Tls,
                        name,
                        SecurityLevel::AuthPriv,
                        next_session_id(),
                    )),
                    server_name,
                    statistics: Arc::clone(&current.statistics),
                    accepted_by: current.generation,
                    socket,
                    records,
                })
            }
            Err(error) => {
                current.statistics.invalid_client_certificates.increment();
                records.close();
                let _ = flush(&socket, &mut records).await;
                linger(&mut socket).await;
                Err(Refused::Certificate(error))
            }
        }
    }
}

/// Ends a connection so that the peer reads what was sent last: if it still sends when the connection is closed, the
/// operating system resets it, and the peer may never see why it was refused.
async fn linger(socket: &mut TcpStream) {
    const PATIENCE: Duration = Duration::from_millis(500);
    const OCTETS: usize = 64 * 1024;
    let _ = socket.shutdown().await;
    let rest = async {
        let mut buffer = [0; 512];
        let mut octets = 0;
        while octets < OCTETS {
            match socket.read(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(read) => octets += read,
            }
        }
    };
    let _ = timeout(PATIENCE, rest).await;
}

fn refused(error: &rustls::Error, current: &Current, first: &[u8]) -> Refused {
    let (failure, certificate) = handshake_failure(error, Side::Server, current.versions, first);
    match certificate {
        Some(error) => {
            current.statistics.invalid_client_certificates.increment();
            Refused::Certificate(error)
        }
        None => Refused::Failed(failure.explanation().to_owned()),
    }
}

/// The client's name. It is found anew for a session that is resumed too, since the rules may have changed: the certificates
/// are those of the session that is resumed, so that it cannot become another's (tmSameSecurity, RFC 5590 section 5.2).
pub(super) fn security_name(
    records: &Records<UnbufferedServerConnection>,
    current: &Current,
) -> Result<SecurityName, CertificateError> {
    let chain = records.state().peer_certificates().unwrap_or(&[]);
    current.clients.security_name(chain, UnixTime::now())
}

fn note_first(first: &mut First, arrived: &[u8]) {
    const ENOUGH: usize = 16;
    let missing = ENOUGH.saturating_sub(first.len());
    first.extend(arrived.iter().take(missing));
}
