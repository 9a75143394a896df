//! Whether a server listens on this host, and which process it is, seen without taking anything from it.

use std::fs;
use std::net::{Ipv4Addr, TcpStream};

use crate::measurement::TransportKind;

/// Whether the port is in use, on IPv4 in the network of this thread.
pub fn is_listened_at(transport: TransportKind, port: u16) -> bool {
    if matches!(transport, TransportKind::Udp | TransportKind::Dtls) {
        let sockets = fs::read_to_string("/proc/thread-self/net/udp").unwrap_or_default();
        return sockets.lines().any(|line| local_port(line) == Some(port));
    }
    // The table of TCP takes the system too long.
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// The process that listens there, in the network of this thread. Without root, only those of the same user are found.
pub fn listener(transport: TransportKind, port: u16) -> Option<u32> {
    let tables = match transport {
        TransportKind::Udp | TransportKind::Dtls => ["udp", "udp6"],
        _ => ["tcp", "tcp6"],
    };
    let inode = tables.iter().find_map(|table| {
        let sockets = fs::read_to_string(format!("/proc/thread-self/net/{table}")).ok()?;
        let mut lines = sockets.lines();
        lines.find_map(|line| inode_without_peer(line).filter(|_| local_port(line) == Some(port)))
    })?;
    let socket = format!("socket:[{inode}]");
    fs::read_dir("/proc").ok()?.flatten().find_map(|process| {
        let pid = process.file_name().to_str()?.parse().ok()?;
        let mut files = fs::read_dir(process.path().join("fd")).ok()?.flatten();
        let is_it = files.any(|file| {
            fs::read_link(file.path()).is_ok_and(|to| to.as_os_str() == socket.as_str())
        });
        is_it.then_some(pid)
    })
}

/// The inode of a socket without a peer, from a line of `/proc/net/udp` or `/proc/net/tcp` (proc(5)).
fn inode_without_peer(line: &str) -> Option<u64> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let has_no_peer = fields.get(2)?.ends_with(":0000");
    has_no_peer.then(|| fields.get(9)?.parse().ok()).flatten()
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
        // Those of a connection have the same port.
        let _connected = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let own = std::process::id();
        for (transport, port) in ports {
            assert_eq!(super::listener(transport, port), Some(own), "{transport}");
        }
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
