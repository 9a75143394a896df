use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::net::sockopt::{
    Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery, set_ip_mtu_discover, set_ipv6_mtu_discover,
};
use socket2::{Domain, Protocol, SockRef, Socket, Type};

use super::send_batch::{SendBatch, SentReply, group_length};
use super::system_calls::{self, Control};
pub use super::system_calls::{LocalAddress, ReceiveBatch};

/// A UDP socket of an agent.
///
/// Replies leave from the address that was asked (RFC 3417 section 3.1 asks for nothing less): bound to the wildcard
/// address, the socket learns the destination of each datagram.
#[derive(Debug)]
pub struct BatchSocket {
    socket: UdpSocket,
    /// Cleared when the kernel refuses to cut one send into several datagrams.
    has_segmentation: AtomicBool,
}

/// A datagram that was received.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// Who sent it.
    pub remote: SocketAddr,
    /// Which local address it was sent to, if the socket does not tell.
    pub local: Option<LocalAddress>,
    /// Its payload.
    pub payload: &'a [u8],
}

impl BatchSocket {
    /// Binds a socket.
    ///
    /// # Errors
    /// As `bind(2)`.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = Socket::new(
            Domain::for_address(address),
            Type::DGRAM,
            Some(Protocol::UDP),
        )?;
        if address.is_ipv6() {
            socket.set_only_v6(true)?;
        }
        // Without more room 256 requests of 100 octets are all that waits while the agent works. The kernel may grant
        // less.
        let _ = socket.set_recv_buffer_size(1 << 20);
        let _ = socket.set_send_buffer_size(1 << 20);
        socket.bind(&address.into())?;
        let socket = UdpSocket::from(socket);
        if address.ip().is_unspecified() {
            system_calls::receive_destination(socket.as_fd(), address.ip())?;
        }
        // A kernel without it delivers each datagram by itself.
        let _ = system_calls::merge_received(socket.as_fd());
        Ok(Self {
            socket,
            has_segmentation: AtomicBool::new(true),
        })
    }

    /// Opens a socket of a manager, which sends to many peers: nothing waits in it, and it learns what routers and hosts
    /// report about each peer ([`take_error`](Self::take_error)).
    ///
    /// # Errors
    /// As `bind(2)`.
    pub fn open_unconnected(local: SocketAddr) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(local), Type::DGRAM, Some(Protocol::UDP))?;
        if local.is_ipv6() {
            socket.set_only_v6(true)?;
        }
        let _ = socket.set_send_buffer_size(1 << 20);
        socket.set_nonblocking(true)?;
        socket.bind(&local.into())?;
        let socket = UdpSocket::from(socket);
        system_calls::queue_errors(socket.as_fd(), local.ip())?;
        let _ = system_calls::merge_received(socket.as_fd());
        let this = Self {
            socket,
            has_segmentation: AtomicBool::new(true),
        };
        // A burst of answers of many agents waits there.
        let _ = this.set_receive_buffer(4 << 20);
        Ok(this)
    }

    /// The same socket once more, for who waits for it.
    pub(crate) fn try_clone_socket(&self) -> io::Result<UdpSocket> {
        self.socket.try_clone()
    }

    /// The next report about a peer that was sent to; `None` if there is none.
    ///
    /// # Errors
    /// As `recvmsg(2)`.
    pub fn take_error(&self) -> io::Result<Option<(SocketAddr, io::Error)>> {
        system_calls::take_error(self.socket.as_fd())
    }

    /// Asks for this much room for datagrams that wait to be received, in octets as the kernel counts them. Without
    /// privileges the kernel grants no more than net.core.rmem_max says.
    ///
    /// # Errors
    /// As `setsockopt(2)`.
    pub fn set_receive_buffer(&self, octets: usize) -> io::Result<()> {
        let forced = i32::try_from(octets).unwrap_or(i32::MAX);
        system_calls::force_receive_buffer(self.socket.as_fd(), forced)
            .or_else(|_| SockRef::from(&self.socket).set_recv_buffer_size(octets))
    }

    /// Marks datagrams with Don't Fragment from now on. ICMP path-MTU messages are ignored because they can be forged.
    /// One that the interface does not carry in one piece is not sent.
    ///
    /// # Errors
    /// As `setsockopt(2)`.
    pub fn never_fragment(&self) -> io::Result<()> {
        match self.local_addr()? {
            SocketAddr::V4(_) => set_ip_mtu_discover(&self.socket, Ipv4PathMtuDiscovery::PROBE)?,
            SocketAddr::V6(_) => set_ipv6_mtu_discover(&self.socket, Ipv6PathMtuDiscovery::PROBE)?,
        }
        Ok(())
    }

    /// How many datagrams the kernel has thrown away since the socket was bound, for lack of room or as damaged; the
    /// number wraps.
    ///
    /// # Errors
    /// As `getsockopt(2)`, with Linux before 4.12.
    pub fn dropped(&self) -> io::Result<u32> {
        system_calls::dropped(self.socket.as_fd())
    }

    /// The address that the socket is bound to.
    ///
    /// # Errors
    /// As `getsockname(2)`.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Waits for at least one datagram and takes those that are there. The batch is empty when the socket was
    /// [woken](Self::wake).
    ///
    /// # Errors
    /// As `recvmmsg(2)`.
    pub fn receive(&self, batch: &mut ReceiveBatch) -> io::Result<()> {
        batch.receive(self.socket.as_fd(), true)
    }

    /// Takes the datagrams that are there, without waiting.
    ///
    /// # Errors
    /// As `recvmmsg(2)`; `WouldBlock` if there are none.
    pub fn try_receive(&self, batch: &mut ReceiveBatch) -> io::Result<()> {
        batch.receive(self.socket.as_fd(), false)
    }

    /// Wakes the thread that waits in [`receive`](Self::receive), for good.
    pub fn wake(&self) {
        // An unconnected socket answers ENOTCONN, but its reader wakes.
        let _ = SockRef::from(&self.socket).shutdown(std::net::Shutdown::Read);
    }

    /// Sends all replies of `batch`, whose octets are in `arena`, and empties it.
    ///
    /// A reply that cannot be sent is lost, as any datagram may be, and no other; the last error is returned.
    ///
    /// # Errors
    /// As `sendmmsg(2)`.
    pub fn send(&self, batch: &mut SendBatch, arena: &[u8]) -> io::Result<()> {
        let merge = self.has_segmentation.load(Ordering::Relaxed);
        let mut result = Ok(());
        for (group, error) in self.send_groups(&batch.replies, arena, merge) {
            let replies = batch.replies.get(group).unwrap_or(&[]);
            // EIO: no checksum offload on the way out; EINVAL: the segments exceed the path MTU.
            let is_too_much = matches!(
                error.raw_os_error(),
                Some(libc::EIO | libc::EINVAL | libc::EMSGSIZE)
            );
            if replies.len() < 2 || !is_too_much {
                result = Err(error);
                continue;
            }
            if error.raw_os_error() == Some(libc::EIO) {
                self.has_segmentation.store(false, Ordering::Relaxed);
            }
            if let Some((_, error)) = self.send_groups(replies, arena, false).pop() {
                result = Err(error);
            }
        }
        batch.replies.clear();
        result
    }

    /// Sends all datagrams of `batch` that can be sent at once, and tells of each that cannot be sent at all. Those that
    /// must wait stay in the batch.
    pub fn try_send(
        &self,
        batch: &mut SendBatch,
        arena: &[u8],
        mut on_error: impl FnMut(SocketAddr, io::Error),
    ) {
        let mut waiting = Vec::new();
        for (group, _) in self.send_groups(&batch.replies, arena, true) {
            for reply in batch.replies.get(group).unwrap_or(&[]) {
                // The error may be what was reported about another peer before. It is told once.
                match self
                    .send_groups(std::slice::from_ref(reply), arena, false)
                    .pop()
                {
                    None => {}
                    Some((_, error)) if error.kind() == io::ErrorKind::WouldBlock => {
                        waiting.push(reply.clone());
                    }
                    Some((_, error)) => on_error(reply.remote, error),
                }
            }
        }
        batch.replies = waiting;
    }

    /// Returns the groups of replies that were not sent, and why.
    fn send_groups(
        &self,
        replies: &[SentReply],
        arena: &[u8],
        merge: bool,
    ) -> Vec<(Range<usize>, io::Error)> {
        if let [reply] = replies {
            let payload = arena.get(reply.range.clone()).unwrap_or(&[]);
            return system_calls::send(self.socket.as_fd(), payload, reply.remote, reply.local)
                .err()
                .map(|error| (0..1, error))
                .into_iter()
                .collect();
        }
        let mut groups = Vec::with_capacity(replies.len());
        let mut at = 0;
        while let Some(rest) = replies.get(at..).filter(|rest| !rest.is_empty()) {
            let length = if merge { group_length(rest) } else { 1 };
            groups.push(at..at + length);
            at += length;
        }
        let mut sends = system_calls::SendVector::with_capacity(groups.len(), replies.len());
        for group in &groups {
            let Some([first, rest @ ..]) = replies.get(group.clone()) else {
                continue;
            };
            let payloads = std::iter::once(first)
                .chain(rest)
                .map(|reply| arena.get(reply.range.clone()).unwrap_or(&[]));
            let control = Control {
                local: first.local,
                segment: (!rest.is_empty()).then_some(first.range.len()),
            };
            sends.push(first.remote, &control, payloads);
        }
        let failed = sends.send(self.socket.as_fd()).into_iter();
        failed
            .filter_map(|(at, error)| Some((groups.get(at)?.clone(), error)))
            .collect()
    }

    /// Sends one datagram.
    ///
    /// # Errors
    /// As `sendmsg(2)`.
    pub fn send_one(
        &self,
        payload: &[u8],
        remote: SocketAddr,
        local: Option<LocalAddress>,
    ) -> io::Result<()> {
        system_calls::send(self.socket.as_fd(), payload, remote, local)
    }
}

