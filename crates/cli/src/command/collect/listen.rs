use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::str::FromStr;

use varbind_terminal::Failure;
use varbind_web::{HostName, Listen};

/// Where the program listens, as Go writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ListenAddress {
    /// All addresses of this host.
    All(u16),
    /// A name or an address, with a port.
    One(String),
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || "write ADDRESS:PORT, as 127.0.0.1:9116, or :PORT".to_owned();
        let (host, port) = text.rsplit_once(':').ok_or_else(wanted)?;
        let port: u16 = port.parse().map_err(|_| wanted())?;
        if host.is_empty() {
            return Ok(Self::All(port));
        }
        let is_literal = host.starts_with('[') && host.ends_with(']');
        match host.contains(':') && !is_literal {
            true => Err(format!(
                "write an IPv6 address in brackets, as [{host}]:{port}"
            )),
            false => Ok(Self::One(text.to_owned())),
        }
    }
}

impl ListenAddress {
    fn sockets(&self) -> io::Result<Vec<SocketAddr>> {
        match self {
            Self::One(text) => Ok(text.to_socket_addrs()?.collect()),
            Self::All(port) => {
                let mut sockets = vec![SocketAddr::from((Ipv4Addr::UNSPECIFIED, *port))];
                // The host may have no IPv6.
                if UdpSocket::bind((Ipv6Addr::LOCALHOST, 0)).is_ok() {
                    sockets.push(SocketAddr::from((Ipv6Addr::UNSPECIFIED, *port)));
                }
                Ok(sockets)
            }
        }
    }
}

impl std::fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All(port) => write!(f, ":{port}"),
            Self::One(text) => f.write_str(text),
        }
    }
}

/// What the server listens on.
pub(super) fn sockets(addresses: &[ListenAddress]) -> Result<Vec<Listen>, Failure> {
    let mut listen = Vec::new();
    for address in addresses {
        let sockets = address.sockets();
        let sockets = sockets.map_err(|error| failure(addresses, &error))?;
        listen.extend(sockets.into_iter().map(Listen::Http));
    }
    Ok(listen)
}

pub(super) fn failure(addresses: &[ListenAddress], error: &io::Error) -> Failure {
    let advice = match error.kind() {
        io::ErrorKind::AddrInUse => {
            "; another program listens there, perhaps snmp_exporter: stop it, or choose another address with --web.listen-address"
        }
        io::ErrorKind::AddrNotAvailable => {
            "; this host has no such address: see `ip address`, and correct --web.listen-address"
        }
        _ => "; correct --web.listen-address",
    };
    let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
    let addresses = addresses.join(", ");
    Failure::Usage(format!("cannot listen on {addresses}: {error}{advice}"))
}

/// A name by which clients may call the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Host(HostName);

impl FromStr for Host {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "*" => Ok(Self(HostName::any())),
            name => name
                .parse()
                .map(Self)
                .map_err(|error: varbind_web::ParseHostNameError| error.to_string()),
        }
    }
}

/// These names, and those of this host: with its domain, and without.
pub(super) fn host_names(hosts: &[Host]) -> Vec<HostName> {
    let own = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let own = own.trim();
    let short = own.split('.').next().unwrap_or_default();
    let own = [own, short]
        .into_iter()
        .filter_map(|name| name.parse().ok());
    hosts
        .iter()
        .map(|Host(name)| name.clone())
        .chain(own)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_as_for_snmp_exporter() {
        assert_eq!(":9116".parse(), Ok(ListenAddress::All(9116)));
        for text in ["127.0.0.1:0", "[::1]:9116", "localhost:9116"] {
            assert_eq!(text.parse(), Ok(ListenAddress::One(text.to_owned())));
        }
        for text in ["", "9116", "localhost", ":", "host:x", ":65536", "::1:9116"] {
            let error = text.parse::<ListenAddress>().unwrap_err();
            assert!(error.contains("write"), "{text}: {error}");
        }
    }

    #[test]
    fn a_star_is_any_name() {
        assert_eq!("*".parse(), Ok(Host(HostName::any())));
        assert!("a b".parse::<Host>().is_err());
    }
}
