//! Addresses and ports in the index of a row (RFC 4001, RFC 2578 7.7).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// InetAddressType.
const UNKNOWN: u32 = 0;
const IPV4: u32 = 1;
const IPV6: u32 = 2;
const IPV4_WITH_ZONE: u32 = 3;
const IPV6_WITH_ZONE: u32 = 4;

/// Reads the parts of an index one after the other.
pub(super) struct IndexReader<'i>(&'i [u32]);

/// An address, or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    pub(super) ip: Option<IpAddr>,
    zone: Option<u32>,
}

/// An address with a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Endpoint {
    pub(super) address: Address,
    pub(super) port: u32,
}

impl<'i> IndexReader<'i> {
    pub(super) const fn new(index: &'i [u32]) -> Self {
        Self(index)
    }

    pub(super) fn number(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// So many numbers behind their count.
    pub(super) fn counted(&mut self) -> Option<&'i [u32]> {
        let count = usize::try_from(self.number()?).ok()?;
        self.take(count)
    }

    fn take(&mut self, count: usize) -> Option<&'i [u32]> {
        let (first, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(first)
    }

    /// Four octets: an IpAddress.
    pub(super) fn ip_address(&mut self) -> Option<Address> {
        let octets: [u8; 4] = octets(self.take(4)?)?;
        Some(Address::from(IpAddr::from(octets)))
    }

    /// InetAddressType and InetAddress.
    pub(super) fn inet_address(&mut self) -> Option<Address> {
        let kind = self.number()?;
        let text = self.counted()?;
        let zone = |at: usize| {
            let zone: [u8; 4] = octets(text.get(at..)?)?;
            Some(u32::from_be_bytes(zone))
        };
        match kind {
            UNKNOWN => Some(Address::ANY),
            IPV4 => Some(Address::from(IpAddr::V4(ipv4(text)?))),
            IPV6 => Some(Address::from(IpAddr::V6(ipv6(text)?))),
            IPV4_WITH_ZONE => Some(Address {
                ip: Some(IpAddr::V4(ipv4(text.get(..4)?)?)),
                zone: Some(zone(4)?),
            }),
            IPV6_WITH_ZONE => Some(Address {
                ip: Some(IpAddr::V6(ipv6(text.get(..16)?)?)),
                zone: Some(zone(16)?),
            }),
            _ => None,
        }
    }

    /// InetAddressType, InetAddress and InetPortNumber.
    pub(super) fn inet_endpoint(&mut self) -> Option<Endpoint> {
        let address = self.inet_address()?;
        let port = self.number()?;
        Some(Endpoint { address, port })
    }

    /// IpAddress and a port.
    pub(super) fn ip_endpoint(&mut self) -> Option<Endpoint> {
        let address = self.ip_address()?;
        let port = self.number()?;
        Some(Endpoint { address, port })
    }
}

fn octets<const N: usize>(numbers: &[u32]) -> Option<[u8; N]> {
    let octets: Option<Vec<u8>> = numbers.iter().map(|n| u8::try_from(*n).ok()).collect();
    octets?.try_into().ok()
}

fn ipv4(numbers: &[u32]) -> Option<Ipv4Addr> {
    octets::<4>(numbers).map(Ipv4Addr::from)
}

fn ipv6(numbers: &[u32]) -> Option<Ipv6Addr> {
    octets::<16>(numbers).map(Ipv6Addr::from)
}

impl Address {
    pub(super) const ANY: Self = Self {
        ip: None,
        zone: None,
    };

    /// Whether this is no certain address.
    pub(super) fn is_any(&self) -> bool {
        self.ip.is_none_or(|ip| ip.is_unspecified())
    }

    pub(super) const fn is_ipv6(&self) -> bool {
        matches!(self.ip, Some(IpAddr::V6(_)))
    }
}

impl From<IpAddr> for Address {
    fn from(ip: IpAddr) -> Self {
        Self {
            ip: Some(ip),
            zone: None,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.ip, self.zone) {
            (None, _) => f.write_str("*"),
            (Some(ip), None) => ip.fmt(f),
            (Some(ip), Some(zone)) => write!(f, "{ip}%{zone}"),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = &self.address;
        match address.is_ipv6() {
            true => write!(f, "[{address}]:")?,
            false => write!(f, "{address}:")?,
        }
        match self.port {
            0 => f.write_str("*"),
            port => write!(f, "{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_read_from_indexes() {
        let mut loopback = vec![2, 16];
        loopback.extend([0; 15]);
        loopback.extend([1, 22]);
        let mut link_local = vec![4, 20, 254, 128];
        link_local.extend([0; 13]);
        link_local.extend([1, 0, 0, 0, 3, 0]);
        for (index, shown) in [
            (&[1, 4, 127, 0, 0, 1, 161][..], Some("127.0.0.1:161")),
            (&loopback, Some("[::1]:22")),
            (&link_local, Some("[fe80::1%3]:*")),
            (&[0, 0, 53], Some("*:53")),
            (&[1, 4, 127, 0, 0], None),
            (&[1, 4, 127, 0, 0, 256, 161], None),
            (&[1, 5, 127, 0, 0, 1, 0, 161], None),
            (&[16, 4, 1, 2, 3, 4, 161], None),
            (&[1, u32::MAX, 1], None),
            (&[], None),
        ] {
            let endpoint = IndexReader::new(index).inet_endpoint();
            assert_eq!(
                endpoint.map(|endpoint| endpoint.to_string()).as_deref(),
                shown
            );
        }
        let old = IndexReader::new(&[192, 0, 2, 1, 80]).ip_endpoint();
        assert_eq!(old.map(|old| old.to_string()).unwrap(), "192.0.2.1:80");
    }
}
