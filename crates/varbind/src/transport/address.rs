use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::str::FromStr;

use super::{Transport, Unavailable};

/// A version of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressFamily {
    /// IPv4.
    Ipv4,
    /// IPv6.
    Ipv6,
}

/// Where an agent is, as a user writes it: `[transport:][user@]host[:port]`.
///
/// The transport is `udp`, `tcp`, `tls`, `dtls` or `ssh`, with `4` or `6` behind it for one version of IP; the names that
/// Net-SNMP's tools have are understood too. Only SSH has a user.
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
    /// The version of IP, if the prefix has one.
    pub family: Option<AddressFamily>,
    /// Who logs in (SSH only), if one is written.
    pub user: Option<String>,
    /// A name or an address.
    pub host: String,
    /// The port, if one is written.
    pub port: Option<u16>,
}

/// The names of transports, which a version of IP may follow.
const NAMES: [(&str, Transport); 7] = [
    ("udp", Transport::Udp),
    ("tcp", Transport::Tcp),
    ("tls", Transport::Tls),
    ("dtls", Transport::Dtls),
    ("ssh", Transport::Ssh),
    ("tlstcp", Transport::Tls),
    ("dtlsudp", Transport::Dtls),
];

/// What follows a name.
const FAMILIES: [(&str, Option<AddressFamily>); 6] = [
    ("", None),
    ("4", Some(AddressFamily::Ipv4)),
    ("6", Some(AddressFamily::Ipv6)),
    ("v6", Some(AddressFamily::Ipv6)),
    ("ipv6", Some(AddressFamily::Ipv6)),
    ("ipv4", Some(AddressFamily::Ipv4)),
];

/// Other transports of SNMP: named in the error instead of being taken for a host name.
const UNSUPPORTED: [&str; 4] = ["unix", "ipx", "alias", "std"];
/// What web addresses begin with.
const WEB: [&str; 2] = ["http", "https"];

/// The transport whose name is nearest to a wrong one: with letters in another order, or with one letter more, less or changed.
fn near_transport(wrong: &str) -> Option<&'static str> {
    let sorted = |text: &str| {
        let mut octets = text.as_bytes().to_vec();
        octets.sort_unstable();
        octets
    };
    let names = || NAMES.iter().map(|(name, _)| *name);
    names()
        .find(|name| sorted(name) == sorted(wrong))
        .or_else(|| names().find(|name| is_one_edit(name.as_bytes(), wrong.as_bytes())))
}

/// Whether the texts are equal but for one octet that is inserted, removed or replaced.
fn is_one_edit(a: &[u8], b: &[u8]) -> bool {
    let before = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.get(before..), b.get(before..));
    let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
    let behind = a.iter().rev().zip(b.iter().rev());
    let behind = behind.take_while(|(a, b)| a == b).count();
    a.len().max(b.len()) - behind <= 1
}

/// The transport that the part before the first colon stands for, if it is one.
fn transport(prefix: &str) -> Option<(Transport, Option<AddressFamily>)> {
    NAMES.iter().find_map(|(name, transport)| {
        let rest = prefix.strip_prefix(name)?;
        let (_, family) = FAMILIES.iter().find(|(suffix, _)| *suffix == rest)?;
        Some((*transport, *family))
    })
}

impl TransportAddress {
    /// The socket addresses that the host name stands for, those of the family asked for only.
    ///
    /// # Errors
    /// When the name cannot be resolved, or has no address of the family.
    pub fn resolve(&self, default_port: u16) -> io::Result<Vec<SocketAddr>> {
        let port = self.port.unwrap_or(default_port);
        let addresses = (self.host.as_str(), port).to_socket_addrs();
        self.of_family(addresses.map_err(resolution_error)?)
    }

    /// As [`resolve`](Self::resolve), while other tasks go on. A name is looked up by a thread of the runtime.
    pub(crate) async fn resolve_async(&self, default_port: u16) -> io::Result<Vec<SocketAddr>> {
        let port = self.port.unwrap_or(default_port);
        let addresses = tokio::net::lookup_host((self.host.as_str(), port)).await;
        self.of_family(addresses.map_err(resolution_error)?)
    }

