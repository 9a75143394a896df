use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::event::PollFlags;
use socket2::SockRef;

use super::framing::{Framing, READ};
use super::{PeerSocket, Wait, is_transient, wait_for};

/// How long a peer may refuse to take a request.
pub(super) const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// A TCP connection and what has arrived of it but not been taken.
#[derive(Debug)]
pub(super) struct TcpConnection {
    socket: TcpStream,
    framing: Framing,
}

/// A connected socket that does not block.
pub(super) fn connect(remote: SocketAddr, timeout: Duration) -> io::Result<TcpStream> {
    let socket = TcpStream::connect_timeout(&remote, timeout)?;
    socket.set_nodelay(true)?;
    // A few requests at a time never fill the window: without this, TCP backs off exponentially when they are lost.
    let _ = SockRef::from(&socket).set_tcp_thin_linear_timeouts(true);
    socket.set_nonblocking(true)?;
    Ok(socket)
}

impl TcpConnection {
    pub(super) fn open(remote: SocketAddr, timeout: Duration) -> io::Result<Self> {
        Ok(Self {
            socket: connect(remote, timeout)?,
            framing: Framing::default(),
        })
    }
}

impl PeerSocket for TcpConnection {
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

    fn receive<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<Option<&'b [u8]>> {
        let Self { socket, framing } = self;
        framing.receive(buffer, |arrived| {
            let before = arrived.len();
            arrived.resize(before + READ, 0);
            let room = arrived.get_mut(before..).unwrap_or(&mut []);
            let read = socket.read(room);
            arrived.truncate(before + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(read) => Ok(Some(read)),
                Err(error) if is_transient(&error) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    fn is_ready(&self) -> bool {
        self.framing.has_message()
    }

    fn file(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    fn local(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
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
        let mut stream = TcpConnection::open(address, Duration::from_secs(30)).unwrap();
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
                assert!(stream.framing.held() <= READ + 2 * message.len());
            }
        });
    }
}
