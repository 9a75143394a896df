//! The kernel's counters of one TCP connection, asked over netlink (sock_diag(7)).

use std::io;
use std::net::{IpAddr, SocketAddr};

use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with,
};

use crate::measurement::{Counting, Traffic};

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST: u16 = 1;
const INET_DIAG_INFO: u16 = 2;
const IPPROTO_TCP: u8 = 6;
const NETLINK_HEADER: usize = 16;
/// struct inet_diag_msg.
const DIAG_MESSAGE: usize = 72;
/// Offsets in struct tcp_info (linux/tcp.h), which only grows at its end.
const OPTIONS_AT: usize = 5;
const SEGMENTS_SENT_AT: usize = 136;
const SEGMENTS_RECEIVED_AT: usize = 140;
const OCTETS_RECEIVED_AT: usize = 128;
const OCTETS_SENT_AT: usize = 200;
/// TCPI_OPT_TIMESTAMPS.
const TIMESTAMPS: u8 = 1;

/// Octets of options in a SYN beyond those of the timestamps: maximum segment size, selective acknowledgement, window
/// scale.
pub(super) const SYN_OPTIONS_BEYOND: u64 = 8;

/// What the kernel counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct TcpInformation {
    pub(super) segments_sent: u32,
    pub(super) segments_received: u32,
    /// Of what the connection carries, with all that was sent again.
    octets_sent: u64,
    octets_received: u64,
    /// IP and TCP headers of a segment, timestamps included where they are in use.
    pub(super) header_octets: u64,
}

impl TcpInformation {
    /// What a connection took over which messages go protected, without its close: who protects has more to say then.
    pub(super) fn count_protected(&self, traffic: &mut Traffic) {
        traffic.counting = Counting::KernelSegments;
        traffic.ip_packets_sent = u64::from(self.segments_sent);
        traffic.ip_packets_received = u64::from(self.segments_received);
        traffic.ip_octets_sent =
            self.octets_sent + traffic.ip_packets_sent * self.header_octets + SYN_OPTIONS_BEYOND;
        traffic.ip_octets_received = self.octets_received
            + traffic.ip_packets_received * self.header_octets
            + SYN_OPTIONS_BEYOND;
    }
}

/// Asks for the counters of a connection.
pub(super) fn read(local: SocketAddr, remote: SocketAddr) -> io::Result<TcpInformation> {
    let request = request(local, remote);
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        Some(SOCK_DIAG),
    )?;
    let kernel = SocketAddrNetlink::new(0, 0);
    sendto(&socket, &request, SendFlags::empty(), &kernel)?;
    let mut buffer = [0; 4096];
    let (length, _) = recv(&socket, &mut buffer, RecvFlags::empty())?;
    let (information, is_ipv6) = buffer
        .get(..length)
        .and_then(information)
        .ok_or(io::ErrorKind::InvalidData)?;
    let options = information.get(OPTIONS_AT).copied().unwrap_or_default();
    let timestamps = if options & TIMESTAMPS == 0 { 0 } else { 12 };
    let counter = |at: usize| {
        let octets = information.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_ne_bytes(octets))
    };
    let long_counter = |at: usize| {
        let octets = information.get(at..at + 8)?.try_into().ok()?;
        Some(u64::from_ne_bytes(octets))
    };
    Ok(TcpInformation {
        segments_sent: counter(SEGMENTS_SENT_AT).ok_or(io::ErrorKind::Unsupported)?,
        segments_received: counter(SEGMENTS_RECEIVED_AT).ok_or(io::ErrorKind::Unsupported)?,
        octets_sent: long_counter(OCTETS_SENT_AT).ok_or(io::ErrorKind::Unsupported)?,
        octets_received: long_counter(OCTETS_RECEIVED_AT).ok_or(io::ErrorKind::Unsupported)?,
        header_octets: if is_ipv6 { 40 } else { 20 } + 20 + timestamps,
    })
}

/// struct nlmsghdr and struct inet_diag_req_v2 (linux/inet_diag.h).
fn request(local: SocketAddr, remote: SocketAddr) -> Vec<u8> {
    const LENGTH: u32 = 16 + 56;
    let mut octets = Vec::with_capacity(72);
    octets.extend(LENGTH.to_ne_bytes());
    octets.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    octets.extend(NLM_F_REQUEST.to_ne_bytes());
    octets.extend([0; 8]);
    let family = match local.ip() {
        IpAddr::V4(_) => AddressFamily::INET,
        IpAddr::V6(_) => AddressFamily::INET6,
    };
    octets.push(u8::try_from(family.as_raw()).unwrap_or_default());
    octets.extend([IPPROTO_TCP, 1 << (INET_DIAG_INFO - 1), 0]);
    octets.extend(u32::MAX.to_ne_bytes());
    octets.extend(local.port().to_be_bytes());
    octets.extend(remote.port().to_be_bytes());
    for address in [local.ip(), remote.ip()] {
        let mut field = [0; 16];
        match address {
            IpAddr::V4(address) => field[..4].copy_from_slice(&address.octets()),
            IpAddr::V6(address) => field = address.octets(),
        }
        octets.extend(field);
    }
    octets.extend(0_u32.to_ne_bytes());
    // INET_DIAG_NOCOOKIE.
    octets.extend([0xff; 8]);
    octets
}

/// The tcp_info in an answer, and whether the connection is one of IPv6.
fn information(answer: &[u8]) -> Option<(&[u8], bool)> {
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    if kind != SOCK_DIAG_BY_FAMILY {
        return None;
    }
    let is_ipv6 = u16::from(*answer.get(NETLINK_HEADER)?) == AddressFamily::INET6.as_raw();
    let mut attributes = answer.get(NETLINK_HEADER + DIAG_MESSAGE..)?;
    loop {
        let length = usize::from(u16::from_ne_bytes(attributes.get(..2)?.try_into().ok()?));
        let kind = u16::from_ne_bytes(attributes.get(2..4)?.try_into().ok()?);
        if kind == INET_DIAG_INFO {
            return Some((attributes.get(4..length)?, is_ipv6));
        }
        attributes = attributes.get(length.max(4).next_multiple_of(4)..)?;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_kernel_counts_the_segments_of_a_connection() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else {
                eprintln!("skipped: no socket on {address}");
                continue;
            };
            let mut stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (mut peer, _) = listener.accept().unwrap();
            let mut buffer = [0; 5];
            for _ in 0..10 {
                stream.write_all(b"hello").unwrap();
                peer.read_exact(&mut buffer).unwrap();
                peer.write_all(b"world").unwrap();
                stream.read_exact(&mut buffer).unwrap();
            }
            let (local, remote) = (stream.local_addr().unwrap(), stream.peer_addr().unwrap());
            let information = read(local, remote).unwrap();
            assert_eq!(information.octets_sent, 50);
            assert_eq!(information.octets_received, 50);
            // SYN, the acknowledgement that opens, ten segments of data; acknowledgements may come on top.
            assert!(
                (12..=24).contains(&information.segments_sent),
                "{information:?}"
            );
            assert!(
                (11..=24).contains(&information.segments_received),
                "{information:?}"
            );
            assert_eq!(information.header_octets % 4, 0);
        }
    }
}
