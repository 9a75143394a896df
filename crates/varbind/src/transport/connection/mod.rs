//! Sessions with one peer, for a thread that waits for it: those of a manager.

#[cfg(feature = "experiments")]
mod compressed;
#[cfg(feature = "dtls")]
mod dtls;
mod framing;
#[cfg(any(test, fuzzing))]
pub(crate) mod judge;
mod message_session;
#[cfg(feature = "openssl-tls")]
mod openssl;
#[cfg(feature = "ssh")]
mod ssh;
mod tcp;
#[cfg(feature = "tls")]
mod tls;
mod udp;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use super::{
    OpenError, SecureTransportOptions, Transport, TransportAddress, missing_configuration,
};
#[cfg(feature = "experiments")]
use compressed::Compressed;
pub use message_session::{MessageSession, Opening};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tcp::TcpConnection;
use udp::UdpConnection;

/// What carries messages to one peer and back.
pub(crate) trait PeerSocket: fmt::Debug + Send {
    /// Sends one message.
    fn send(&mut self, message: &[u8]) -> io::Result<()>;

    /// The next message that is there. It also does what the transport has to do when its [`patience`](Self::patience)
    /// is over.
    fn receive<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<Option<&'b [u8]>>;

    /// Whether [`receive`](Self::receive) has something although the file has nothing to read.
    fn is_ready(&self) -> bool {
        false
    }

    /// How long may be waited before [`receive`](Self::receive) must be called although nothing has come; `None` for as
    /// long as one likes.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// Is readable when something has come.
    fn file(&self) -> BorrowedFd<'_>;

    /// The address from which the peer is sent to.
    fn local(&self) -> io::Result<SocketAddr>;

    /// What opening it took, besides the time in all.
    fn opening(&self) -> Opening {
        Opening::default()
    }
}

/// An open socket to one peer.
#[derive(Debug)]
pub(crate) struct Connection {
    remote: SocketAddr,
    /// How long it took until it was open.
    opened_in: Duration,
    socket: Box<dyn PeerSocket>,
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
    /// Resolves the name and connects to the first address that accepts; a failure tells of the last that was tried.
    pub(crate) fn open(
        target: &TransportAddress,
        default_port: u16,
        timeout: Duration,
        secure: &SecureTransportOptions,
    ) -> Result<Self, OpenError> {
        match target.transport {
            // It has a configuration that may name another host.
            #[cfg(feature = "ssh")]
            Transport::Ssh => Self::open_ssh(target, default_port, timeout, secure),
            transport if transport.is_available() => {
                Self::open_any(target, default_port, timeout, secure)
            }
            _ => Err(OpenError::Unavailable {
                target: target.clone(),
            }),
        }
    }

    fn open_any(
        target: &TransportAddress,
        default_port: u16,
        timeout: Duration,
        secure: &SecureTransportOptions,
    ) -> Result<Self, OpenError> {
        let mut addresses = target
            .resolve(default_port)
            .map_err(|error| OpenError::resolving(target, error))?;
        // Where a name has addresses of both versions, agents are still more often found on IPv4.
        addresses.sort_by_key(SocketAddr::is_ipv6);
        let mut failure = None;
        for remote in addresses {
            let begun = Instant::now();
            match open_socket(target, remote, timeout, secure) {
                Ok(socket) => return Ok(Self::over(socket, remote, begun.elapsed())),
                Err(error) => failure = Some(OpenError::connecting(target, remote, error)),
            }
        }
        Err(failure.unwrap_or_else(|| {
            OpenError::resolving(target, io::Error::from(io::ErrorKind::NotFound))
        }))
    }

    fn over(socket: Box<dyn PeerSocket>, remote: SocketAddr, opened_in: Duration) -> Self {
        Self {
            remote,
            opened_in,
            socket,
            #[cfg(feature = "experiments")]
            compressed: None,
        }
    }

