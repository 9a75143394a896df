use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use varbind_codec::smi::{EncodedOid, Oid, ValueRef};
use varbind_engine::instrumentation::{RequestContext, Rows, TableSource};

use super::address_tables::{LINK_LOCAL, ROUTER_ANNOUNCEMENT, inet_address};
use super::{FALSE, TRUE};
use crate::operating_system::{Address, Interfaces, Lifetimes};

pub(super) const IP_ADDRESS_PREFIX_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 32, 1];
/// The columns of ipAddressPrefixTable that can be read (RFC 4293).
pub(super) const IP_ADDRESS_PREFIX_TABLE_COLUMNS: &[u32] = &[5, 6, 7, 8, 9];

/// The rows of ipAddressPrefixTable: the prefixes of this host's addresses.
pub(crate) struct IpAddressPrefixRows(Vec<PrefixRow>);

struct PrefixRow {
    /// ipAddressPrefixIfIndex, the prefix, and its length.
    index: Vec<u32>,
    origin: i32,
    is_autonomous: bool,
    lifetimes: Lifetimes,
}

impl IpAddressPrefixRows {
    pub(super) fn new(addresses: &[Address]) -> Self {
        let mut rows: Vec<_> = addresses.iter().map(PrefixRow::new).collect();
        // Several addresses may have one prefix; the one that is valid longest says most of it.
        rows.sort_by(|a, b| {
            a.index
                .cmp(&b.index)
                .then(b.lifetimes.valid.cmp(&a.lifetimes.valid))
        });
        rows.dedup_by(|a, b| a.index == b.index);
        Self(rows)
    }
}

impl PrefixRow {
    fn new(address: &Address) -> Self {
        let origin = origin(address);
        // routeradv(5), and the link-local prefix: what hosts make addresses of (RFC 4862).
        let is_autonomous = address.address.is_ipv6() && matches!(origin, 3 | 5);
        Self {
            index: index(address),
            origin,
            is_autonomous,
            lifetimes: address.lifetimes,
        }
    }
}

/// IpAddressPrefixOriginTC (RFC 4293), as far as the kernel knows it.
fn origin(address: &Address) -> i32 {
    let is_link_local = match address.address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    };
    match address.protocol {
        // wellknown(3)
        _ if is_link_local => 3,
        LINK_LOCAL => 3,
        // routeradv(5)
        ROUTER_ANNOUNCEMENT => 5,
        // dhcp(4): what is given for a limited time; of IPv6, for which routers do that too, other(1)
        _ if !address.flags.is_permanent() && address.address.is_ipv4() => 4,
        _ if !address.flags.is_permanent() => 1,
        // manual(2)
        _ => 2,
    }
}

fn index(address: &Address) -> Vec<u32> {
    let length = address.prefix_length;
    // Prefixes have no zone: the interface is in the index.
    let prefix = inet_address(prefix(address.address, length), None);
    [&[address.link][..], &prefix, &[u32::from(length)]].concat()
}

/// The address without the bits behind its prefix.
fn prefix(address: IpAddr, length: u8) -> IpAddr {
    let length = u32::from(length);
    match address {
        IpAddr::V4(v4) => {
            let others = u32::MAX.checked_shr(length).unwrap_or(0);
            Ipv4Addr::from_bits(v4.to_bits() & !others).into()
        }
        IpAddr::V6(v6) => {
            let others = u128::MAX.checked_shr(length).unwrap_or(0);
            Ipv6Addr::from_bits(v6.to_bits() & !others).into()
        }
    }
}

/// What points to the row of an address' prefix: the name of its first column that can be read.
pub(super) fn prefix_pointer(address: &Address) -> Option<EncodedOid> {
    let first = IP_ADDRESS_PREFIX_TABLE_COLUMNS.get(..1).unwrap_or_default();
    let name = [IP_ADDRESS_PREFIX_ENTRY, first, &index(address)].concat();
    Oid::new(&name).ok().as_ref().map(EncodedOid::from)
}

impl Rows for IpAddressPrefixRows {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn index(&self, row: usize) -> &[u32] {
        self.0.get(row).map_or(&[], |row| &row.index)
    }

    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>> {
        let row = self.0.get(row)?;
        Some(match column {
            // ipAddressPrefixOrigin
            5 => ValueRef::Integer(row.origin),
            // ipAddressPrefixOnLinkFlag
            6 => ValueRef::Integer(TRUE),
            // ipAddressPrefixAutonomousFlag
            7 => ValueRef::Integer(if row.is_autonomous { TRUE } else { FALSE }),
            // ipAddressPrefixAdvPreferredLifetime, ipAddressPrefixAdvValidLifetime
            8 => ValueRef::Gauge32(row.lifetimes.preferred),
            9 => ValueRef::Gauge32(row.lifetimes.valid),
            _ => return None,
        })
    }
}

/// ipAddressPrefixTable.
pub(super) struct IpAddressPrefixTable(pub(super) Arc<Interfaces>);

impl TableSource for IpAddressPrefixTable {
    type Rows = IpAddressPrefixRows;

    fn with_rows<T>(
        &self,
        _request: &RequestContext,
        look: impl FnOnce(&IpAddressPrefixRows) -> T,
    ) -> T {
        look(&self.0.snapshot().addresses.prefixes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_in_zeros() {
        for (address, length, expected) in [
            ("10.1.2.3", 8, "10.0.0.0"),
            ("10.1.2.3", 0, "0.0.0.0"),
            ("10.1.2.3", 32, "10.1.2.3"),
            ("2001:db8:1:2::3", 48, "2001:db8:1::"),
            ("2001:db8::3", 128, "2001:db8::3"),
        ] {
            let found = prefix(address.parse().unwrap(), length);
            assert_eq!(
                found,
                expected.parse::<IpAddr>().unwrap(),
                "{address}/{length}"
            );
        }
    }
}
