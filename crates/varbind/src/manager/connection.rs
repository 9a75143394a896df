use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::SockRef;
use varbind_codec::ber::{FrameLength, frame_length};

use crate::transport::Transport;

/// The socket of a manager.
#[derive(Debug)]
pub(crate) struct Connection {
    remote: SocketAddr,
    socket: ManagerSocket,
}

#[derive(Debug)]
enum ManagerSocket {
    Udp(UdpSocket),
    Tcp(Stream),
}

/// A TCP connection and what has arrived of it but not been taken.
#[derive(Debug)]
struct Stream {
    socket: TcpStream,
    arrived: Vec<u8>,
    taken: usize,
}

/// How waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    Readable,
    TimedOut,
}

/// How long a peer may refuse to take a request over TCP.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// Octets read from a TCP connection at once.
const READ: usize = 16_384;
/// What the error is called when a TCP peer sends something else than SNMP (RFC 3430 section 2.1: the connection cannot
/// be used further).
pub(crate) const NOT_SNMP: i32 = libc::EBADMSG;
/// What the error is called when a TCP peer sends a message that exceeds the largest size.
pub(crate) const TOO_LARGE: i32 = libc::EOVERFLOW;

impl Connection {
    /// Connects to the first address that accepts; on failure returns the last that was tried.
    pub(crate) fn open(
        transport: Transport,
        mut addresses: Vec<SocketAddr>,
        timeout: Duration,
    ) -> Result<Self, (SocketAddr, io::Error)> {
        // Where a name has addresses of both versions, agents are still more often found on IPv4.
        addresses.sort_by_key(SocketAddr::is_ipv6);
        let mut failure = (
            SocketAddr::from(([0, 0, 0, 0], 0)),
            io::Error::from(io::ErrorKind::NotFound),
        );
        for remote in addresses {
            let socket = match transport {
                Transport::Udp => open_udp(remote).map(ManagerSocket::Udp),
                Transport::Tcp => open_tcp(remote, timeout).map(ManagerSocket::Tcp),
            };
            match socket {
                Ok(socket) => return Ok(Self { remote, socket }),
                Err(error) => failure = (remote, error),
            }
        }
        Err(failure)
    }

    pub(crate) const fn remote(&self) -> SocketAddr {
        self.remote
    }

    pub(crate) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        match &mut self.socket {
            ManagerSocket::Udp(socket) => socket.send(message).map(|_| ()),
            ManagerSocket::Tcp(stream) => stream.send(message),
        }
    }

    /// The address from which the peer is sent to.
    pub(crate) fn local(&self) -> io::Result<SocketAddr> {
        match &self.socket {
            ManagerSocket::Udp(socket) => socket.local_addr(),
            ManagerSocket::Tcp(stream) => stream.socket.local_addr(),
        }
    }

    /// Waits until something arrives.
    pub(crate) fn wait(&self, patience: Duration) -> io::Result<Wait> {
        if let ManagerSocket::Tcp(stream) = &self.socket
            && stream.has_message()
        {
            return Ok(Wait::Readable);
        }
        wait_for(self.fd(), PollFlags::IN, patience)
    }

    /// The next message that is there.
    pub(crate) fn receive<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<Option<&'b [u8]>> {
        match &mut self.socket {
            ManagerSocket::Udp(socket) => match socket.recv(buffer) {
                Ok(length) => Ok(Some(buffer.get(..length).unwrap_or(&[]))),
                Err(error) if is_transient(&error) => Ok(None),
                Err(error) => Err(error),
            },
            ManagerSocket::Tcp(stream) => stream.receive(buffer),
        }
    }

    /// Waits until something arrives, or another file can be read: then this has timed out.
    pub(crate) fn wait_beside(
        &self,
        other: BorrowedFd<'_>,
        patience: Duration,
    ) -> io::Result<Wait> {
        if let ManagerSocket::Tcp(stream) = &self.socket
            && stream.has_message()
        {
            return Ok(Wait::Readable);
        }
        let mut files = [
            PollFd::from_borrowed_fd(self.fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(other, PollFlags::IN),
        ];
        wait_for_any(&mut files, patience)?;
        let [own, _] = files;
        Ok(if own.revents().is_empty() {
            Wait::TimedOut
        } else {
            Wait::Readable
        })
    }

    fn fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            ManagerSocket::Udp(socket) => socket.as_fd(),
            ManagerSocket::Tcp(stream) => stream.socket.as_fd(),
        }
    }
}

