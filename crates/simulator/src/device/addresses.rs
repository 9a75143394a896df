//! Ranges of addresses, and the device at each.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Consecutive addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    first: IpAddr,
    count: u32,
}

/// The most devices of one range.
pub(super) const MOST: u32 = 1 << 24;

impl AddressRange {
    /// This many addresses from `first` on; `None` if there are none, too many, or not so many addresses.
    #[must_use]
    pub fn new(first: IpAddr, count: u32) -> Option<Self> {
        let last = u128::from(count.checked_sub(1)?);
        let limit = match first {
            IpAddr::V4(_) => u128::from(u32::MAX),
            IpAddr::V6(_) => u128::MAX,
        };
        let is_possible = count <= MOST && number(first).checked_add(last)? <= limit;
        is_possible.then_some(Self { first, count })
    }

    /// The first address.
    #[must_use]
    pub const fn first(&self) -> IpAddr {
        self.first
    }

    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The address at a place, counted from 0.
    #[must_use]
    pub fn address(&self, at: u32) -> Option<IpAddr> {
        if at >= self.count {
            return None;
        }
        let number = number(self.first) + u128::from(at);
        Some(match self.first {
            IpAddr::V4(_) => Ipv4Addr::from(u32::try_from(number).ok()?).into(),
            IpAddr::V6(_) => Ipv6Addr::from(number).into(),
        })
    }

    /// The place of an address.
    #[must_use]
    pub fn place(&self, address: IpAddr) -> Option<u32> {
        if address.is_ipv4() != self.first.is_ipv4() {
            return None;
        }
        let at = number(address).checked_sub(number(self.first))?;
        u32::try_from(at).ok().filter(|at| *at < self.count)
    }

    /// Whether a socket bound to an address receives what is sent to one of these.
    #[must_use]
    pub fn is_reached_by(&self, bound: IpAddr) -> bool {
        let is_all = bound.is_unspecified() && bound.is_ipv4() == self.first.is_ipv4();
        is_all || self.place(bound).is_some()
    }

    /// Whether the two have an address in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.place(other.first).is_some() || other.place(self.first).is_some()
    }
}

/// The address as a number among those of its family.
fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address(self.count - 1) {
            Some(last) if last != self.first => write!(f, "{}-{last}", self.first),
            _ => self.first.fmt(f),
        }
    }
}

impl FromStr for AddressRange {
    type Err = ParseAddressRangeError;

    /// Reads `127.1.0.0/16`, `127.1.0.1-127.2.134.160` or one address.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseAddressRangeError(text.to_owned());
        let address = |text: &str| text.trim().parse::<IpAddr>().map_err(|_| error());
        let range = if let Some((network, length)) = text.split_once('/') {
            let network = address(network)?;
            let width: u32 = if network.is_ipv4() { 32 } else { 128 };
            let length: u32 = length.trim().parse().map_err(|_| error())?;
            let bits = width.checked_sub(length).filter(|bits| *bits <= 24);
            let count = 1_u32 << bits.ok_or_else(error)?;
            let is_network = number(network).is_multiple_of(u128::from(count));
            is_network.then(|| Self::new(network, count)).flatten()
        } else if let Some((first, last)) = text.split_once('-') {
            let (first, last) = (address(first)?, address(last)?);
            let count = number(last)
                .checked_sub(number(first))
                .and_then(|last| u32::try_from(last).ok()?.checked_add(1));
            let count = count.filter(|_| first.is_ipv4() == last.is_ipv4());
            count.and_then(|count| Self::new(first, count))
        } else {
            Self::new(address(text)?, 1)
        };
        range.ok_or_else(error)
    }
}

/// The text is not a range of addresses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a range of at most {MOST} addresses: write 127.1.0.0/16, 127.1.0.1-127.1.3.232 or one address"
)]
pub struct ParseAddressRangeError(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_addresses_have_their_places() {
        let range = AddressRange::new(Ipv4Addr::new(127, 1, 0, 0).into(), 1_000_000).unwrap();
        for at in (0..1_000_000).step_by(997).chain([999_999]) {
            let address = range.address(at).unwrap();
            assert_eq!(range.place(address), Some(at));
        }
        assert_eq!(range.address(1_000_000), None);
        assert_eq!(
            range.address(999_999),
            Some(Ipv4Addr::new(127, 16, 66, 63).into())
        );
        assert_eq!(range.place(Ipv4Addr::new(127, 0, 255, 255).into()), None);
        assert_eq!(range.place(Ipv4Addr::new(127, 16, 66, 64).into()), None);
        assert_eq!(range.place("::ffff:127.1.0.0".parse().unwrap()), None);
    }

    #[test]
    fn ranges_are_read_and_shown() {
        for (text, shown, count) in [
            ("127.1.0.0/16", "127.1.0.0-127.1.255.255", 65_536),
            ("127.1.0.1-127.1.0.10", "127.1.0.1-127.1.0.10", 10),
            ("127.0.0.1", "127.0.0.1", 1),
            ("fd00::/112", "fd00::-fd00::ffff", 65_536),
        ] {
            let range: AddressRange = text.parse().unwrap();
            assert_eq!((range.to_string().as_str(), range.count()), (shown, count));
        }
        for wrong in [
            "",
            "127.1.0.0/7",
            "127.1.0.1/16",
            "127.0.0.2-127.0.0.1",
            "127.0.0.1-::1",
            "::/0",
            "x",
            "1.2.3.4/33",
        ] {
            assert!(wrong.parse::<AddressRange>().is_err(), "{wrong}");
        }
        let end = Ipv4Addr::BROADCAST.into();
        assert!(AddressRange::new(end, 2).is_none() && AddressRange::new(end, 0).is_none());
    }
}