    fn of_family(
        &self,
        addresses: impl Iterator<Item = SocketAddr>,
    ) -> io::Result<Vec<SocketAddr>> {
        let addresses: Vec<_> = addresses
            .filter(|address| match self.family {
                None => true,
                Some(AddressFamily::Ipv4) => address.is_ipv4(),
                Some(AddressFamily::Ipv6) => address.is_ipv6(),
            })
            .collect();
        if addresses.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "the name has no address of the requested IP version",
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
            user: None,
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

/// The error of the system's resolver, without what the standard library says before its message.
fn resolution_error(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.strip_prefix("failed to lookup address information: ") {
        Some(reason) => io::Error::new(error.kind(), reason),
        None => error,
    }
}

impl FromStr for TransportAddress {
    type Err = ParseAddressError;

    fn from_str(text: &str) -> Result<Self, ParseAddressError> {
        let (prefix, rest) = match text.split_once(':') {
            Some((prefix, rest)) => (prefix.to_ascii_lowercase(), rest),
            None => (String::new(), text),
        };
        if UNSUPPORTED.contains(&prefix.as_str()) {
            return Err(ParseAddressError::UnsupportedTransport(prefix));
        }
        let (transport, family, rest) = match transport(&prefix) {
            Some((transport, family)) => (transport, family, rest),
            None => (Transport::Udp, None, text),
        };
        if !transport.is_available() {
            return Err(ParseAddressError::UnavailableTransport(transport));
        }
        if let Some(host) = rest.strip_prefix("//").filter(|_| rest.len() < text.len()) {
            return Err(ParseAddressError::Slashes(format!("{prefix}:{host}")));
        }
        let (user, rest) = match rest.rsplit_once('@') {
            None => (None, rest),
            Some(("", _)) => return Err(ParseAddressError::NoUser),
            Some((user, rest)) if transport == Transport::Ssh => (Some(user.to_owned()), rest),
            Some(_) => return Err(ParseAddressError::UserWithoutSsh(transport)),
        };
        let before = text.strip_suffix(rest).unwrap_or_default();
        let (host, port) =
            split_port(before, rest).map_err(|error| match unknown_transport(&prefix, rest) {
                Some(unknown) if before.is_empty() => unknown,
                _ => error,
            })?;
        if host.is_empty() {
            return Err(ParseAddressError::NoHost);
        }
        Ok(Self {
            transport,
            family,
            user,
            host: host.to_owned(),
            port,
        })
    }
}

/// The host and the port in a text; the text before it is for errors.
fn split_port<'t>(
    before: &str,
    text: &'t str,
) -> Result<(&'t str, Option<u16>), ParseAddressError> {
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
            None if !rest.is_empty() => Err(ParseAddressError::BadPort(rest.to_owned())),
            None => match ipv6_with_port(host) {
                Some(meant) => Err(ParseAddressError::PortInBrackets(
                    before.to_owned() + &meant,
                )),
                None => Ok((host, None)),
            },
        };
    }
    match text.rsplit_once(':') {
        None => Ok((text, None)),
        Some((host, port)) if !host.contains(':') => Ok((host, parse(port)?)),
        // Without brackets there is no room for a port.
        Some(_) if is_ipv6(text) => Ok((text, None)),
        Some(_) => Err(match ipv6_with_port(text) {
            Some(meant) => ParseAddressError::Ipv6WithoutBrackets(before.to_owned() + &meant),
            None => ParseAddressError::TooManyColons(text.to_owned()),
        }),
    }
}

/// An IPv6 address and a port, with brackets, of a text that has none and is no address alone.
fn ipv6_with_port(text: &str) -> Option<String> {
    let (host, port) = text.rsplit_once(':')?;
    let is_both = !is_ipv6(text) && is_ipv6(host) && port.parse::<u16>().is_ok();
    is_both.then(|| format!("[{host}]:{port}"))
}

/// Whether it is an IPv6 address, maybe with a zone behind `%`.
fn is_ipv6(text: &str) -> bool {
    let (address, zone) = text.split_once('%').unwrap_or((text, ""));
    address.parse::<Ipv6Addr>().is_ok() && !zone.contains(':')
}

