use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use netlink_sys::protocols::NETLINK_SOCK_DIAG;

use super::message::Message;
use super::request::Request;
use super::socket::{NetlinkError, NetlinkSocket};
use crate::operating_system::sockets::{MOST, Socket};

const SOCK_DIAG_BY_FAMILY: u16 = 20;
/// The octets of struct inet_diag_msg up to the addresses' end.
const ADDRESSES_END: usize = 40;

/// A request for all sockets of an address family and a protocol (struct inet_diag_req_v2 of linux/inet_diag.h).
fn request(family: u8, protocol: u8) -> Request {
    // No extensions, all states, any addresses.
    let mut payload = vec![family, protocol, 0, 0, 0xff, 0xff, 0xff, 0xff];
    payload.resize(56, 0);
    Request::dump(SOCK_DIAG_BY_FAMILY, &payload)
}

/// The socket that a message of a dump tells; `None` if it is about something else.
pub(super) fn decode(message: &Message<'_>) -> Option<Socket> {
    if message.message_type != SOCK_DIAG_BY_FAMILY {
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

/// The sockets of a family and protocol in the network namespace of the calling thread, the first [`MOST`] of them.
pub(crate) fn sockets(family: u8, protocol: u8) -> Result<Vec<Socket>, NetlinkError> {
    NetlinkSocket::new(NETLINK_SOCK_DIAG)?.request(
        &mut request(family, protocol),
        Vec::new,
        |sockets, message| {
            if sockets.len() < MOST {
                sockets.extend(decode(message));
            }
        },
    )
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
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let family = u8::try_from(libc::AF_INET).unwrap();
        let protocol = u8::try_from(libc::IPPROTO_TCP).unwrap();
        match sockets(family, protocol) {
            // A machine with more sockets than are taken may leave this one out.
            Ok(found) => assert!(
                found.len() == MOST
                    || found
                        .iter()
                        .any(|socket| socket.local == address && socket.state == 10)
            ),
            Err(error) => assert!(error.is_unsupported(), "{error}"),
        }
    }
}
