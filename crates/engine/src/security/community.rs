use std::fmt;
use std::net::IpAddr;
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
            SourceFilter {
                address: IpAddr::from([127, 0, 0, 0]),
                prefix_length: 8,
            },
            SourceFilter {
                address: IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
                prefix_length: 128,
            },
        ])
    }

    /// Whether `address` is among them; an IPv4 address in IPv6 form counts as IPv4.
    #[must_use]
    pub fn contain(&self, address: IpAddr) -> bool {
        match self {
            Self::Any => true,
            Self::Within(filters) => {
                let address = address.to_canonical();
                filters.iter().any(|filter| filter.contains(address))
            }
        }
    }
}

/// A network: an address and the length of its prefix in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFilter {
    address: IpAddr,
    prefix_length: u8,
}

impl SourceFilter {
    fn contains(&self, address: IpAddr) -> bool {
        let prefix = u32::from(self.prefix_length);
        match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let differing = network.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= prefix
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let differing = network.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= prefix
            }
            _ => false,
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
        let prefix_length = match length {
            None => longest,
            Some(length) => length.parse().map_err(|_| ParseSourceFilterError)?,
        };
        if prefix_length > longest {
            return Err(ParseSourceFilterError);
        }
        Ok(Self {
            address,
            prefix_length,
        })
    }
}

/// The text is no address and no network.
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
    pub fn authenticate(&self, name: &[u8], source: IpAddr) -> Result<&Community, Discard> {
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

    #[test]
    fn filters_contain_what_lies_in_their_network() {
        for (filter, inside, outside) in [
            ("192.0.2.0/24", "192.0.2.255", "192.0.3.0"),
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("0.0.0.0/0", "203.0.113.9", "2001:db8::1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::1"),
            ("::/0", "::1", "127.0.0.1"),
        ] {
            let sources = SourceAddresses::Within(vec![filter.parse().unwrap()]);
            assert!(sources.contain(inside.parse().unwrap()), "{filter}");
            assert!(!sources.contain(outside.parse().unwrap()), "{filter}");
        }
        assert!("192.0.2.0/33".parse::<SourceFilter>().is_err());
        assert!("router".parse::<SourceFilter>().is_err());
    }

    #[test]
    fn an_ipv4_address_in_ipv6_form_is_an_ipv4_address() {
        assert!(SourceAddresses::loopback().contain("::ffff:127.0.0.1".parse().unwrap()));
    }

    #[test]
    fn the_refusal_tells_an_unknown_name_from_a_wrong_source() {
        let table = CommunityTable::new(vec![Community {
            name: b"public".to_vec(),
            security_name: SecurityName::new("public"),
            context_name: String::new(),
            sources: SourceAddresses::loopback(),
        }]);
        let local = IpAddr::from([127, 0, 0, 1]);
        let remote = IpAddr::from([192, 0, 2, 1]);
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