impl AsFd for BatchSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl From<IpAddr> for LocalAddress {
    fn from(ip: IpAddr) -> Self {
        Self::of_ip(ip)
    }
}

impl LocalAddress {
    /// The address.
    #[must_use]
    pub const fn ip(self) -> IpAddr {
        self.ip
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_not_be_fragmented_is_marked() {
        use rustix::net::sockopt::{ip_mtu_discover, ipv6_mtu_discover};

        let socket = BatchSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        assert_ne!(
            ip_mtu_discover(&socket.socket),
            Ok(Ipv4PathMtuDiscovery::PROBE)
        );
        socket.never_fragment().unwrap();
        assert_eq!(
            ip_mtu_discover(&socket.socket),
            Ok(Ipv4PathMtuDiscovery::PROBE)
        );
        let socket = BatchSocket::bind("[::1]:0".parse().unwrap()).unwrap();
        socket.never_fragment().unwrap();
        assert_eq!(
            ipv6_mtu_discover(&socket.socket),
            Ok(Ipv6PathMtuDiscovery::PROBE)
        );
    }

    #[test]
    fn datagrams_come_back_from_the_address_that_was_asked() {
        let socket = BatchSocket::bind(SocketAddr::from(([0, 0, 0, 0], 0))).unwrap();
        let port = socket.local_addr().unwrap().port();
        let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
        let asked = SocketAddr::from(([127, 0, 0, 9], port));
        for payload in [b"one", b"two", b"six"] {
            peer.send_to(payload, asked).unwrap();
        }
        let mut batch = ReceiveBatch::new(8);
        let mut replies = SendBatch::default();
        let mut arena = Vec::new();
        while replies.len() < 3 {
            socket.receive(&mut batch).unwrap();
            for datagram in batch.datagrams() {
                let start = arena.len();
                arena.extend_from_slice(datagram.payload);
                replies.push(&datagram, start..arena.len());
            }
        }
        socket.send(&mut replies, &arena).unwrap();
        let mut buffer = [0; 16];
        for payload in [b"one", b"two", b"six"] {
            let (length, from) = peer.recv_from(&mut buffer).unwrap();
            assert_eq!(&buffer[..length], payload);
            assert_eq!(from, asked);
        }
    }

    #[test]
    fn datagrams_without_room_are_counted() {
        let socket = BatchSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        socket.set_receive_buffer(4096).unwrap();
        assert_eq!(socket.dropped().unwrap(), 0);
        let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        for _ in 0..100 {
            peer.send_to(&[7; 500], address).unwrap();
        }
        let mut batch = ReceiveBatch::new(8);
        let mut received = 0;
        while socket.try_receive(&mut batch).is_ok() {
            received += batch.datagrams().count();
        }
        let dropped = usize::try_from(socket.dropped().unwrap()).unwrap();
        assert!(dropped > 0);
        assert_eq!(received + dropped, 100);
    }

    #[test]
    fn a_batch_is_full_as_long_as_more_may_wait() {
        let socket = BatchSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
        for payload in [&b"one"[..], b"three", b"seventeen"] {
            peer.send_to(payload, socket.local_addr().unwrap()).unwrap();
        }
        let mut batch = ReceiveBatch::new(2);
        let mut received = Vec::new();
        while received.len() < 3 {
            socket.receive(&mut batch).unwrap();
            let before = received.len();
            received.extend(batch.datagrams().map(|datagram| datagram.payload.len()));
            assert_eq!(batch.is_full(), received.len() == before + 2);
        }
        assert_eq!(received, [3, 5, 9]);
    }

    #[test]
    fn a_woken_socket_gives_what_is_there_and_then_nothing() {
        let socket = BatchSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let mut batch = ReceiveBatch::new(8);
        std::thread::scope(|scope| {
            let receiver = scope.spawn(|| {
                let mut batch = ReceiveBatch::new(8);
                socket.receive(&mut batch).unwrap();
                batch.datagrams().count()
            });
            std::thread::sleep(std::time::Duration::from_millis(20));
            socket.wake();
            assert_eq!(receiver.join().unwrap(), 0);
        });
        socket.receive(&mut batch).unwrap();
        assert_eq!(batch.datagrams().count(), 0);
    }
}
