use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use netlink_sys::protocols::NETLINK_SOCK_DIAG;

use super::message::Message;
use super::request::Request;
use super::socket::{NetlinkError, NetlinkSocket};
use crate::operating_system::sockets::{MOST, Socket};

const TCPDIAG_GETSOCK: u16 = 18;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
/// AF_INET, AF_INET6 and IPPROTO_UDP, as requests have them.
const INET: u8 = libc::AF_INET as u8;
const INET6: u8 = libc::AF_INET6 as u8;
const UDP: u8 = libc::IPPROTO_UDP as u8;
/// The octets of struct inet_diag_msg up to the addresses' end.
const ADDRESSES_END: usize = 40;

/// A request for all TCP sockets (struct inet_diag_req of linux/inet_diag.h), of both address families. The newer struct
/// inet_diag_req_v2 covers one family, and the kernel searches the whole table for each.
fn tcp_request() -> Request {
    let mut payload = vec![0; 52];
    // No family, extensions or addresses; all states.
    payload.extend([0xff; 4]);
    payload.extend([0; 4]);
    Request::dump(TCPDIAG_GETSOCK, &payload)
}

/// A request for all UDP sockets of an address family (struct inet_diag_req_v2).
fn udp_request(family: u8) -> Request {
    // No extensions, all states, any addresses.
    let mut payload = vec![family, UDP, 0, 0, 0xff, 0xff, 0xff, 0xff];
    payload.resize(56, 0);
    Request::dump(SOCK_DIAG_BY_FAMILY, &payload)
}

/// The socket that a message of a dump tells; `None` if it is about something else.
pub(super) fn decode(message: &Message<'_>) -> Option<Socket> {
    if !matches!(message.message_type, TCPDIAG_GETSOCK | SOCK_DIAG_BY_FAMILY) {
        return None;
    }
    let (fixed, _) = message.split::<ADDRESSES_END>()?;
    let [family, state, ..] = *fixed;
    let address = |at: usize| -> Option<IpAddr> {
        let octets = fixed.get(at..)?;
        match i32::from(family) {
            libc::AF_INET => Some(Ipv4Addr::from(*octets.first_chunk::<4>()?).into()),
            libc::AF_INET6 => Some(Ipv6Addr::from(*octets.first_chunk::<16>()?).into()),
            _ => None,
        }
    };
    let port = |at: usize| Some(u16::from_be_bytes(*fixed.get(at..)?.first_chunk()?));
    Some(Socket {
        local: SocketAddr::new(address(8)?, port(4)?),
        remote: SocketAddr::new(address(24)?, port(6)?),
        state,
    })
}

/// The TCP sockets in the network namespace of the calling thread, the first [`MOST`] of each address family.
pub(crate) fn tcp_sockets() -> Result<Vec<Socket>, NetlinkError> {
    dump(&mut NetlinkSocket::new(NETLINK_SOCK_DIAG)?, tcp_request())
}

/// The UDP sockets in that network namespace, the first [`MOST`] of each address family.
pub(crate) fn udp_sockets() -> Result<Vec<Socket>, NetlinkError> {
    let mut kernel = NetlinkSocket::new(NETLINK_SOCK_DIAG)?;
    let mut sockets = dump(&mut kernel, udp_request(INET))?;
    sockets.extend(dump(&mut kernel, udp_request(INET6))?);
    Ok(sockets)
}

fn dump(kernel: &mut NetlinkSocket, mut request: Request) -> Result<Vec<Socket>, NetlinkError> {
    let start = || (Vec::new(), [0; 2]);
    let (sockets, _) = kernel.request(&mut request, start, |(sockets, counts), message| {
        if let Some(socket) = decode(message) {
            let [v4, v6] = counts;
            let count = if socket.local.is_ipv4() { v4 } else { v6 };
            *count += 1;
            if *count <= MOST {
                sockets.push(socket);
            }
        }
    })?;
    Ok(sockets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operating_system::netlink::message::Messages;

    #[test]
    fn a_socket_is_decoded_and_a_short_message_is_not() {
        let mut octets = vec![0; 16];
        octets[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
        // AF_INET, established, ports, 127.0.0.1 and 192.0.2.1 in fields of 16 octets.
        octets.extend([2, 1, 0, 0, 0, 161, 0x1f, 0x90]);
        octets.extend([127, 0, 0, 1].into_iter().chain([0; 12]));
        octets.extend([192, 0, 2, 1].into_iter().chain([0; 12]));
        octets[..4].copy_from_slice(&56_u32.to_ne_bytes());
        let message = Messages::new(&octets).next().unwrap();
        let socket = Socket {
            local: "127.0.0.1:161".parse().unwrap(),
            remote: "192.0.2.1:8080".parse().unwrap(),
            state: 1,
        };
        assert_eq!(decode(&message), Some(socket));
        let payload = &message.payload[..39];
        assert_eq!(decode(&Message { payload, ..message }), None);
    }

    #[test]
    fn the_kernel_tells_the_sockets_of_this_process() {
        let v4 = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let v6 = std::net::TcpListener::bind("[::1]:0").ok();
        let udp = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let listeners = [Some(&v4), v6.as_ref()].into_iter().flatten();
        let listeners: Vec<_> = listeners
            .map(|socket| socket.local_addr().unwrap())
            .collect();
        for (found, addresses) in [
            (tcp_sockets(), listeners),
            (udp_sockets(), vec![udp.local_addr().unwrap()]),
        ] {
            match found {
                // A machine with more sockets than are taken may leave these out.
                Ok(found) if found.len() >= MOST => {}
                Ok(found) => assert!(
                    addresses
                        .iter()
                        .all(|address| { found.iter().any(|socket| socket.local == *address) })
                ),
                Err(error) => assert!(error.is_unsupported(), "{error}"),
            }
        }
    }
}
