use std::net::SocketAddr;
use std::time::Duration;

use super::{Connection, Wait};
use crate::transport::TransportAddress;
use crate::transport::{OpenError, Opening, SecureTransportOptions, SessionError};

/// Octets of the largest message that is received.
const LARGEST_MESSAGE: usize = 65_535;

/// A session that carries messages as they are, over any transport, for callers that write and read messages themselves.
///
/// A [`Client`](crate::client::Client) is what asks agents.
#[derive(Debug)]
pub struct MessageSession {
    connection: Connection,
    buffer: Box<[u8]>,
}

impl MessageSession {
    /// Opens a session with an agent.
    ///
    /// # Errors
    /// When none opens within the time for each address of the name.
    pub fn open(
        target: &TransportAddress,
        timeout: Duration,
        secure: &SecureTransportOptions,
    ) -> Result<Self, OpenError> {
        let default_port = target.transport.agent_port();
        Ok(Self {
            connection: Connection::open(target, default_port, timeout, secure)?,
            buffer: vec![0; LARGEST_MESSAGE].into_boxed_slice(),
        })
    }

    /// What opening it took.
    #[must_use]
    pub const fn opening(&self) -> Opening {
        self.connection.opening()
    }

    /// Sends one message.
    ///
    /// # Errors
    /// When it cannot be sent: the session is broken then.
    pub fn send(&mut self, message: &[u8]) -> Result<(), SessionError> {
        self.connection.send(message)
    }

    /// Receives one message; `None` if none has come when the patience is over.
    ///
    /// # Errors
    /// When the session is broken.
    pub fn receive(&mut self, patience: Duration) -> Result<Option<&[u8]>, SessionError> {
        match self.connection.wait(patience) {
            Wait::Readable => self.connection.take(&mut self.buffer),
            Wait::TimedOut => Ok(None),
        }
    }

    /// The address from which it sends.
    #[must_use]
    pub const fn local(&self) -> SocketAddr {
        self.connection.local()
    }

    /// The address that it sends to.
    #[must_use]
    pub const fn remote(&self) -> SocketAddr {
        self.connection.remote()
    }
}
