use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use openssl::ssl::{Error, Ssl};
use tokio::net::TcpStream;
use tokio::time::timeout;
use varbind_engine::transport::TransportState;

use super::connection::OpensslConnection;
use crate::transport::certificate::{CertificateError, TlsClient, TlsStatistics};
use crate::transport::dtls::{ExpectedServer, verify_by};
use crate::transport::session::SessionStream;
use crate::transport::{SecurityFailure, SecurityFailureKind, SessionError};

/// The peer is given no more time than this to take a close_notify.
const CLOSING: Duration = Duration::from_millis(100);

/// A session that a client has opened by OpenSSL.
pub(crate) struct OpensslClientStream {
    connection: OpensslConnection,
    statistics: Arc<TlsStatistics>,
    /// Whether the peer has ended it, or it failed.
    has_ended: bool,
}

impl OpensslClientStream {
    /// Opens a session with the server of this name over a connection (openSession, RFC 6353 section 5.3.1).
    pub(crate) async fn open(
        socket: TcpStream,
        host: &str,
        client: &TlsClient,
    ) -> Result<Self, SessionError> {
        let statistics = client.statistics();
        statistics.opens.increment();
        let opened = shake_hands(socket, host, client).await;
        Ok(Self {
            connection: opened.inspect_err(|_| statistics.open_errors.increment())?,
            statistics: Arc::clone(statistics),
            has_ended: false,
        })
    }
}

async fn shake_hands(
    socket: TcpStream,
    host: &str,
    client: &TlsClient,
) -> Result<OpensslConnection, SessionError> {
    let context = client.openssl().map_err(io::Error::from)?;
    let mut ssl = Ssl::new(&context).map_err(io::Error::from)?;
    let host = host.split('%').next().unwrap_or(host);
    // RFC 6066 section 3: an address is not a name of a server.
    if host.parse::<IpAddr>().is_err() {
        ssl.set_hostname(host).map_err(io::Error::from)?;
    }
    let expected = ExpectedServer {
        authentication: client.server().clone(),
        target: host.to_owned(),
        observation: client.observation().cloned(),
    };
    let verdict = verify_by(&mut ssl, Arc::new(expected));
    let mut connection = OpensslConnection::new(ssl, socket).map_err(io::Error::from)?;
    while let Err(error) = connection.connect() {
        match connection.wanted(error).await {
            Ok(ready) => ready?,
            Err(error) => {
                let refusal = verdict.take().and_then(Result::err);
                let failure = handshake_failure(&error, refusal, client.statistics());
                return Err(failure.into());
            }
        }
    }
    Ok(connection)
}

/// Why a handshake failed, which is counted.
fn handshake_failure(
    error: &Error,
    refusal: Option<CertificateError>,
    statistics: &TlsStatistics,
) -> SecurityFailure {
    let Some(refusal) = refusal else {
        let explanation = format!("the handshake failed: {error}");
        return SecurityFailure::new(SecurityFailureKind::NothingInCommon, explanation);
    };
    let (kind, counter) = if refusal.is_unknown() {
        let counter = &statistics.unknown_server_certificates;
        (SecurityFailureKind::UnknownPeer, counter)
    } else {
        let counter = &statistics.invalid_server_certificates;
        (SecurityFailureKind::InvalidPeer, counter)
    };
    counter.increment();
    SecurityFailure::new(kind, refusal.advised())
}

impl SessionStream for OpensslClientStream {
    async fn read_some(&mut self, input: &mut Vec<u8>) -> Result<usize, SessionError> {
        loop {
            if let Some(read) = self.try_read(input)? {
                return Ok(read);
            }
            self.connection.readable().await?;
        }
    }

    fn try_read(&mut self, input: &mut Vec<u8>) -> Result<Option<usize>, SessionError> {
        let read = self.connection.try_read(input);
        self.has_ended |= matches!(read, Ok(Some(0)) | Err(_));
        read
    }

    async fn write_all(&mut self, output: &[u8]) -> Result<(), SessionError> {
        if self.has_ended {
            self.statistics.no_sessions.increment();
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.connection.write_all(output).await
    }

    async fn shutdown(&mut self) {
        if self.has_ended {
            return;
        }
        self.has_ended = true;
        self.statistics.client_closes.increment();
        let _ = timeout(CLOSING, self.connection.shutdown()).await;
    }

    fn transport_state(&self) -> Option<&TransportState> {
        None
    }
}
