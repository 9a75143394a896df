use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::server::UnbufferedServerConnection;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use varbind_engine::transport::TransportState;

use super::acceptor::{Accepted, security_name};
use super::endpoint::Endpoint;
use super::records::{Arrival, RecordError, Records};
use super::server::{Current, TlsConfiguration};
use super::server_name::ServerName;
use crate::transport::SessionError;
use crate::transport::certificate::TlsStatistics;
use crate::transport::session::SessionStream;

/// A TLS session that a server has accepted.
pub(super) struct TlsStream {
    socket: TcpStream,
    records: Records<UnbufferedServerConnection>,
    state: Box<TransportState>,
    server_name: ServerName,
    statistics: Arc<TlsStatistics>,
    configuration: TlsConfiguration,
    /// The generation of the configuration by which the client was accepted last.
    accepted_by: u64,
    /// How long a record may take to arrive.
    record_time: Duration,
    /// Since when a record is awaited whole.
    incomplete_since: Option<Instant>,
    has_received: bool,
    has_ended: bool,
}

/// The peer is given no more time than this to take a close_notify.
const CLOSING: Duration = Duration::from_millis(100);

impl TlsStream {
    pub(super) fn new(
        accepted: Accepted,
        configuration: TlsConfiguration,
        record_time: Duration,
    ) -> Self {
        Self {
            socket: accepted.socket,
            records: accepted.records,
            state: accepted.state,
            server_name: accepted.server_name,
            statistics: accepted.statistics,
            configuration,
            accepted_by: accepted.accepted_by,
            record_time,
            incomplete_since: None,
            has_received: false,
            has_ended: false,
        }
    }

    fn note_received(&mut self) {
        if !self.has_received {
            self.has_received = true;
            self.statistics.accepts.increment();
        }
    }

    /// Authenticates the client's certificates again if the configuration has changed.
    fn reauthenticate(&mut self) -> Result<(), SessionError> {
        let records = &self.records;
        let identify = |current: &Current| security_name(records, current);
        self.configuration
            .reauthenticate(&mut self.accepted_by, &self.state, identify)
    }

    async fn flush(&mut self) -> io::Result<()> {
        flush(&self.socket, &mut self.records).await
    }
}

/// Sends what is to be sent. It may be dropped while it waits.
pub(super) async fn flush<E: Endpoint>(
    socket: &TcpStream,
    records: &mut Records<E>,
) -> io::Result<()> {
    while !records.outgoing().is_empty() {
        match socket.try_write(records.outgoing()) {
            Ok(sent) => records.note_sent(sent),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => socket.writable().await?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl SessionStream for TlsStream {
    async fn read_some(&mut self, input: &mut Vec<u8>) -> Result<usize, SessionError> {
        loop {
            if let Some(read) = self.try_read(input)? {
                return Ok(read);
            }
            // What was not sent together with an answer.
            self.flush().await?;
            self.incomplete_since = match (self.records.has_incomplete(), self.incomplete_since) {
                (false, _) => None,
                (true, None) => Some(Instant::now()),
                (true, since) => since,
            };
            match self.incomplete_since {
                None => self.socket.readable().await?,
                Some(since) => timeout_at(since + self.record_time, self.socket.readable())
                    .await
                    .map_err(|_| io::ErrorKind::TimedOut)??,
            }
        }
    }

    fn try_read(&mut self, input: &mut Vec<u8>) -> Result<Option<usize>, SessionError> {
        let Self {
            socket, records, ..
        } = self;
        match records.read(|room| TcpStream::try_read(socket, room), input) {
            Ok(Arrival::Octets(0)) => Ok(None),
            Ok(Arrival::Octets(octets)) => {
                self.reauthenticate()?;
                self.note_received();
                Ok(Some(octets))
            }
            Ok(Arrival::End { .. }) => {
                self.has_ended = true;
                Ok(Some(0))
            }
            Err(RecordError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn write_all(&mut self, output: &[u8]) -> Result<(), SessionError> {
        let written = match self.records.write(output) {
            Ok(()) => self.flush().await.map_err(SessionError::from),
            Err(error) => Err(error.into()),
        };
        // RFC 6353 5.2 (2): the session for the answer is not there any more.
        written.inspect_err(|_| self.statistics.no_sessions.increment())
    }

    async fn shutdown(&mut self) {
        let is_ours = !self.has_ended;
        self.records.close();
        let _ = tokio::time::timeout(CLOSING, self.flush()).await;
        let _ = AsyncWriteExt::shutdown(&mut self.socket).await;
        // Counted when the peer can know of it.
        if is_ours {
            self.statistics.server_closes.increment();
        }
    }

    fn transport_state(&self) -> Option<&TransportState> {
        Some(&self.state)
    }

    fn server_name(&self) -> Option<&str> {
        self.server_name.get()
    }
}
