use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::{HandshakeKind, ProtocolVersion};
use tokio::net::TcpStream;
use varbind_engine::applications::command_generator::{SecurityFailure, SecurityFailureKind};
use varbind_engine::transport::TransportState;

use super::TlsVersions;
use super::failure::{Side, advise, handshake_failure};
use super::records::{Arrival, ClientRecords, RecordError};
use super::stream::flush;
use crate::transport::Observation;
use crate::transport::certificate::{TlsClient, TlsFacts, TlsStatistics};
use crate::transport::session::SessionStream;

/// A TLS session that a client has opened (RFC 6353).
pub(crate) struct ClientTlsStream {
    socket: TcpStream,
    records: ClientRecords,
    versions: TlsVersions,
    statistics: Arc<TlsStatistics>,
    /// Whether the peer has ended it, or it failed.
    has_ended: bool,
}

/// As much of what came first as is needed to say what the peer speaks.
const FIRST: usize = 16;
/// The peer is given no more time than this to take a close_notify.
const CLOSING: Duration = Duration::from_millis(100);

impl ClientTlsStream {
    /// Opens a session with the server of this name over a connection (openSession, RFC 6353 section 5.3.1).
    pub(crate) async fn open(
        socket: TcpStream,
        host: &str,
        client: &TlsClient,
    ) -> io::Result<Self> {
        let statistics = client.statistics();
        statistics.opens.increment();
        let connection = match client.tls().and_then(|tls| tls.connection(host)) {
            Ok(connection) => connection,
            Err(error) => {
                statistics.open_errors.increment();
                return Err(error);
            }
        };
        let mut stream = Self {
            socket,
            records: ClientRecords::new(connection),
            versions: client.versions(),
            statistics: Arc::clone(statistics),
            // There is none to be closed until the handshake is done.
            has_ended: true,
        };
        let result = stream.handshake().await;
        Observation::note(client.observation().map(Arc::as_ref), |facts| {
            note_negotiated(stream.records.state(), facts);
        });
        match result {
            Ok(()) => {
                stream.has_ended = false;
                Ok(stream)
            }
            Err(error) => {
                statistics.open_errors.increment();
                Err(error)
            }
        }
    }

    async fn handshake(&mut self) -> io::Result<()> {
        let mut first = Vec::new();
        let mut plaintext = Vec::new();
        let began = self.records.begin();
        began.map_err(|error| self.failure(error, &first))?;
        loop {
            if !self.records.state().is_handshaking() {
                // The last of the handshake leaves together with the first request.
                self.records.keep_plaintext(plaintext);
                return Ok(());
            }
            flush(&self.socket, &mut self.records).await?;
            self.socket.readable().await?;
            let Self {
                socket, records, ..
            } = self;
            let read = records.read(
                |room| {
                    let read = TcpStream::try_read(socket, room)?;
                    let missing = FIRST.saturating_sub(first.len());
                    first.extend(room.iter().take(read.min(missing)));
                    Ok(read)
                },
                &mut plaintext,
            );
            match read {
                Ok(Arrival::Octets(_)) => {}
                Ok(Arrival::End { .. }) => return Err(self.ended(&first)),
                Err(RecordError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => {
                    let failure = self.failure(error, &first);
                    // The alert that says why.
                    let _ = flush(&self.socket, &mut self.records).await;
                    return Err(failure);
                }
            }
        }
    }

    /// The peer has ended the connection during the handshake without an alert.
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

    /// The peer does not take what is sent: its alert, if it has sent one before, says why.
    fn write_failure(&mut self, error: io::Error) -> io::Error {
        let Self {
            socket, records, ..
        } = self;
        match records.read(|room| TcpStream::try_read(socket, room), &mut Vec::new()) {
            Err(RecordError::Tls(error)) => self.failure(RecordError::Tls(error), &[]),
            _ => error,
        }
    }
}

/// Takes note of what the two sides have agreed upon so far.
fn note_negotiated(state: &rustls::CommonState, facts: &mut TlsFacts) {
    facts.version = match state.protocol_version() {
        Some(ProtocolVersion::TLSv1_3) => Some("TLS 1.3"),
        Some(ProtocolVersion::TLSv1_2) => Some("TLS 1.2"),
        _ => None,
    };
    // The library writes TLS13 for TLS, where a suite is of that version.
    facts.cipher_suite = state
        .negotiated_cipher_suite()
        .map(|suite| format!("{:?}", suite.suite()).replacen("TLS13", "TLS", 1));
    facts.key_exchange = state
        .negotiated_key_exchange_group()
        .map(|group| format!("{:?}", group.name()));
    facts.is_resumed = state
        .handshake_kind()
        .map(|kind| kind == HandshakeKind::Resumed);
}

impl SessionStream for ClientTlsStream {
    async fn read_some(&mut self, input: &mut Vec<u8>) -> io::Result<usize> {
        loop {
            if let Some(read) = self.try_read(input)? {
                return Ok(read);
            }
            // Of the protocol itself, as the answer to an update of keys.
            flush(&self.socket, &mut self.records).await?;
            self.socket.readable().await?;
        }
    }

    fn try_read(&mut self, input: &mut Vec<u8>) -> io::Result<Option<usize>> {
        let Self {
            socket, records, ..
        } = self;
        match records.read(|room| TcpStream::try_read(socket, room), input) {
            Ok(Arrival::Octets(0)) => Ok(None),
            Ok(Arrival::Octets(octets)) => Ok(Some(octets)),
            Ok(Arrival::End { .. }) => {
                self.has_ended = true;
                Ok(Some(0))
            }
            Err(RecordError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(RecordError::Io(error)) => Err(error),
            Err(RecordError::Tls(error)) => {
                self.has_ended = true;
                let (failure, _) = handshake_failure(&error, Side::Client, self.versions, &[]);
                Err(io::Error::other(failure))
            }
        }
    }

    async fn write_all(&mut self, output: &[u8]) -> io::Result<()> {
        if self.has_ended {
            self.statistics.no_sessions.increment();
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if let Err(error) = self.records.write(output) {
            return Err(self.failure(error, &[]));
        }
        match flush(&self.socket, &mut self.records).await {
            Ok(()) => Ok(()),
            Err(error) => Err(self.write_failure(error)),
        }
    }

    async fn shutdown(&mut self) {
        if self.has_ended {
            return;
        }
        self.has_ended = true;
        self.statistics.client_closes.increment();
        self.records.close();
        let _ = tokio::time::timeout(CLOSING, flush(&self.socket, &mut self.records)).await;
    }

    fn transport_state(&self) -> Option<&TransportState> {
        None
    }
}
