use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;

/// A transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    /// One message in a datagram.
    Udp,
    /// Messages one behind the other in a stream.
    Tcp,
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Udp => "udp",
            Self::Tcp => "tcp",
        })
    }
}

/// A version of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressFamily {
    /// IPv4.
    Ipv4,
    /// IPv6.
    Ipv6,
}

/// Where an agent is, as a user writes it: `[udp:|tcp:|udp6:|tcp6:]host[:port]`.
///
/// ```
/// use varbind::transport::{Transport, TransportAddress};
/// let address: TransportAddress = "tcp:[2001:db8::1]:1161".parse()?;
/// assert_eq!(address.transport, Transport::Tcp);
/// assert_eq!(address.host, "2001:db8::1");
/// assert_eq!(address.port, Some(1161));
/// # Ok::<(), varbind::transport::ParseAddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TransportAddress {
    /// The transport; UDP where none is written.
    pub transport: Transport,
    /// The version of IP, if the prefix tells one.
    pub family: Option<AddressFamily>,
    /// A name or an address.
    pub host: String,
    /// The port, if one is written.
    pub port: Option<u16>,
}

const PREFIXES: [(&str, Transport, Option<AddressFamily>); 10] = [
    ("udp:", Transport::Udp, None),
    ("tcp:", Transport::Tcp, None),
    ("udp4:", Transport::Udp, Some(AddressFamily::Ipv4)),
    ("tcp4:", Transport::Tcp, Some(AddressFamily::Ipv4)),
    ("udp6:", Transport::Udp, Some(AddressFamily::Ipv6)),
    ("tcp6:", Transport::Tcp, Some(AddressFamily::Ipv6)),
    ("udpv6:", Transport::Udp, Some(AddressFamily::Ipv6)),
    ("tcpv6:", Transport::Tcp, Some(AddressFamily::Ipv6)),
    ("udpipv6:", Transport::Udp, Some(AddressFamily::Ipv6)),
    ("tcpipv6:", Transport::Tcp, Some(AddressFamily::Ipv6)),
];

/// Other transports of SNMP: named in the error instead of being taken for a host name.
const UNSUPPORTED: [&str; 9] = [
    "tls:", "dtls:", "ssh:", "tlstcp:", "dtlsudp:", "unix:", "ipx:", "alias:", "std:",
];

impl TransportAddress {
    /// The socket addresses that the host name stands for, those of the family asked for only.
    ///
    /// # Errors
    /// When the name cannot be resolved, or has no address of the family.
    pub fn resolve(&self, default_port: u16) -> io::Result<Vec<SocketAddr>> {
        let port = self.port.unwrap_or(default_port);
        let mut addresses: Vec<_> = (self.host.as_str(), port).to_socket_addrs()?.collect();
        addresses.retain(|address| match self.family {
            None => true,
            Some(AddressFamily::Ipv4) => address.is_ipv4(),
            Some(AddressFamily::Ipv6) => address.is_ipv6(),
        });
        if addresses.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "the name has no address of the IP version asked for",
            ));
        }
        Ok(addresses)
    }

    /// The address of one socket.
    #[must_use]
    pub fn of_socket(transport: Transport, socket: SocketAddr) -> Self {
        Self {
            transport,
            family: None,
            host: match socket {
                SocketAddr::V6(v6) if v6.scope_id() != 0 => {
                    format!("{}%{}", v6.ip(), v6.scope_id())
                }
                _ => socket.ip().to_string(),
            },
            port: Some(socket.port()),
        }
    }
}

impl FromStr for TransportAddress {
    type Err = ParseAddressError;

    fn from_str(text: &str) -> Result<Self, ParseAddressError> {
        let lower = text.to_ascii_lowercase();
        if let Some(prefix) = UNSUPPORTED
            .iter()
            .find(|&&prefix| lower.starts_with(prefix))
        {
            return Err(ParseAddressError::UnsupportedTransport(
                prefix.trim_end_matches(':').to_owned(),
            ));
        }
        let (length, transport, family) = PREFIXES
            .iter()
            .find(|(prefix, ..)| lower.starts_with(prefix))
            .map_or((0, Transport::Udp, None), |(prefix, transport, family)| {
                (prefix.len(), *transport, *family)
            });
        let rest = text.get(length..).unwrap_or_default();
        let (host, port) = split_port(rest)?;
        if host.is_empty() {
            return Err(ParseAddressError::NoHost);
        }
        Ok(Self {
            transport,
            family,
            host: host.to_owned(),
            port,
        })
    }
}

fn split_port(text: &str) -> Result<(&str, Option<u16>), ParseAddressError> {
    let parse = |port: &str| {
        port.parse()
            .map(Some)
            .map_err(|_| ParseAddressError::BadPort(port.to_owned()))
    };
    if let Some(bracketed) = text.strip_prefix('[') {
        let (host, rest) = bracketed
            .split_once(']')
            .ok_or(ParseAddressError::UnclosedBracket)?;
        return match rest.strip_prefix(':') {
            Some(port) => Ok((host, parse(port)?)),
            None if rest.is_empty() => Ok((host, None)),
            None => Err(ParseAddressError::BadPort(rest.to_owned())),
        };
    }
    match text.split_once(':') {
        // More than one colon: an IPv6 address without brackets, which leaves no room for a port.
        Some((_, rest)) if rest.contains(':') => Ok((text, None)),
        Some((host, port)) => Ok((host, parse(port)?)),
        None => Ok((text, None)),
    }
}

impl fmt::Display for TransportAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.transport)?;
        match self.family {
            Some(AddressFamily::Ipv4) => f.write_str("4")?,
            Some(AddressFamily::Ipv6) => f.write_str("6")?,
            None => {}
        }
        if self.host.contains(':') {
            write!(f, ":[{}]", self.host)?;
        } else {
            write!(f, ":{}", self.host)?;
        }
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// Why a text is no address of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseAddressError {
    /// The host is missing.
    NoHost,
    /// The port is no number up to 65535.
    BadPort(String),
    /// `[` without `]`.
    UnclosedBracket,
    /// A transport that this version does not have.
    UnsupportedTransport(String),
}

impl fmt::Display for ParseAddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHost => write!(f, "the host is missing: write [udp:|tcp:]host[:port]"),
            Self::BadPort(port) => write!(f, "{port:?} is no port: write a number up to 65535"),
            Self::UnclosedBracket => write!(f, "'[' without ']' around an IPv6 address"),
            Self::UnsupportedTransport(name) => {
                write!(
                    f,
                    "the transport {name} is not supported: use udp, tcp, udp6 or tcp6"
                )
            }
        }
    }
}

impl std::error::Error for ParseAddressError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_shown() {
        for (text, shown) in [
            ("router", "udp:router"),
            ("router:1161", "udp:router:1161"),
            ("tcp:router", "tcp:router"),
            ("udp6:router:161", "udp6:router:161"),
            ("[::1]", "udp:[::1]"),
            ("::1", "udp:[::1]"),
            ("tcp6:[fe80::1%eth0]:161", "tcp6:[fe80::1%eth0]:161"),
        ] {
            let address: TransportAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), shown);
        }
    }

    #[test]
    fn errors_tell_what_is_wrong() {
        for (text, error) in [
            ("", ParseAddressError::NoHost),
            ("udp:", ParseAddressError::NoHost),
            ("host:99999", ParseAddressError::BadPort("99999".into())),
            ("[::1", ParseAddressError::UnclosedBracket),
            (
                "tls:router",
                ParseAddressError::UnsupportedTransport("tls".into()),
            ),
        ] {
            assert_eq!(text.parse::<TransportAddress>(), Err(error));
        }
    }
}
