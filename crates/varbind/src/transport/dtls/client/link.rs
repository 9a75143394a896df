use std::io;
use std::time::Duration;

use varbind_engine::security::SecurityName;

use super::super::association::Association;
use super::super::error::DtlsError;
use super::super::exchange::Exchange;
use crate::transport::message_size::DTLS_RECORD;
use crate::transport::udp::{ConnectedSocket, is_refused};

/// A datagram is never larger.
const LARGEST_DATAGRAM: usize = 65_536;

/// Buffers for one step of a session.
pub(super) struct Workspace {
    pub(super) exchange: Exchange,
    pub(super) datagram: Vec<u8>,
    pub(super) message: Box<[u8; DTLS_RECORD]>,
}

impl Default for Workspace {
    fn default() -> Self {
        Self {
            exchange: Exchange::default(),
            datagram: vec![0; LARGEST_DATAGRAM],
            message: Box::new([0; DTLS_RECORD]),
        }
    }
}

/// One association and its socket.
pub(super) struct Link {
    pub(super) socket: ConnectedSocket,
    pub(super) association: Association,
    pub(super) peer: SecurityName,
    pub(super) is_resumed: bool,
    /// Whether a message has come.
    pub(super) has_heard: bool,
    /// How long the handshake took.
    pub(super) handshake_time: Duration,
    pub(super) is_over: bool,
}

impl Link {
    /// Sends one message.
    pub(super) fn send(
        &mut self,
        exchange: &mut Exchange,
        message: &[u8],
    ) -> Result<(), DtlsError> {
        self.association.write(exchange, message)?;
        let sent = flush(&self.socket, exchange);
        if sent.as_ref().is_err_and(is_refused) {
            self.is_over = true;
        }
        Ok(sent?)
    }

    /// The length of the next message that has arrived. The message is put into the workspace.
    pub(super) fn receive(
        &mut self,
        workspace: &mut Workspace,
    ) -> Result<Option<usize>, DtlsError> {
        let Workspace {
            exchange,
            datagram,
            message,
        } = workspace;
        while !self.is_over {
            match self.association.read(exchange, message) {
                Ok(Some(length)) => return Ok(Some(length)),
                Ok(None) => {}
                Err(error) => {
                    log::debug!("the session is over: {error}");
                    self.is_over = true;
                    self.association.close(exchange);
                    let _ = flush(&self.socket, exchange);
                    break;
                }
            }
            if exchange.count() > 0 {
                flush(&self.socket, exchange)?;
            }
            match self.socket.receive(datagram) {
                Ok(Some(length)) => exchange.give(datagram.get(..length).unwrap_or(&[])),
                Ok(None) => break,
                Err(error) => {
                    // Nothing listens: what listens next does not know the association.
                    self.is_over = is_refused(&error);
                    return Err(error.into());
                }
            }
        }
        Ok(None)
    }

    /// Tells the peer that the session is over, if it is not over yet.
    pub(super) fn close(&mut self) -> bool {
        if std::mem::replace(&mut self.is_over, true) {
            return false;
        }
        let mut exchange = Exchange::default();
        self.association.close(&mut exchange);
        let _ = flush(&self.socket, &mut exchange);
        true
    }
}

/// Sends what was written.
pub(super) fn flush(socket: &ConnectedSocket, exchange: &mut Exchange) -> io::Result<()> {
    let mut result = Ok(());
    for range in exchange.datagrams(0) {
        let datagram = exchange.departing().get(range).unwrap_or(&[]);
        // The socket tells of a datagram that was sent before first; this one was not tried.
        let sent = match socket.try_send(datagram) {
            Err(error) if is_refused(&error) => socket.try_send(datagram),
            sent => sent,
        };
        result = match sent {
            Ok(_) => result,
            // As lost on its way.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => result,
            Err(error) => Err(error),
        };
    }
    exchange.clear();
    result
}
