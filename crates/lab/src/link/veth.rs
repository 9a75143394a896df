use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::net::{RecvFlags, recv};
use socket2::{Domain, SockAddr, Socket, Type};

use super::device::INTERFACE;
use super::namespace::interface;
use super::route::RouteSocket;
use super::system_calls::{ignore_outgoing, link_layer_address, switch_off_offloads};

/// The other interface of the pair, which only the packet socket uses.
const PEER: &str = "emulator";
/// That of all interfaces of links: a frame is for the other end as it is, and not for the one that it leaves by.
const ADDRESS: [u8; 6] = [0x02, 0, 0, 0, 0, 1];
const ETH_P_ALL: u16 = 0x0003;
const ETH_P_IP: u16 = 0x0800;
const ETH_P_IPV6: u16 = 0x86dd;
/// The other interface takes whatever the first one does.
const LARGEST: u32 = 65_535;
/// Octets of packets that wait for the emulator, up to the system's limit.
const QUEUE: usize = 8 << 20;

/// A pair of virtual Ethernet interfaces: what leaves by one is read from the other by a packet socket.
///
/// There is no ARP: every frame has the address that the interface at the other end of the link has. The interface that the
/// frame arrives at has another, so that the namespace's own stack leaves it alone.
#[derive(Debug)]
pub(super) struct Veth {
    socket: Socket,
    to_v4: SockAddr,
    to_v6: SockAddr,
}

impl Veth {
    /// A pair in the namespace of this thread.
    pub(super) fn open() -> io::Result<Self> {
        let mut routes = RouteSocket::open()?;
        routes.add_veth(INTERFACE, ADDRESS, PEER)?;
        let peer = interface(PEER)?;
        // A socket that is bound to an interface which is down has an error.
        routes.set_up_without_arp(peer, LARGEST)?;
        let socket = Socket::new(Domain::PACKET, Type::DGRAM, None)?;
        // Otherwise packets come whose checksum is still to be made, and of any length.
        switch_off_offloads(&socket, INTERFACE)?;
        ignore_outgoing(&socket)?;
        let _ = socket.set_recv_buffer_size(QUEUE);
        let _ = socket.set_send_buffer_size(QUEUE);
        socket.set_nonblocking(true)?;
        socket.bind(&link_layer_address(peer, ETH_P_ALL, ADDRESS))?;
        Ok(Self {
            socket,
            to_v4: link_layer_address(peer, ETH_P_IP, ADDRESS),
            to_v6: link_layer_address(peer, ETH_P_IPV6, ADDRESS),
        })
    }

    pub(super) fn receive(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let (length, _) = recv(&self.socket, buffer, RecvFlags::empty())?;
        Ok(length)
    }

    pub(super) fn send(&self, packet: &[u8]) -> io::Result<()> {
        let to = match packet.first().map(|octet| octet >> 4) {
            Some(6) => &self.to_v6,
            _ => &self.to_v4,
        };
        self.socket.send_to(packet, to).map(|_| ())
    }
}

impl AsFd for Veth {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
