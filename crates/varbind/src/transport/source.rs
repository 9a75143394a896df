use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The network that a peer's address belongs to, by which limits count peers: the /24 of an IPv4 address, the /64 of an
/// IPv6 address. One host usually has a whole /64 at its disposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceBlock(IpAddr);

const IPV4_PREFIX: u32 = 24;
const IPV6_PREFIX: u32 = 64;

impl SourceBlock {
    /// The block of an address. An IPv4-mapped IPv6 address counts as its IPv4 address.
    #[must_use]
    pub const fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => {
                let mask = u32::MAX << (Ipv4Addr::BITS - IPV4_PREFIX);
                IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask))
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX << (Ipv6Addr::BITS - IPV6_PREFIX);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
        })
    }
}

impl fmt::Display for SourceBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = match self.0 {
            IpAddr::V4(_) => IPV4_PREFIX,
            IpAddr::V6(_) => IPV6_PREFIX,
        };
        write!(f, "{}/{prefix}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_network_share_a_block() {
        for (address, block) in [
            ("192.0.2.1", "192.0.2.0/24"),
            ("192.0.2.255", "192.0.2.0/24"),
            ("192.0.3.1", "192.0.3.0/24"),
            ("::ffff:192.0.2.7", "192.0.2.0/24"),
            ("2001:db8::1", "2001:db8::/64"),
            ("2001:db8::ffff:ffff:ffff:ffff", "2001:db8::/64"),
            ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
            ("::1", "::/64"),
        ] {
            let found = SourceBlock::of(address.parse().unwrap());
            assert_eq!(found.to_string(), block, "{address}");
        }
    }
}
