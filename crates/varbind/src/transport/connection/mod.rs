//! Sessions with one peer, for a thread that waits for it: those of a manager, and of the laboratory.

mod alarm;
mod blocking_session;
#[cfg(feature = "experiments")]
mod compressed;
mod message_session;
#[cfg(feature = "ssh")]
mod ssh;

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::{OpenError, Opening, SecureTransportOptions, TransportAddress};
use blocking_session::BlockingSession;
#[cfg(feature = "experiments")]
use compressed::Compressed;
pub use message_session::MessageSession;
#[cfg(feature = "ssh")]
use ssh::SshSocket;

/// An open session with one peer.
#[derive(Debug)]
pub(crate) struct Connection {
    peer: Peer,
    remote: SocketAddr,
    /// Messages that were not taken.
    arrived: VecDeque<Vec<u8>>,
    /// Why none comes behind those.
    failure: Option<io::Error>,
    /// Whether it has gone on by another association over DTLS, and nobody has asked since.
    has_moved: bool,
    /// Once messages are compressed.
    #[cfg(feature = "experiments")]
    compressed: Option<Compressed>,
}

#[derive(Debug)]
enum Peer {
    Session(Box<BlockingSession>),
    #[cfg(feature = "ssh")]
    Ssh(Box<SshSocket>),
}

/// How waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    Readable,
    TimedOut,
}

impl Connection {
    /// Resolves the name and connects to the first address that accepts; a failure tells of the last that was tried.
    pub(crate) fn open(
        target: &TransportAddress,
        default_port: u16,
        timeout: Duration,
        secure: &SecureTransportOptions,
    ) -> Result<Self, OpenError> {
        #[cfg(feature = "ssh")]
        if target.transport == super::Transport::Ssh {
            return Self::open_ssh(target, default_port, timeout, secure);
        }
        let session = BlockingSession::open(target, default_port, timeout, secure)?;
        let remote = session.remote();
        Ok(Self::over(Peer::Session(Box::new(session)), remote))
    }

    const fn over(peer: Peer, remote: SocketAddr) -> Self {
        Self {
            peer,
            remote,
            arrived: VecDeque::new(),
            failure: None,
            has_moved: false,
            #[cfg(feature = "experiments")]
            compressed: None,
        }
    }

    pub(crate) const fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// What opening it took. What the transport does not tell apart counts as connecting.
    pub(crate) fn opening(&self) -> Opening {
        match &self.peer {
            Peer::Session(session) => session.opening(),
            #[cfg(feature = "ssh")]
            Peer::Ssh(socket) => socket.opening(),
        }
    }

    pub(crate) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        #[cfg(feature = "experiments")]
        let message = match &mut self.compressed {
            Some(compressed) => compressed.frame(message)?,
            None => message,
        };
        match &mut self.peer {
            Peer::Session(session) => session.send(message),
            #[cfg(feature = "ssh")]
            Peer::Ssh(socket) => socket.send(message),
        }
    }

    /// The address from which the peer is sent to.
    pub(crate) fn local(&self) -> io::Result<SocketAddr> {
        match &self.peer {
            Peer::Session(session) => Ok(session.local()),
            #[cfg(feature = "ssh")]
            Peer::Ssh(socket) => socket.local(),
        }
    }

    /// Waits until there is something to [take](Self::take).
    pub(crate) fn wait(&mut self, patience: Duration) -> Wait {
        let deadline = Instant::now() + patience;
        while self.arrived.is_empty() && self.failure.is_none() {
            let arrived = &mut self.arrived;
            let on_message = |message: &[u8]| arrived.push_back(message.to_vec());
            let received = match &mut self.peer {
                Peer::Session(session) => session.receive(deadline, on_message),
                #[cfg(feature = "ssh")]
                Peer::Ssh(socket) => socket.receive(deadline, on_message),
            };
            match received {
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
        let has_moved = match &mut self.peer {
            Peer::Session(session) => session.take_moved(),
            #[cfg(feature = "ssh")]
            Peer::Ssh(_) => false,
        };
        has_moved | std::mem::replace(&mut self.has_moved, false)
    }

    /// The next message that has come.
    pub(crate) fn take<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<Option<&'b [u8]>> {
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