    pub(crate) const fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// What opening it took. What the transport does not tell apart counts as connecting.
    pub(crate) fn opening(&self) -> Opening {
        let opening = self.socket.opening();
        let later =
            opening.handshake.unwrap_or_default() + opening.authentication.unwrap_or_default();
        Opening {
            connect: self.opened_in.saturating_sub(later),
            ..opening
        }
    }

    pub(crate) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        #[cfg(feature = "experiments")]
        if let Some(compressed) = &mut self.compressed {
            return self.socket.send(compressed.frame(message)?);
        }
        self.socket.send(message)
    }

    /// The address from which the peer is sent to.
    pub(crate) fn local(&self) -> io::Result<SocketAddr> {
        self.socket.local()
    }

    /// Waits until something arrives.
    pub(crate) fn wait(&self, patience: Duration) -> io::Result<Wait> {
        if self.socket.is_ready() {
            return Ok(Wait::Readable);
        }
        let own_patience = self.socket.patience().filter(|own| *own < patience);
        let patience = own_patience.unwrap_or(patience);
        let mut files = [PollFd::from_borrowed_fd(self.socket.file(), PollFlags::IN)];
        let count = poll_files(&mut files, patience)?;
        // When nothing has come, it is the transport's turn if its own patience is over.
        let is_due = |count| count > 0 || own_patience.is_some();
        Ok(if count.is_some_and(is_due) {
            Wait::Readable
        } else {
            Wait::TimedOut
        })
    }

    /// The next message that is there.
    pub(crate) fn receive<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<Option<&'b [u8]>> {
        let Some(length) = self.socket.receive(buffer)?.map(<[u8]>::len) else {
            return Ok(None);
        };
        #[cfg(feature = "experiments")]
        let length = Compressed::expand(self.compressed.as_mut(), buffer, length)?;
        Ok(buffer.get(..length))
    }
}

/// The one place that knows the sockets of all transports.
#[cfg_attr(
    not(feature = "certificates"),
    expect(unused_variables, reason = "UDP and TCP need no keys")
)]
fn open_socket(
    target: &TransportAddress,
    remote: SocketAddr,
    timeout: Duration,
    secure: &SecureTransportOptions,
) -> io::Result<Box<dyn PeerSocket>> {
    match target.transport {
        Transport::Udp => UdpConnection::open(remote).map(boxed),
        Transport::Tcp => TcpConnection::open(remote, timeout).map(boxed),
        #[cfg(feature = "tls")]
        Transport::Tls => match &secure.tls {
            Some(client) => tls::open(target, remote, timeout, client),
            None => Err(missing_configuration(target.transport)),
        },
        #[cfg(feature = "dtls")]
        Transport::Dtls => match &secure.tls {
            Some(client) => dtls::open(target, remote, timeout, client),
            None => Err(missing_configuration(target.transport)),
        },
        transport => Err(missing_configuration(transport)),
    }
}

fn boxed(socket: impl PeerSocket + 'static) -> Box<dyn PeerSocket> {
    Box::new(socket)
}

/// Whether it only was not the time for it.
fn is_transient(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

/// Waits with the precision of the high-resolution clock: the time-outs of sockets count in scheduler ticks.
fn wait_for(file: BorrowedFd<'_>, what: PollFlags, patience: Duration) -> io::Result<Wait> {
    let mut files = [PollFd::from_borrowed_fd(file, what)];
    Ok(match poll_files(&mut files, patience)? {
        None | Some(0) => Wait::TimedOut,
        Some(_) => Wait::Readable,
    })
}

/// How many files are ready; `None` if a signal came first.
fn poll_files(files: &mut [PollFd<'_>], patience: Duration) -> io::Result<Option<usize>> {
    let timeout = Timespec::try_from(patience).unwrap_or(Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    });
    match poll(files, Some(&timeout)) {
        Ok(count) => Ok(Some(count)),
        Err(rustix::io::Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
