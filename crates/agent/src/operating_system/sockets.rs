//! Sockets of this network namespace, by sock_diag or from /proc/net/tcp, tcp6, udp and udp6.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::host_files::HostRoot;
use super::netlink::{NetlinkError, tcp_sockets as tcp, udp_sockets as udp};

/// More sockets than these of each address family and protocol are left out.
pub(super) const MOST: usize = 10_000;

/// The TCP sockets of a host.
pub(crate) fn tcp_sockets(root: &HostRoot) -> Vec<Socket> {
    sockets(root, tcp, ["proc/net/tcp", "proc/net/tcp6"])
}

/// The UDP sockets of a host.
pub(crate) fn udp_sockets(root: &HostRoot) -> Vec<Socket> {
    sockets(root, udp, ["proc/net/udp", "proc/net/udp6"])
}

/// sock_diag tells thousands of sockets sooner than the files, which serve kernels without it and hosts whose files are mounted
/// elsewhere.
fn sockets(
    root: &HostRoot,
    of_kernel: fn() -> Result<Vec<Socket>, NetlinkError>,
    files: [&str; 2],
) -> Vec<Socket> {
    let ask = || {
        of_kernel()
            .inspect_err(|error| log::debug!("{}: not by sock_diag: {error}", files[0]))
            .ok()
    };
    let told = if root.is_own() { ask() } else { None };
    let of_file = |file| parse_sockets(&root.text(file).unwrap_or_default());
    told.unwrap_or_else(|| files.into_iter().flat_map(of_file).collect())
}

/// A socket. Of one that is not connected the remote address is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Socket {
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    /// The state of TCP, as the kernel numbers it.
    pub(crate) state: u8,
}

impl Socket {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split_ascii_whitespace().skip(1);
        Some(Self {
            local: parse_address(fields.next()?)?,
            remote: parse_address(fields.next()?)?,
            state: u8::from_str_radix(fields.next()?, 16).ok()?,
        })
    }
}

/// An address as words of 32 bits in the order of the processor, in hexadecimal digits, and a port.
fn parse_address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| {
        let digits = address.get(8 * at..8 * at + 8)?;
        u32::from_str_radix(digits, 16).ok().map(u32::to_ne_bytes)
    };
    let address: IpAddr = match address.len() {
        8 => Ipv4Addr::from(word(0)?).into(),
        32 => {
            let mut octets = [0; 16];
            for (at, place) in octets.chunks_exact_mut(4).enumerate() {
                place.copy_from_slice(&word(at)?);
            }
            Ipv6Addr::from(octets).into()
        }
        _ => return None,
    };
    Some(SocketAddr::new(address, port))
}

/// The sockets of a file, without its first line, which has the names of the columns.
pub(super) fn parse_sockets(text: &str) -> Vec<Socket> {
    let lines = text.lines().skip(1);
    lines.filter_map(Socket::parse).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_both_versions_are_read() {
        let text = "  sl  local_address rem_address   st\n\
                    0: 0100007F:0016 00000000:0000 0A 00000000:00000000\n\
                    1: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A\n\
                    2: broken\n3: 0100007F:00 16\n4: 0100007F 0016 0A\n";
        let found = parse_sockets(text);
        assert_eq!(found.len(), 2);
        if cfg!(target_endian = "little") {
            assert_eq!(found[0].local, "127.0.0.1:22".parse().unwrap());
            assert_eq!(found[1].local, "[::1]:8080".parse().unwrap());
        }
        assert_eq!(found[0].state, 10);
    }
}
