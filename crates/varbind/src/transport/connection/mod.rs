//! Sessions with one peer, for a thread that waits for it: those of a manager, and of the laboratory.

mod alarm;
mod blocking_session;
#[cfg(feature = "experiments")]
mod compressed;
mod message_session;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::{OpenError, Opening, SecureTransportOptions, TransportAddress};
use crate::transport::SessionError;
use blocking_session::BlockingSession;
#[cfg(feature = "experiments")]
use compressed::Compressed;
pub use message_session::MessageSession;

/// An open session with one peer.
#[derive(Debug)]
pub(crate) struct Connection {
    session: Box<BlockingSession>,
    /// Messages that were not taken.
    arrived: VecDeque<Vec<u8>>,
    /// Why none comes behind those.
    failure: Option<SessionError>,
    /// Whether it continues by another association over DTLS that the caller has not been told of.
    has_moved: bool,
    /// Once messages are compressed.
    #[cfg(feature = "experiments")]
    compressed: Option<Compressed>,
}

/// How waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    Readable,
    TimedOut,
}

impl Connection {
    /// Resolves the name and connects to the first address that accepts; a failure is about the last tried address.
    pub(crate) fn open(
        target: &TransportAddress,
        default_port: u16,
        timeout: Duration,
        secure: &SecureTransportOptions,
    ) -> Result<Self, OpenError> {
        let session = BlockingSession::open(target, default_port, timeout, secure)?;
        Ok(Self {
            session: Box::new(session),
            arrived: VecDeque::new(),
            failure: None,
            has_moved: false,
            #[cfg(feature = "experiments")]
            compressed: None,
        })
    }

    pub(crate) const fn remote(&self) -> SocketAddr {
        self.session.remote()
    }

    /// What opening it took. What the transport does not tell apart counts as connecting.
    pub(crate) const fn opening(&self) -> Opening {
        self.session.opening()
    }

    pub(crate) fn send(&mut self, message: &[u8]) -> Result<(), SessionError> {
        #[cfg(feature = "experiments")]
        let message = match &mut self.compressed {
            Some(compressed) => compressed.frame(message)?,
            None => message,
        };
        self.session.send(message)
    }

    /// The address from which the peer is sent to.
    pub(crate) const fn local(&self) -> SocketAddr {
        self.session.local()
    }

    /// Waits until there is something to [take](Self::take).
    pub(crate) fn wait(&mut self, patience: Duration) -> Wait {
        let deadline = Instant::now() + patience;
        while self.arrived.is_empty() && self.failure.is_none() {
            let arrived = &mut self.arrived;
            let on_message = |message: &[u8]| arrived.push_back(message.to_vec());
            match self.session.receive(deadline, on_message) {
                Ok(Wait::Readable) if self.take_moved() => {
                    self.has_moved = true;
                    break;
                }
                Ok(Wait::Readable) => {}
                Ok(Wait::TimedOut) => return Wait::TimedOut,
                Err(error) => self.failure = Some(error),
            }
        }
        Wait::Readable
    }

    /// Whether it has gone on by another association over DTLS since this was asked last: what was sent before may be lost.
    pub(crate) fn take_moved(&mut self) -> bool {
        self.session.take_moved() | std::mem::replace(&mut self.has_moved, false)
    }

    /// The next message that has come.
    pub(crate) fn take<'b>(
        &mut self,
        buffer: &'b mut [u8],
    ) -> Result<Option<&'b [u8]>, SessionError> {
        let Some(message) = self.arrived.pop_front() else {
            return self.failure.take().map_or(Ok(None), Err);
        };
        let length = message.len();
        if let Some(room) = buffer.get_mut(..length) {
            room.copy_from_slice(&message);
        }
        #[cfg(feature = "experiments")]
        let length = Compressed::expand(self.compressed.as_mut(), buffer, length)?;
        Ok(buffer.get(..length))
    }
}
