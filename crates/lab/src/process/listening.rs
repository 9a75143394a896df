//! Whether a server listens on this host, seen without taking anything from it.

use std::net::{Ipv4Addr, TcpStream};

use crate::measurement::TransportKind;

/// Whether the port is in use, on IPv4 in the network of this thread.
pub fn is_listened_at(transport: TransportKind, port: u16) -> bool {
    if matches!(transport, TransportKind::Udp | TransportKind::Dtls) {
        let sockets = std::fs::read_to_string("/proc/thread-self/net/udp").unwrap_or_default();
        return sockets.lines().any(|line| local_port(line) == Some(port));
    }
    // The table of TCP takes the system too long.
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// The local port of a line of `/proc/net/udp` (proc(5)).
fn local_port(line: &str) -> Option<u16> {
    let (_, port) = line.split_whitespace().nth(1)?.rsplit_once(':')?;
    u16::from_str_radix(port, 16).ok()
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, UdpSocket};

    use super::*;

    #[test]
    fn who_listens_is_found_and_who_has_gone_is_not() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let datagrams = UdpSocket::bind("127.0.0.1:0").unwrap();
        let ports = [
            (TransportKind::Ssh, listener.local_addr().unwrap().port()),
            (TransportKind::Dtls, datagrams.local_addr().unwrap().port()),
        ];
        let found = || ports.map(|(transport, port)| is_listened_at(transport, port));
        assert_eq!(found(), [true, true]);
        drop((listener, datagrams));
        assert_eq!(found(), [false, false]);
    }

    #[test]
    fn other_lines_are_no_sockets() {
        assert_eq!(
            local_port("  sl  local_address rem_address   st tx_queue rx_queue"),
            None
        );
        assert_eq!(local_port(""), None);
        let line = "   0: 00000000:00A1 00000000:0000 07 00000000:00000000";
        assert_eq!(local_port(line), Some(161));
    }
}