/// What is wrong if the part before the first colon must be meant as a transport, because it is not a host with a port.
fn unknown_transport(prefix: &str, text: &str) -> Option<ParseAddressError> {
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.bytes().all(|octet| octet.is_ascii_alphanumeric())
    };
    let near = near_transport(prefix);
    let (_, behind) = text.split_once(':')?;
    let is_host = || {
        behind.starts_with(|c: char| c.is_ascii_alphabetic()) || behind.parse::<IpAddr>().is_ok()
    };
    let is_unknown = match near {
        _ if WEB.contains(&prefix) => true,
        Some(_) => behind.contains(':') || is_host(),
        None => behind.contains(':') && !behind.starts_with(':'),
    };
    (is_unknown && is_name(prefix)).then(|| ParseAddressError::UnknownTransport {
        name: prefix.to_owned(),
        near,
    })
}

impl fmt::Display for TransportAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.transport)?;
        match self.family {
            Some(AddressFamily::Ipv4) => f.write_str("4")?,
            Some(AddressFamily::Ipv6) => f.write_str("6")?,
            None => {}
        }
        f.write_str(":")?;
        if let Some(user) = &self.user {
            write!(f, "{user}@")?;
        }
        if self.host.contains(':') {
            write!(f, "[{}]", self.host)?;
        } else {
            f.write_str(&self.host)?;
        }
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// Why a text is not an address of an agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseAddressError {
    /// The host is missing.
    #[error("the host is missing: write [transport:]host[:port]")]
    NoHost,
    /// The port is not a number up to 65535.
    #[error("{0:?} is not a port: write a number up to 65535")]
    BadPort(String),
    /// `[` without `]`.
    #[error("'[' without ']' around an IPv6 address: write [ADDRESS]:PORT, as [2001:db8::1]:161")]
    UnclosedBracket,
    /// `//` behind the transport, as in a URL.
    #[error("an address has no slashes: write {0}")]
    Slashes(String),
    /// Nothing before `@`.
    #[error("the user before '@' is missing: write ssh:USER@HOST, or leave out the '@'")]
    NoUser,
    /// A user, where the transport is not SSH.
    #[error("{0} has no user: write user@ only behind ssh:")]
    UserWithoutSsh(Transport),
    /// An IPv6 address with a port, but without brackets around the address.
    #[error("an IPv6 address with a port needs brackets: write {0}")]
    Ipv6WithoutBrackets(String),
    /// An IPv6 address with a port, and brackets around both.
    #[error("the port belongs behind the brackets: write {0}")]
    PortInBrackets(String),
    /// More colons than a host with a port has, and no IPv6 address.
    #[error(
        "{0:?} is neither HOST:PORT nor an IPv6 address: write [transport:]host[:port], as tcp:router1:161 or \
         [2001:db8::1]:161"
    )]
    TooManyColons(String),
    /// A transport that does not exist.
    #[error("unknown transport {name}{}", nearest(.name, *.near))]
    UnknownTransport {
        /// What was written before the first colon.
        name: String,
        /// The transport with a name like it.
        near: Option<&'static str>,
    },
    /// A transport that this version does not have.
    #[error(
        "the transport {0} is not supported: use udp, tcp, tls, dtls or ssh, or these with 4 or 6 for one version of \
         IP"
    )]
    UnsupportedTransport(String),
    /// A transport that is a feature of this crate which is not enabled.
    #[error("{}", Unavailable(*.0))]
    UnavailableTransport(Transport),
}

