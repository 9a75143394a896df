use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};

use rustix::net::RecvFlags;
use socket2::{Domain, Protocol, Socket, Type};

use crate::measurement::Wire;

/// ETH_P_IP (linux/if_ether.h). A socket for this protocol gets what arrives alone: on loopback every packet, once.
const ETH_P_IP: u16 = 0x0800;
/// Octets of packets that wait to be counted.
const QUEUE: usize = 8 << 20;
/// As much of a packet as is looked at.
const HEADERS: usize = 128;
const TCP: u8 = 6;
const UDP: u8 = 17;

/// Counts the IPv4 packets between an agent on loopback and whoever speaks to it.
///
/// A packet that loopback carries in one piece counts as one, though a network would cut it.
#[derive(Debug)]
pub(crate) struct PacketCounter {
    socket: Socket,
    agent: SocketAddr,
}

impl PacketCounter {
    /// Starts to count.
    ///
    /// # Errors
    /// Without the right to see packets (CAP_NET_RAW), or when the agent is not on loopback.
    pub(crate) fn start(agent: SocketAddr) -> io::Result<Self> {
        let IpAddr::V4(address) = agent.ip() else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        if !address.is_loopback() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let protocol = Protocol::from(i32::from(ETH_P_IP.to_be()));
        let socket = Socket::new(Domain::PACKET, Type::DGRAM, Some(protocol))?;
        socket.set_recv_buffer_size(QUEUE)?;
        socket.set_nonblocking(true)?;
        let counter = Self { socket, agent };
        counter.count()?;
        Ok(counter)
    }

    /// What went over the wire since it was asked last.
    ///
    /// # Errors
    /// When packets cannot be read.
    pub(crate) fn count(&self) -> io::Result<Wire> {
        let mut wire = Wire::default();
        let mut buffer = [0; HEADERS];
        loop {
            // The length of the packet, though less of it is read.
            let received = rustix::net::recv(&self.socket, &mut buffer, RecvFlags::TRUNC);
            match received {
                Ok((read, length)) => {
                    let packet = buffer.get(..read).unwrap_or_default();
                    add(&mut wire, packet, length as u64, self.agent);
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return Ok(wire),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Adds a packet if it is one of the agent's.
fn add(wire: &mut Wire, packet: &[u8], octets: u64, agent: SocketAddr) {
    match ports(packet) {
        Some((_, to)) if to == agent.port() => {
            wire.packets_sent += 1;
            wire.octets_sent += octets;
        }
        Some((from, _)) if from == agent.port() => {
            wire.packets_received += 1;
            wire.octets_received += octets;
        }
        _ => {}
    }
}

/// The ports of a packet of UDP or TCP over IPv4 (RFC 791, RFC 768, RFC 9293).
fn ports(packet: &[u8]) -> Option<(u16, u16)> {
    let header = usize::from(packet.first()? & 0xf) * 4;
    let is_known = packet.first()? >> 4 == 4 && matches!(*packet.get(9)?, TCP | UDP);
    let mut ports = packet.get(header..header + 4).filter(|_| is_known)?;
    let mut port = [0; 2];
    ports.read_exact(&mut port).ok()?;
    let from = u16::from_be_bytes(port);
    ports.read_exact(&mut port).ok()?;
    Some((from, u16::from_be_bytes(port)))
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    #[test]
    fn every_packet_counts_once_in_its_direction() {
        let agent = UdpSocket::bind("127.0.0.1:0").unwrap();
        let counter = match PacketCounter::start(agent.local_addr().unwrap()) {
            Ok(counter) => counter,
            Err(error) => {
                eprintln!("skipped: no packet socket: {error}");
                return;
            }
        };
        let manager = UdpSocket::bind("127.0.0.1:0").unwrap();
        manager.connect(agent.local_addr().unwrap()).unwrap();
        let mut buffer = [0; 2000];
        for _ in 0..3 {
            manager.send(&[0; 100]).unwrap();
            let (_, from) = agent.recv_from(&mut buffer).unwrap();
            agent.send_to(&[0; 1000], from).unwrap();
            manager.recv(&mut buffer).unwrap();
        }
        let wire = counter.count().unwrap();
        assert_eq!((wire.packets_sent, wire.octets_sent), (3, 3 * 128));
        assert_eq!((wire.packets_received, wire.octets_received), (3, 3 * 1028));
        assert_eq!(counter.count().unwrap(), Wire::default());
    }
}
