use std::io::{self, Read};
use std::net::{SocketAddr, UdpSocket as BlockingSocket};

use socket2::SockRef;
use tokio::io::Interest;
use tokio::net::UdpSocket;

/// Readiness to be read, which a reported error is too.
const ARRIVAL: Interest = Interest::READABLE.add(Interest::ERROR);

/// A UDP socket with a port of its own and one peer, of the runtime in which it was opened. It takes datagrams of the peer
/// alone, and learns when nothing listens there.
pub(crate) struct ConnectedSocket(UdpSocket);

impl ConnectedSocket {
    pub(crate) fn open(remote: SocketAddr) -> io::Result<Self> {
        let any: SocketAddr = if remote.is_ipv4() {
            ([0, 0, 0, 0], 0).into()
        } else {
            ([0_u16; 8], 0).into()
        };
        let socket = BlockingSocket::bind(any)?;
        socket.connect(remote)?;
        socket.set_nonblocking(true)?;
        Ok(Self(UdpSocket::from_std(socket)?))
    }

    /// Waits for a datagram or an error.
    pub(crate) async fn ready(&self) -> io::Result<()> {
        self.0.ready(ARRIVAL).await.map(drop)
    }

    /// Sends a datagram when there is room for it.
    pub(crate) async fn send(&self, datagram: &[u8]) -> io::Result<()> {
        let sent = match self.0.send(datagram).await {
            // Of a datagram that was sent before; this one was not tried.
            Err(error) if is_refused(&error) => self.0.send(datagram).await,
            sent => sent,
        };
        sent.map(drop)
    }

    /// Sends a datagram if there is room for it.
    #[cfg(feature = "dtls")]
    pub(crate) fn try_send(&self, datagram: &[u8]) -> io::Result<usize> {
        SockRef::from(&self.0).send(datagram)
    }

    /// A datagram, if one is there.
    pub(crate) fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let receive = || (&*SockRef::from(&self.0)).read(buffer);
        // An error makes a socket neither readable nor writable, and `try_io` takes one interest at a time.
        let has_error = self.0.try_io(Interest::ERROR, || Ok(())).is_ok();
        let interest = if has_error {
            Interest::ERROR
        } else {
            Interest::READABLE
        };
        match self.0.try_io(interest, receive) {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The address from which the peer is sent to.
    pub(crate) fn local(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

pub(crate) fn is_refused(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ConnectionRefused
}
