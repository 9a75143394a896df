//! The sockets of managers, and of whoever else opens a session.

mod dtls;
mod framing;
#[cfg(any(test, fuzzing))]
pub(crate) mod judge;
#[cfg(feature = "openssl-tls")]
mod openssl;
mod ssh;
mod tcp;
mod tls;
mod udp;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use varbind_engine::applications::command_generator::TransportError;

use super::{OpenError, Opening, SecureTransportOptions};
use crate::compression::SessionDictionary;
use crate::transport::ssh::{SshChannel, SshConnection};
use crate::transport::{Transport, TransportAddress, missing_configuration};
use dtls::DtlsConnection;
use ssh::SshSocket;
use tcp::TcpConnection;
use tls::TlsConnection;
use udp::UdpConnection;

/// What carries messages to one peer and back.
pub(crate) trait ManagerSocket: fmt::Debug + Send {
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
    socket: Box<dyn ManagerSocket>,
    /// Once messages are compressed.
    compressed: Option<Compressed>,
}

/// A dictionary, and room for a frame.
#[derive(Debug, Default)]
struct Compressed {
    dictionary: SessionDictionary,
    frame: Vec<u8>,
    /// Whether the peer has sent a frame, too.
    is_confirmed: bool,
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
        let begun = Instant::now();
        if target.transport == Transport::Ssh {
            let connection = SshConnection::open(target, default_port, timeout, &secure.ssh)?;
            let channel = connection.channel(timeout);
            let channel = channel.map_err(|error| OpenError::ssh(target, error))?;
            return Ok(Self {
                opened_in: begun.elapsed(),
                ..Self::on_channel(channel)
            });
        }
        let mut addresses = target
            .resolve(default_port)
            .map_err(|error| OpenError::resolving(target, error))?;
        // Where a name has addresses of both versions, agents are still more often found on IPv4.
        addresses.sort_by_key(SocketAddr::is_ipv6);
        let mut failure = None;
        for remote in addresses {
            let begun = Instant::now();
            match open_socket(target, remote, timeout, secure) {
                Ok(socket) => {
                    return Ok(Self {
                        remote,
                        opened_in: begun.elapsed(),
                        socket,
                        compressed: None,
                    });
                }
                Err(error) => failure = Some(error),
            }
        }
        Err(failure.unwrap_or_else(|| {
            OpenError::resolving(target, io::Error::from(io::ErrorKind::NotFound))
        }))
    }

    /// A session over SSH.
    pub(crate) fn on_channel(channel: SshChannel) -> Self {
        Self {
            remote: channel.connection().remote(),
            opened_in: Duration::ZERO,
            socket: boxed(SshSocket::new(channel)),
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

    /// Compresses messages with a dictionary from now on: only a peer that has said so takes them, over a stream.
    pub(crate) fn begin_dictionary(&mut self) {
        self.compressed = Some(Compressed::default());
    }

    /// Whether messages are compressed, but the peer has sent none that is.
    pub(crate) fn is_dictionary_in_doubt(&self) -> bool {
        self.compressed.as_ref().is_some_and(|it| !it.is_confirmed)
    }

    pub(crate) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        let Some(compressed) = &mut self.compressed else {
            return self.socket.send(message);
        };
        compressed.frame.clear();
        compressed
            .dictionary
            .compress(message, &mut compressed.frame)
            .map_err(io::Error::other)?;
        self.socket.send(&compressed.frame)
    }

    /// The address from which the peer is sent to.
    pub(crate) fn local(&self) -> io::Result<SocketAddr> {
        self.socket.local()
    }

    /// Waits until something arrives.
    pub(crate) fn wait(&self, patience: Duration) -> io::Result<Wait> {
        self.wait_for_any(None, patience)
    }

    /// Waits until something arrives, or another file can be read: then this has timed out.
    pub(crate) fn wait_beside(
        &self,
        other: BorrowedFd<'_>,
        patience: Duration,
    ) -> io::Result<Wait> {
        self.wait_for_any(Some(other), patience)
    }

    fn wait_for_any(&self, other: Option<BorrowedFd<'_>>, patience: Duration) -> io::Result<Wait> {
        if self.socket.is_ready() {
            return Ok(Wait::Readable);
        }
        let own_patience = self.socket.patience().filter(|own| *own < patience);
        let own = PollFd::from_borrowed_fd(self.socket.file(), PollFlags::IN);
        let other = other.map(|other| PollFd::from_borrowed_fd(other, PollFlags::IN));
        let patience = own_patience.unwrap_or(patience);
        let (count, is_readable) = match other {
            None => {
                let mut files = [own];
                let count = poll_files(&mut files, patience)?;
                (count, files.iter().any(|own| !own.revents().is_empty()))
            }
            Some(other) => {
                let mut files = [own, other];
                let count = poll_files(&mut files, patience)?;
                let [own, _] = files;
                (count, !own.revents().is_empty())
            }
        };
        // When nothing has come, it is the transport's turn if its own patience is over.
        let is_due = count == Some(0) && own_patience.is_some();
        Ok(if is_readable || is_due {
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
        let limit = buffer.len();
        let frame = buffer.get(..length).unwrap_or(&[]);
        if !SessionDictionary::is_frame(frame) {
            return Ok(buffer.get(..length));
        }
        let Some(compressed) = &mut self.compressed else {
            return Err(io::Error::other(TransportError::NotSnmp));
        };
        let message = compressed.dictionary.expand(frame, limit);
        let message = message.map_err(|_| io::Error::other(TransportError::NotSnmp))?;
        compressed.is_confirmed = true;
        let room = buffer.get_mut(..message.len()).unwrap_or_default();
        room.copy_from_slice(message);
        Ok(Some(room))
    }
}

fn open_socket(
    target: &TransportAddress,
    remote: SocketAddr,
    timeout: Duration,
    secure: &SecureTransportOptions,
) -> Result<Box<dyn ManagerSocket>, OpenError> {
    let socket = match target.transport {
        Transport::Udp => UdpConnection::open(remote).map(boxed),
        Transport::Tcp => TcpConnection::open(remote, timeout).map(boxed),
        Transport::Tls => match &secure.tls {
            #[cfg(feature = "openssl-tls")]
            Some(client) if client.versions().need_openssl() => {
                openssl::OpensslConnection::open(target, remote, timeout, client).map(boxed)
            }
            Some(client) => TlsConnection::open(target, remote, timeout, client).map(boxed),
            None => Err(missing_configuration(target.transport)),
        },
        Transport::Dtls => match &secure.tls {
            Some(client) => DtlsConnection::open(target, remote, timeout, client).map(boxed),
            None => Err(missing_configuration(target.transport)),
        },
        Transport::Ssh => Err(missing_configuration(target.transport)),
    };
    socket.map_err(|error| OpenError::connecting(target, remote, error))
}

fn boxed(socket: impl ManagerSocket + 'static) -> Box<dyn ManagerSocket> {
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
