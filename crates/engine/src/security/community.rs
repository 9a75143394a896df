use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use super::SecurityName;
use crate::discard::Discard;

/// A community and what it stands for (a row of snmpCommunityTable, RFC 3584 section 5.2).
#[derive(Clone, PartialEq, Eq)]
pub struct Community {
    /// snmpCommunityName. It travels in clear text, but is kept out of logs all the same.
    pub name: Vec<u8>,
    /// snmpCommunitySecurityName.
    pub security_name: SecurityName,
    /// snmpCommunityContextName.
    pub context_name: String,
    /// From where it may be used (snmpCommunityTransportTag).
    pub sources: SourceAddresses,
}

impl fmt::Debug for Community {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Community")
            .field("security_name", &self.security_name)
            .field("context_name", &self.context_name)
            .field("sources", &self.sources)
            .finish_non_exhaustive()
    }
}

/// From which addresses a community may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceAddresses {
    /// From anywhere.
    Any,
    /// From addresses that one of the filters contains.
    Within(Vec<SourceFilter>),
}

impl SourceAddresses {
    /// The loopback addresses.
    #[must_use]
    pub fn loopback() -> Self {
        Self::Within(vec![
            SourceFilter::network(IpAddr::from([127, 0, 0, 0]), 8),
            SourceFilter::network(IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]), 128),
        ])
    }

    /// Whether `source` is among them; an IPv4 address in IPv6 form counts as IPv4.
    #[must_use]
    pub fn contain(&self, source: SocketAddr) -> bool {
        match self {
            Self::Any => true,
            Self::Within(filters) => {
                let address = source.ip().to_canonical();
                let mut filters = filters.iter();
                filters.any(|filter| filter.contains(address, source.port()))
            }
        }
    }
}

/// The prefix of IPv4 addresses in the form of IPv6, ::ffff:0:0/96 (RFC 4291 section 2.5.5.2).
const MAPPED_PREFIX: u8 = 96;

/// Addresses and ports: mostly a network, with all ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFilter {
    address: IpAddr,
    /// The bits of the address that count.
    address_mask: u128,
    port: u16,
    /// The bits of the port that count.
    port_mask: u16,
}

impl SourceFilter {
    /// All ports of the addresses that have the first `prefix_length` bits of `address`.
    #[must_use]
    pub fn network(address: IpAddr, prefix_length: u8) -> Self {
        let width = if address.is_ipv4() { 32 } else { 128 };
        let others = u128::MAX
            .checked_shr(128 - width + u32::from(prefix_length))
            .unwrap_or(0);
        let all = u128::MAX.checked_shr(128 - width).unwrap_or(0);
        Self {
            address,
            address_mask: all & !others,
            port: 0,
            port_mask: 0,
        }
    }

    /// The addresses and ports that have the bits of `source` which are ones in the masks; that of an IPv4 address
    /// is in the low bits (snmpTargetAddrTMask, RFC 3584 section 5.3).
    #[must_use]
    pub fn masked(source: SocketAddr, address_mask: u128, port_mask: u16) -> Self {
        Self {
            address: source.ip(),
            address_mask,
            port: source.port(),
            port_mask,
        }
    }

    fn contains(&self, address: IpAddr, port: u16) -> bool {
        let differing = match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                u128::from(network.to_bits() ^ address.to_bits())
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => network.to_bits() ^ address.to_bits(),
            _ => return false,
        };
        differing & self.address_mask == 0 && (self.port ^ port) & self.port_mask == 0
    }
}

/// As an address with the length of its prefix, or with its mask where it has no such length; then the port, if one counts.
impl fmt::Display for SourceFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unused = if self.address.is_ipv4() { 96 } else { 0 };
        let mask = self.address_mask << unused;
        let length = mask.leading_ones();
        write!(f, "{}", self.address)?;
        if mask.count_ones() != length {
            match u32::try_from(self.address_mask) {
                Ok(mask) if self.address.is_ipv4() => write!(f, "/{}", Ipv4Addr::from_bits(mask))?,
                _ => write!(f, "/{}", Ipv6Addr::from_bits(self.address_mask))?,
            }
        } else if length < 128 - unused {
            write!(f, "/{length}")?;
        }
        match self.port_mask {
            0 => Ok(()),
            _ => write!(f, " port {}", self.port),
        }
    }
}

impl FromStr for SourceFilter {
    type Err = ParseSourceFilterError;

    /// Reads `address` or `address/prefix-length`.
    fn from_str(text: &str) -> Result<Self, ParseSourceFilterError> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| ParseSourceFilterError)?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix_length: u8 = match length {
            None => longest,
            Some(length) => length.parse().map_err(|_| ParseSourceFilterError)?,
        };
        if prefix_length > longest {
            return Err(ParseSourceFilterError);
        }
        // Sources are compared as IPv4 addresses where they are mapped into IPv6.
        match (
            address.to_canonical(),
            prefix_length.checked_sub(MAPPED_PREFIX),
        ) {
            (v4 @ IpAddr::V4(_), Some(length)) if address.is_ipv6() => {
                Ok(Self::network(v4, length))
            }
            _ => Ok(Self::network(address, prefix_length)),
        }
    }
}

