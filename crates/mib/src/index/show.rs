//! The values of an index as text for people, one per column of a printed table.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{Index, IndexPart, IndexValue};
use crate::display::dotted;
use crate::hint;

/// The textual conventions of RFC 4001.
pub(crate) const INET_ADDRESS_TYPE: &str = "InetAddressType";
pub(crate) const INET_ADDRESS: &str = "InetAddress";

/// An InetAddress of RFC 4001 as text, if it is well formed for its InetAddressType.
pub(crate) fn inet_address(address_type: u32, octets: &[u8]) -> Option<String> {
    let zone = |octets: &[u8]| Some(u32::from_be_bytes(octets.try_into().ok()?));
    Some(match (address_type, octets.len()) {
        (1, 4) => Ipv4Addr::from(<[u8; 4]>::try_from(octets).ok()?).to_string(),
        (2, 16) => Ipv6Addr::from(<[u8; 16]>::try_from(octets).ok()?).to_string(),
        (3, 8) => {
            let (address, rest) = octets.split_at_checked(4)?;
            format!("{}%{}", inet_address(1, address)?, zone(rest)?)
        }
        (4, 20) => {
            let (address, rest) = octets.split_at_checked(16)?;
            format!("{}%{}", inet_address(2, address)?, zone(rest)?)
        }
        (16, 1..) => String::from_utf8(octets.to_vec()).ok()?,
        _ => return None,
    })
}

/// The octets of an InetAddress of RFC 4001 from text.
pub(crate) fn inet_address_octets(address_type: u32, text: &str) -> Option<Vec<u8>> {
    let with_zone = |text: &str, inner: u32| {
        let (address, zone) = text.split_once('%')?;
        let mut octets = inet_address_octets(inner, address)?;
        octets.extend(zone.parse::<u32>().ok()?.to_be_bytes());
        Some(octets)
    };
    match address_type {
        1 => Some(text.parse::<Ipv4Addr>().ok()?.octets().to_vec()),
        2 => Some(text.parse::<Ipv6Addr>().ok()?.octets().to_vec()),
        3 => with_zone(text, 1),
        4 => with_zone(text, 2),
        _ => None,
    }
}

impl Index<'_> {
    /// The values of an instance identifier as text, one for each column: enumerations by name, addresses in their
    /// usual form, strings by their display hint. `None` if the instance identifier does not fit the index.
    ///
    /// ```
    /// use varbind_mib::Mib;
    /// let mib = Mib::builtin();
    /// let table = mib.table("ipAddressTable")?;
    /// let shown = table.index().show(&[1, 4, 127, 0, 0, 1]);
    /// assert_eq!(shown, Some(vec!["ipv4".to_owned(), "127.0.0.1".to_owned()]));
    /// # Ok::<(), varbind_mib::ResolveError>(())
    /// ```
    #[must_use]
    pub fn show(&self, instance: &[u32]) -> Option<Vec<String>> {
        let values = self.decode(instance).ok()?;
        let mut address_type = None;
        let mut shown = Vec::with_capacity(values.len());
        for (part, value) in self.parts.iter().zip(&values) {
            shown.push(show_part(&part, value, address_type));
            address_type = match value {
                IndexValue::Number(number)
                    if part.syntax.textual_convention() == Some(INET_ADDRESS_TYPE) =>
                {
                    Some(*number)
                }
                _ => None,
            };
        }
        Some(shown)
    }
}

fn show_part(part: &IndexPart<'_>, value: &IndexValue, address_type: Option<u32>) -> String {
    match value {
        IndexValue::Number(number) => part
            .syntax
            .name_of(i64::from(*number))
            .map_or_else(|| number.to_string(), str::to_owned),
        IndexValue::IpAddress(address) => Ipv4Addr::from(*address).to_string(),
        IndexValue::ObjectIdentifier(arcs) => dotted(arcs),
        IndexValue::Octets(octets) => address_type
            .filter(|_| part.syntax.textual_convention() == Some(INET_ADDRESS))
            .and_then(|address_type| inet_address(address_type, octets))
            .unwrap_or_else(|| hint::show_octets(part.syntax.display_hint(), octets)),
    }
}