fn nearest(name: &str, near: Option<&str>) -> String {
    match near {
        Some(near) => format!("; did you mean {near}?"),
        None if WEB.contains(&name) => {
            ": this is a web address, and the transports of SNMP are udp, tcp, tls, dtls and ssh"
                .to_owned()
        }
        None => ": the transports are udp, tcp, tls, dtls and ssh".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transport_that_is_not_built_in_names_its_feature() {
        for (transport, told) in [
            (Transport::Tls, "no TLS: enable the feature `tls`"),
            (Transport::Dtls, "no DTLS: enable the feature `dtls`"),
            (Transport::Ssh, "no SSH: enable the feature `ssh`"),
        ] {
            let error = ParseAddressError::UnavailableTransport(transport);
            let told = format!("this build has {told} of the crate varbind");
            assert_eq!(error.to_string(), told);
            let parsed = format!("{transport}:router").parse::<TransportAddress>();
            match transport.is_available() {
                true => assert_eq!(parsed.unwrap().transport, transport),
                false => assert_eq!(parsed, Err(error)),
            }
        }
    }

    #[test]
    #[cfg(all(feature = "tls", feature = "dtls", feature = "ssh"))]
    fn addresses_are_read_and_shown() {
        for (text, shown) in [
            ("router", "udp:router"),
            ("router:1161", "udp:router:1161"),
            ("tcp:router", "tcp:router"),
            ("udp6:router:161", "udp6:router:161"),
            ("[::1]", "udp:[::1]"),
            ("::1", "udp:[::1]"),
            ("tcp6:[fe80::1%eth0]:161", "tcp6:[fe80::1%eth0]:161"),
            ("tls:router:10161", "tls:router:10161"),
            ("tlstcp:router", "tls:router"),
            ("DTLSUDP6:router", "dtls6:router"),
            ("dtls:[::1]", "dtls:[::1]"),
            ("ssh:router", "ssh:router"),
            ("ssh:ops@router:22", "ssh:ops@router:22"),
            ("ssh6:a@b@[::1]:5161", "ssh6:a@b@[::1]:5161"),
            ("fe80::1", "udp:[fe80::1]"),
        ] {
            let address: TransportAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), shown);
        }
    }

    #[test]
    #[cfg(all(feature = "tls", feature = "dtls", feature = "ssh"))]
    fn errors_tell_what_is_wrong() {
        let unknown = |name: &str, near| ParseAddressError::UnknownTransport {
            name: name.to_owned(),
            near,
        };
        for (text, error) in [
            ("", ParseAddressError::NoHost),
            ("udp:", ParseAddressError::NoHost),
            ("host:99999", ParseAddressError::BadPort("99999".into())),
            ("[::1", ParseAddressError::UnclosedBracket),
            (
                "unix:/run/agent",
                ParseAddressError::UnsupportedTransport("unix".into()),
            ),
            ("ssh:@router", ParseAddressError::NoUser),
            (
                "tcp://router:1161",
                ParseAddressError::Slashes("tcp:router:1161".into()),
            ),
            (
                "::1:24163",
                ParseAddressError::Ipv6WithoutBrackets("[::1]:24163".into()),
            ),
            (
                "tcp:fe80::1%eth0:24163",
                ParseAddressError::Ipv6WithoutBrackets("tcp:[fe80::1%eth0]:24163".into()),
            ),
            (
                "SSH6:ops@::1:24163",
                ParseAddressError::Ipv6WithoutBrackets("SSH6:ops@[::1]:24163".into()),
            ),
            (
                "[::1:20164]",
                ParseAddressError::PortInBrackets("[::1]:20164".into()),
            ),
            (
                "tls:[fe80::1%2:10161]",
                ParseAddressError::PortInBrackets("tls:[fe80::1%2]:10161".into()),
            ),
            ("https:localhost", unknown("https", None)),
            ("https://router1", unknown("https", None)),
            ("http://[::1]:8080/", unknown("http", None)),
            ("upd:router:161", unknown("upd", Some("udp"))),
            ("tsl:localhost", unknown("tsl", Some("tls"))),
            ("dlts:192.0.2.1", unknown("dlts", Some("dtls"))),
            ("tsl:[::1]:10161", unknown("tsl", Some("tls"))),
            ("ucp:router:161", unknown("ucp", Some("udp"))),
            ("quic:router:161", unknown("quic", None)),
            ("router:x1", ParseAddressError::BadPort("x1".into())),
            ("tcp:router:x1", ParseAddressError::BadPort("x1".into())),
            (
                "1:2::3::4",
                ParseAddressError::TooManyColons("1:2::3::4".into()),
            ),
            (
                "tls:ops@router",
                ParseAddressError::UserWithoutSsh(Transport::Tls),
            ),
        ] {
            assert_eq!(text.parse::<TransportAddress>(), Err(error));
        }
    }
}