/// The text is not an address and no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseSourceFilterError;

impl fmt::Display for ParseSourceFilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected an address or a network, as 192.0.2.1, 192.0.2.0/24 or 2001:db8::/32")
    }
}

impl std::error::Error for ParseSourceFilterError {}

/// All communities (snmpCommunityTable).
#[derive(Clone, Debug, Default)]
pub struct CommunityTable {
    communities: Vec<Community>,
}

impl CommunityTable {
    /// A table of these communities. Where several have one name, the first one that allows the source counts.
    #[must_use]
    pub const fn new(communities: Vec<Community>) -> Self {
        Self { communities }
    }

    /// The community that a message from `source` names (RFC 3584 section 5.2.1).
    ///
    /// # Errors
    /// `BadCommunityName`, or `SourceNotAllowed` if it exists but not for that source.
    pub fn authenticate(&self, name: &[u8], source: SocketAddr) -> Result<&Community, Discard> {
        let mut refusal = Discard::BadCommunityName;
        for community in self.communities.iter().filter(|row| row.name == name) {
            if community.sources.contain(source) {
                return Ok(community);
            }
            refusal = Discard::SourceNotAllowed;
        }
        Err(refusal)
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Community] {
        &self.communities
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(address: &str) -> SocketAddr {
        SocketAddr::new(address.parse().unwrap(), 40_000)
    }

    /// RFC 3584 5.3, snmpTargetAddrTMask: ones are bits that must match.
    #[test]
    fn a_mask_says_which_bits_of_address_and_port_count() {
        let is_in = |mask, port_mask, source: &str| {
            let filter = SourceFilter::masked("192.0.2.1:161".parse().unwrap(), mask, port_mask);
            SourceAddresses::Within(vec![filter]).contain(source.parse().unwrap())
        };
        assert!(is_in(0xffff_ffff, 0xffff, "192.0.2.1:161"));
        assert!(!is_in(0xffff_ffff, 0xffff, "192.0.2.1:162"));
        assert!(is_in(0xffff_ffff, 0, "[::ffff:192.0.2.1]:162"));
        assert!(is_in(0x00ff_00ff, 0, "10.0.99.1:5"));
        assert!(!is_in(0x00ff_00ff, 0, "10.1.99.1:5"));
        assert!(!is_in(0, 0, "[2001:db8::1]:161"));
    }

    #[test]
    fn filters_contain_what_lies_in_their_network() {
        for (filter, inside, outside) in [
            ("192.0.2.0/24", "192.0.2.255", "192.0.3.0"),
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("0.0.0.0/0", "203.0.113.9", "2001:db8::1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::1"),
            ("::/0", "::1", "127.0.0.1"),
            ("::ffff:10.9.0.0/120", "10.9.0.255", "10.9.1.0"),
            ("::ffff:10.9.0.1", "10.9.0.1", "10.9.0.2"),
        ] {
            let sources = SourceAddresses::Within(vec![filter.parse().unwrap()]);
            assert!(sources.contain(from(inside)), "{filter}");
            assert!(!sources.contain(from(outside)), "{filter}");
        }
        for text in [
            "192.0.2.0/24",
            "192.0.2.1",
            "0.0.0.0/0",
            "2001:db8::/32",
            "::/0",
            "::1",
        ] {
            assert_eq!(text.parse::<SourceFilter>().unwrap().to_string(), text);
        }
        let masked = SourceFilter::masked("10.0.99.1:161".parse().unwrap(), 0x00ff_00ff, 0xffff);
        assert_eq!(masked.to_string(), "10.0.99.1/0.255.0.255 port 161");
        assert!("192.0.2.0/33".parse::<SourceFilter>().is_err());
        assert!("router".parse::<SourceFilter>().is_err());
    }

    #[test]
    fn an_ipv4_address_in_ipv6_form_is_an_ipv4_address() {
        assert!(SourceAddresses::loopback().contain(from("::ffff:127.0.0.1")));
    }

    #[test]
    fn the_refusal_tells_an_unknown_name_from_a_wrong_source() {
        let table = CommunityTable::new(vec![Community {
            name: b"public".to_vec(),
            security_name: SecurityName::new("public"),
            context_name: String::new(),
            sources: SourceAddresses::loopback(),
        }]);
        let local = from("127.0.0.1");
        let remote = from("192.0.2.1");
        assert!(table.authenticate(b"public", local).is_ok());
        assert_eq!(
            table.authenticate(b"public", remote),
            Err(Discard::SourceNotAllowed)
        );
        assert_eq!(
            table.authenticate(b"secret", local),
            Err(Discard::BadCommunityName)
        );
    }
}