fn open_udp(remote: SocketAddr) -> io::Result<UdpSocket> {
    let any: SocketAddr = if remote.is_ipv4() {
        ([0, 0, 0, 0], 0).into()
    } else {
        ([0_u16; 8], 0).into()
    };
    let socket = UdpSocket::bind(any)?;
    // Connected, the socket takes answers of the agent alone, and learns of refused ports.
    socket.connect(remote)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

fn open_tcp(remote: SocketAddr, timeout: Duration) -> io::Result<Stream> {
    let socket = TcpStream::connect_timeout(&remote, timeout)?;
    socket.set_nodelay(true)?;
    // A few requests at a time never fill the window: without this, TCP backs off exponentially when they are lost.
    let _ = SockRef::from(&socket).set_tcp_thin_linear_timeouts(true);
    socket.set_nonblocking(true)?;
    Ok(Stream {
        socket,
        arrived: Vec::new(),
        taken: 0,
    })
}

fn is_transient(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

/// Waits with the precision of the high-resolution clock: the time-outs of sockets count in scheduler ticks.
fn wait_for(fd: BorrowedFd<'_>, what: PollFlags, patience: Duration) -> io::Result<Wait> {
    wait_for_any(&mut [PollFd::from_borrowed_fd(fd, what)], patience)
}

fn wait_for_any(files: &mut [PollFd<'_>], patience: Duration) -> io::Result<Wait> {
    let timeout = Timespec::try_from(patience).unwrap_or(Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    });
    match poll(files, Some(&timeout)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => Ok(Wait::TimedOut),
        Ok(_) => Ok(Wait::Readable),
        Err(error) => Err(error.into()),
    }
}

impl Stream {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        let mut rest = message;
        while !rest.is_empty() {
            match self.socket.write(rest) {
                Ok(0) => return Err(io::ErrorKind::BrokenPipe.into()),
                Ok(sent) => rest = rest.get(sent..).unwrap_or(&[]),
                Err(error) if is_transient(&error) => {
                    let wait = wait_for(self.socket.as_fd(), PollFlags::OUT, WRITE_TIMEOUT)?;
                    if wait == Wait::TimedOut {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn untaken(&self) -> &[u8] {
        self.arrived.get(self.taken..).unwrap_or(&[])
    }

    fn has_message(&self) -> bool {
        let untaken = self.untaken();
        !untaken.is_empty()
            && match frame_length(untaken) {
                Ok(FrameLength::Octets(length)) => length <= untaken.len(),
                Ok(FrameLength::Incomplete) => false,
                // The error is told by the next read.
                Err(_) => true,
            }
    }

    fn receive<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<Option<&'b [u8]>> {
        loop {
            if let Some(length) = self.take(buffer)? {
                return Ok(Some(buffer.get(..length).unwrap_or(&[])));
            }
            let before = self.arrived.len();
            self.arrived.resize(before + READ, 0);
            let room = self.arrived.get_mut(before..).unwrap_or(&mut []);
            let read = self.socket.read(room);
            let arrived = *read.as_ref().unwrap_or(&0);
            self.arrived.truncate(before + arrived);
            match read {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) if is_transient(&error) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// Moves one whole message into `buffer`.
    fn take(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let untaken = self.untaken();
        let length = match frame_length(untaken) {
            Ok(FrameLength::Octets(length)) if length > buffer.len() => {
                return Err(io::Error::from_raw_os_error(TOO_LARGE));
            }
            Ok(FrameLength::Octets(length)) => length,
            Ok(FrameLength::Incomplete) => usize::MAX,
            Err(_) => return Err(io::Error::from_raw_os_error(NOT_SNMP)),
        };
        if let (Some(message), Some(room)) = (untaken.get(..length), buffer.get_mut(..length)) {
            room.copy_from_slice(message);
            self.taken += length;
            return Ok(Some(length));
        }
        // The rest of a message is to come: what was taken makes room for it.
        self.arrived.drain(..self.taken);
        self.taken = 0;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_stream_keeps_little_however_long_it_runs() {
        const MESSAGES: usize = 5000;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mut stream = open_tcp(address, Duration::from_secs(30)).unwrap();
        let (mut peer, _) = listener.accept().unwrap();
        // 1,001 octets, so that hardly a read ends where a message does.
        let message = [&[0x30, 0x82, 0x03, 0xe5][..], &[0; 997]].concat();
        std::thread::scope(|scope| {
            scope.spawn(|| peer.write_all(&message.repeat(MESSAGES)).unwrap());
            let mut buffer = [0; 2000];
            let mut taken = 0;
            while taken < MESSAGES {
                match stream.receive(&mut buffer).unwrap() {
                    Some(received) => {
                        assert_eq!(received, message);
                        taken += 1;
                    }
                    None => {
                        let patience = Duration::from_secs(30);
                        wait_for(stream.socket.as_fd(), PollFlags::IN, patience).unwrap();
                    }
                }
                assert!(stream.arrived.len() <= READ + 2 * message.len());
            }
        });
    }
}
