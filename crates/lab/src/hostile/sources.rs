//! Addresses of hostile peers, all in 127/8, and the file descriptors that they need.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream, UdpSocket};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use socket2::{Domain, Socket, Type};

use super::attack::Sources;

/// Where an attack from a single source comes from.
const ONE: Ipv4Addr = Ipv4Addr::new(127, 66, 0, 1);
/// The second octet of the first of many sources.
const MANY: u8 = 80;
/// How long the kernel may take to connect on loopback before the agent counts as unreachable.
const LONGEST_CONNECT: Duration = Duration::from_millis(200);

impl Sources {
    /// The address of the peer with this number.
    pub(super) fn address(self, number: u32) -> Ipv4Addr {
        let octet = |number: u32| u8::try_from(number % 250).unwrap_or_default();
        match self {
            Self::One => ONE,
            // No more than 100 x 250 of them.
            Self::Many => Ipv4Addr::new(127, MANY + octet(number / 250) % 100, octet(number), 1),
        }
    }

    fn socket_address(self, number: u32) -> SocketAddr {
        SocketAddrV4::new(self.address(number), 0).into()
    }

    /// Connects from the peer's address. The stream does not block, and is reset when it is closed.
    pub(super) fn connect(self, number: u32, agent: SocketAddr) -> io::Result<TcpStream> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.bind(&self.socket_address(number).into())?;
        socket.set_linger(Some(Duration::ZERO))?;
        socket.connect_timeout(&agent.into(), LONGEST_CONNECT)?;
        socket.set_nonblocking(true)?;
        Ok(socket.into())
    }

    /// A socket at the peer's address for datagrams to the agent. It does not block.
    pub(super) fn datagrams(self, number: u32, agent: SocketAddr) -> io::Result<UdpSocket> {
        let socket = UdpSocket::bind(self.socket_address(number))?;
        socket.connect(agent)?;
        socket.set_nonblocking(true)?;
        Ok(socket)
    }
}

/// Lets this process open as many files as the system allows it.
///
/// # Errors
/// What the system says.
pub(super) fn raise_descriptor_limit() -> io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    Ok(setrlimit(Resource::Nofile, raised)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_of_many_sources_has_a_block_of_its_own() {
        let blocks: BTreeSet<[u8; 3]> = (0..1500)
            .map(|number| {
                let [a, b, c, _] = Sources::Many.address(number).octets();
                assert_eq!(a, 127);
                [a, b, c]
            })
            .collect();
        assert_eq!(blocks.len(), 1500);
        assert!(!blocks.contains(&[127, 0, 0]));
    }
}
