use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};

use rustix::net::RecvFlags;
use socket2::{Domain, Protocol, Socket, Type};

use crate::link::Lane;
use crate::measurement::Wire;

/// ETH_P_IP and ETH_P_IPV6 (linux/if_ether.h). A socket for one of these protocols gets what arrives alone: on loopback
/// every packet, once. Across a link it takes ETH_P_ALL to get also what leaves.
const ETH_P_ALL: u16 = 0x0003;
const ETH_P_IP: u16 = 0x0800;
const ETH_P_IPV6: u16 = 0x86dd;
/// Octets of packets that wait to be counted.
const QUEUE: usize = 8 << 20;
/// As much of a packet as is looked at.
const HEADERS: usize = 128;
/// Octets of the header of IPv6.
const IPV6_HEADER: usize = 40;
const TCP: u8 = 6;
const UDP: u8 = 17;

/// Counts the IP packets between an agent on loopback, or at the far end of a link, and whoever speaks to it.
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
    /// Without the right to see packets (CAP_NET_RAW), or when the agent is elsewhere.
    pub(crate) fn start(agent: SocketAddr) -> io::Result<Self> {
        let protocol = match agent.ip() {
            ip if Lane::is_far(ip) => ETH_P_ALL,
            ip if !ip.is_loopback() => return Err(io::ErrorKind::Unsupported.into()),
            IpAddr::V4(_) => ETH_P_IP,
            IpAddr::V6(_) => ETH_P_IPV6,
        };
        let protocol = Protocol::from(i32::from(protocol.to_be()));
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
        self.each(|packet| match packet.direction {
            Direction::Sent => {
                wire.packets_sent += 1;
                wire.octets_sent += packet.octets;
            }
            Direction::Received => {
                wire.packets_received += 1;
                wire.octets_received += packet.octets;
            }
        })?;
        Ok(wire)
    }

    /// Passes each packet of the agent that has come since the last call to `observe`.
    ///
    /// # Errors
    /// When packets cannot be read.
    pub(crate) fn each(&self, mut observe: impl FnMut(Packet)) -> io::Result<()> {
        let mut buffer = [0; HEADERS];
        loop {
            // The length of the packet, though less of it is read.
            let received = rustix::net::recv(&self.socket, &mut buffer, RecvFlags::TRUNC);
            match received {
                Ok((read, length)) => {
                    let headers = buffer.get(..read).unwrap_or_default();
                    if let Some(direction) = self.direction(headers) {
                        observe(Packet {
                            direction,
                            octets: length as u64,
                        });
                    }
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The direction of a packet, if it is one of the agent's.
    fn direction(&self, packet: &[u8]) -> Option<Direction> {
        let (from, to) = ports(packet)?;
        if to == self.agent.port() {
            Some(Direction::Sent)
        } else if from == self.agent.port() {
            Some(Direction::Received)
        } else {
            None
        }
    }
}

/// A packet that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    /// Seen from the manager.
    pub(crate) direction: Direction,
    /// With its headers from that of IP on.
    pub(crate) octets: u64,
}

/// Where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To the agent.
    Sent,
    /// From it.
    Received,
}

/// The ports of a packet of UDP or TCP over IPv4 or IPv6 without extension headers (RFC 791, RFC 8200, RFC 768, RFC 9293).
fn ports(packet: &[u8]) -> Option<(u16, u16)> {
    let first = packet.first()?;
    let (header, protocol) = match first >> 4 {
        4 => (usize::from(first & 0xf) * 4, packet.get(9)?),
        6 => (IPV6_HEADER, packet.get(6)?),
        _ => return None,
    };
    let is_known = matches!(*protocol, TCP | UDP);
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

    fn count_of(loopback: &str) {
        let agent = match UdpSocket::bind(loopback) {
            Ok(agent) => agent,
            Err(error) => {
                eprintln!("skipped: no {loopback}: {error}");
                return;
            }
        };
        let counter = match PacketCounter::start(agent.local_addr().unwrap()) {
            Ok(counter) => counter,
            Err(error) => {
                eprintln!("skipped: no packet socket: {error}");
                return;
            }
        };
        let headers = if loopback.contains('[') { 48 } else { 28 };
        let manager = UdpSocket::bind(loopback).unwrap();
        manager.connect(agent.local_addr().unwrap()).unwrap();
        let mut buffer = [0; 2000];
        for _ in 0..3 {
            manager.send(&[0; 100]).unwrap();
            let (_, from) = agent.recv_from(&mut buffer).unwrap();
            agent.send_to(&[0; 1000], from).unwrap();
            manager.recv(&mut buffer).unwrap();
        }
        let wire = counter.count().unwrap();
        let (sent, received) = (3 * (100 + headers), 3 * (1000 + headers));
        assert_eq!((wire.packets_sent, wire.octets_sent), (3, sent));
        assert_eq!((wire.packets_received, wire.octets_received), (3, received));
        assert_eq!(counter.count().unwrap(), Wire::default());
    }

    #[test]
    fn every_packet_counts_once_in_its_direction() {
        count_of("127.0.0.1:0");
    }

    #[test]
    fn packets_over_ipv6_count_too() {
        count_of("[::1]:0");
    }
}
