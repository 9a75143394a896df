use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

use super::{PeerSocket, is_transient};

/// A UDP socket that is connected to its peer.
#[derive(Debug)]
pub(super) struct UdpConnection(UdpSocket);

impl UdpConnection {
    pub(super) fn open(remote: SocketAddr) -> io::Result<Self> {
        let any: SocketAddr = if remote.is_ipv4() {
            ([0, 0, 0, 0], 0).into()
        } else {
            ([0_u16; 8], 0).into()
        };
        let socket = UdpSocket::bind(any)?;
        // Connected, the socket takes answers of the agent alone, and learns of refused ports.
        socket.connect(remote)?;
        socket.set_nonblocking(true)?;
        Ok(Self(socket))
    }
}

impl PeerSocket for UdpConnection {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.0.send(message).map(|_| ())
    }

    fn receive<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<Option<&'b [u8]>> {
        match self.0.recv(buffer) {
            Ok(length) => Ok(Some(buffer.get(..length).unwrap_or(&[]))),
            Err(error) if is_transient(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn file(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn local(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}
