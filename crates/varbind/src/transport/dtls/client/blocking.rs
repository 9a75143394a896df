use std::fmt;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::super::error::DtlsError;
use super::DtlsTarget;
use super::handshake::Handshake;
use super::link::{Link, Workspace};
use super::links::Links;

/// How often an association is looked at that was given up, for answers that come late.
const FORMER_INTERVAL: Duration = Duration::from_millis(20);

/// A session with a peer, and what it takes to open it anew. Opening it blocks.
pub(crate) struct DtlsClient {
    links: Links<UdpSocket>,
    workspace: Workspace,
}

impl DtlsClient {
    /// Opens a session: a handshake, resumed if that is possible.
    ///
    /// # Errors
    /// When there is no session in the time that the target gives.
    pub(crate) fn open(target: DtlsTarget) -> Result<Self, DtlsError> {
        let mut workspace = Workspace::default();
        let link = open_link(&target, &mut workspace)?;
        Ok(Self {
            links: Links::new(target, link),
            workspace,
        })
    }

    #[cfg(test)]
    pub(in super::super) const fn peer(&self) -> &varbind_engine::security::SecurityName {
        &self.links.current.peer
    }

    /// Whether a former session was resumed.
    pub(crate) fn is_resumed(&self) -> bool {
        self.links.current.is_resumed
    }

    /// How long the handshake took.
    pub(crate) const fn handshake_time(&self) -> Duration {
        self.links.current.handshake_time
    }

    /// Sends one message, through another association if there has to be one.
    ///
    /// # Errors
    /// When it cannot be sent.
    pub(crate) fn send(&mut self, message: &[u8]) -> Result<(), DtlsError> {
        let now = Instant::now();
        let Self { links, workspace } = self;
        if links.needs_another(now) {
            let link = open_link(&links.target, workspace)?;
            links.replace(link, now);
        }
        links.send(workspace, message)
    }

    /// The next message that is there, and what there is to do when the [`patience`](Self::patience) is over.
    ///
    /// # Errors
    /// When the socket reports one.
    pub(crate) fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, DtlsError> {
        while let Some(length) = self.links.receive(&mut self.workspace)? {
            let message = self.workspace.message.get(..length);
            if let (Some(room), Some(message)) = (buffer.get_mut(..length), message) {
                room.copy_from_slice(message);
                return Ok(Some(length));
            }
            log::debug!("a message of {length} octets is too long");
        }
        Ok(None)
    }

    /// How long may be waited for the [`file`](Self::file) before [`receive`](Self::receive) is called all the same.
    pub(crate) fn patience(&self) -> Option<Duration> {
        self.links.former.as_ref().map(|_| FORMER_INTERVAL)
    }

    /// Is readable when something has come.
    pub(crate) fn file(&self) -> BorrowedFd<'_> {
        self.links.current.socket.as_fd()
    }

    /// The address from which the peer is sent to.
    ///
    /// # Errors
    /// As `getsockname(2)`.
    pub(crate) fn local(&self) -> io::Result<SocketAddr> {
        self.links.current.socket.local_addr()
    }
}

fn open_link(target: &DtlsTarget, workspace: &mut Workspace) -> Result<Link<UdpSocket>, DtlsError> {
    let mut handshake = Handshake::begin(target)?;
    while let Some(patience) = handshake.advance(target, workspace)? {
        wait(&handshake.socket, patience)?;
    }
    handshake.finish(target, workspace)
}

/// Waits until something has come.
fn wait(socket: &UdpSocket, patience: Duration) -> io::Result<()> {
    let timeout = Timespec::try_from(patience).ok();
    let mut files = [PollFd::new(socket, PollFlags::IN)];
    match poll(&mut files, timeout.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

impl fmt::Debug for DtlsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DtlsClient")
            .field("remote", &self.links.target.remote)
            .field("peer", &self.links.current.peer)
            .field("is_resumed", &self.is_resumed())
            .finish_non_exhaustive()
    }
}
