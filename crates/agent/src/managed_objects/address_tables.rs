use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use varbind_codec::smi::{EncodedOid, OidRef, ValueRef};
use varbind_engine::instrumentation::{RequestContext, Rows, TableSource};

use super::ip_address_prefix_table::{IpAddressPrefixRows, prefix_pointer};
use crate::operating_system::{Address, Interfaces, Scope};

/// The columns of ipAddrTable (RFC 4293; deprecated there, and used by all).
pub(super) const IP_ADDR_TABLE_COLUMNS: &[u32] = &[1, 2, 3, 4, 5];
/// The columns of ipAddressTable that can be read (RFC 4293).
pub(super) const IP_ADDRESS_TABLE_COLUMNS: &[u32] = &[3, 4, 5, 6, 7, 8, 9, 10, 11];

/// Who set an address (IFAP_...).
pub(super) const ROUTER_ANNOUNCEMENT: u8 = 2;
pub(super) const LINK_LOCAL: u8 = 3;
/// The largest datagram that can be reassembled from fragments (ipAdEntReasmMaxSize).
const LARGEST_DATAGRAM: i32 = 65_535;

/// The rows of the address tables.
pub(crate) struct AddressRows {
    deprecated: Arc<IpAddrRows>,
    unified: Arc<IpAddressRows>,
    pub(super) prefixes: IpAddressPrefixRows,
}

impl AddressRows {
    pub(crate) fn new(addresses: &[Address]) -> Self {
        Self {
            deprecated: Arc::new(IpAddrRows::new(addresses)),
            unified: Arc::new(IpAddressRows::new(addresses)),
            prefixes: IpAddressPrefixRows::new(addresses),
        }
    }
}

/// The rows of ipAddrTable: IPv4 alone.
pub(crate) struct IpAddrRows(Vec<([u32; 4], Address)>);

impl IpAddrRows {
    fn new(addresses: &[Address]) -> Self {
        let mut rows: Vec<_> = addresses
            .iter()
            .filter_map(|address| match address.address {
                IpAddr::V4(v4) => Some((v4.octets().map(u32::from), *address)),
                IpAddr::V6(_) => None,
            })
            .collect();
        // One address may be on several interfaces; the table has room for one of them.
        rows.sort_by_key(|(index, address)| (*index, address.link));
        rows.dedup_by_key(|(index, _)| *index);
        Self(rows)
    }
}

impl Rows for IpAddrRows {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn index(&self, row: usize) -> &[u32] {
        self.0.get(row).map_or(&[], |(index, _)| index)
    }

    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>> {
        let (_, row) = self.0.get(row)?;
        let IpAddr::V4(address) = row.address else {
            return None;
        };
        Some(match column {
            // ipAdEntAddr
            1 => ValueRef::IpAddress(address.octets()),
            // ipAdEntIfIndex
            2 => ValueRef::Integer(row.link.cast_signed()),
            // ipAdEntNetMask
            3 => ValueRef::IpAddress(netmask(row.prefix_length).octets()),
            // ipAdEntBcastAddr: the least significant bit of the broadcast address
            4 => ValueRef::Integer(match row.broadcast {
                Some(IpAddr::V4(broadcast)) => (broadcast.to_bits() & 1).cast_signed(),
                _ => 0,
            }),
            // ipAdEntReasmMaxSize
            5 => ValueRef::Integer(LARGEST_DATAGRAM),
            _ => return None,
        })
    }
}

pub(super) fn netmask(prefix_length: u8) -> Ipv4Addr {
    let zeros = 32_u32.saturating_sub(u32::from(prefix_length));
    Ipv4Addr::from_bits(u32::MAX.checked_shl(zeros).unwrap_or(0))
}

/// The rows of ipAddressTable: both versions, and the broadcast addresses of IPv4.
pub(crate) struct IpAddressRows(Vec<UnifiedRow>);

struct UnifiedRow {
    /// InetAddressType, length and octets.
    index: Vec<u32>,
    address: Address,
    is_broadcast: bool,
    /// ipAddressPrefix: the first column of its row in ipAddressPrefixTable.
    prefix: Option<EncodedOid>,
}

impl IpAddressRows {
    fn new(addresses: &[Address]) -> Self {
        let own = addresses.iter().map(UnifiedRow::new);
        let mut rows: Vec<_> = own
            .chain(addresses.iter().filter_map(UnifiedRow::broadcast))
            .collect();
        // An address that a host has is not a broadcast address, whatever another network says.
        rows.sort_by(|a, b| {
            let key = |row: &UnifiedRow| (row.is_broadcast, row.address.link);
            a.index.cmp(&b.index).then(key(a).cmp(&key(b)))
        });
        rows.dedup_by(|a, b| a.index == b.index);
        Self(rows)
    }
}

impl UnifiedRow {
    /// The broadcast address that goes with an address.
    fn broadcast(address: &Address) -> Option<Self> {
        let broadcast @ IpAddr::V4(v4) = address.broadcast? else {
            return None;
        };
        (!v4.is_unspecified()).then(|| Self {
            index: inet_address(broadcast, None),
            address: *address,
            is_broadcast: true,
            prefix: prefix_pointer(address),
        })
    }

    fn new(address: &Address) -> Self {
        let link_local = match address.address {
            IpAddr::V6(v6) => v6.is_unicast_link_local(),
            IpAddr::V4(v4) => v4.is_link_local(),
        };
        let zone = (link_local && address.scope == Scope::Link).then_some(address.link);
        Self {
            index: inet_address(address.address, zone),
            address: *address,
            is_broadcast: false,
            prefix: prefix_pointer(address),
        }
    }
}

/// InetAddressType and InetAddress as sub-identifiers (RFC 4001): ipv4(1), ipv6(2), or ipv4z(3) and ipv6z(4), which
/// carry the zone, here the interface.
pub(super) fn inet_address(address: IpAddr, zone: Option<u32>) -> Vec<u32> {
    let (plain, octets) = match address {
        IpAddr::V4(v4) => (1, v4.octets().to_vec()),
        IpAddr::V6(v6) => (2, v6.octets().to_vec()),
    };
    let zone = zone.map(u32::to_be_bytes);
    let address_type = if zone.is_some() { plain + 2 } else { plain };
    let octets: Vec<_> = octets
        .into_iter()
        .chain(zone.into_iter().flatten())
        .collect();
    let length = u32::try_from(octets.len()).unwrap_or(0);
    [address_type, length]
        .into_iter()
        .chain(octets.into_iter().map(u32::from))
        .collect()
}

impl Rows for IpAddressRows {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn index(&self, row: usize) -> &[u32] {
        self.0.get(row).map_or(&[], |row| &row.index)
    }

    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>> {
        let row = self.0.get(row)?;
        let address = &row.address;
        Some(match column {
            // ipAddressIfIndex
            3 => ValueRef::Integer(address.link.cast_signed()),
            // ipAddressType: broadcast(3), unicast(1)
            4 => ValueRef::Integer(if row.is_broadcast { 3 } else { 1 }),
            // ipAddressPrefix
            5 => ValueRef::ObjectIdentifier(
                row.prefix
                    .as_ref()
                    .map_or(OidRef::ZERO_DOT_ZERO, EncodedOid::as_oid_ref),
            ),
            // ipAddressOrigin
            6 => ValueRef::Integer(origin(address)),
            // ipAddressStatus
            7 => ValueRef::Integer(status(address)),
            // ipAddressCreated, ipAddressLastChanged: 0, for the kernel's times have another origin
            8 | 9 => ValueRef::TimeTicks(0),
            // ipAddressRowStatus: active(1)
            10 => ValueRef::Integer(1),
            // ipAddressStorageType: volatile(2)
            11 => ValueRef::Integer(2),
            _ => return None,
        })
    }
}

/// IpAddressOriginTC (RFC 4293). The kernel says who set an address only since 5.18, and not of those that others set.
fn origin(address: &Address) -> i32 {
    match address.protocol {
        // random(6), linklayer(5)
        ROUTER_ANNOUNCEMENT if address.flags.is_temporary() => 6,
        ROUTER_ANNOUNCEMENT | LINK_LOCAL => 5,
        // dhcp(4): what is given for a limited time; of IPv6, for which routers do that too, other(1)
        _ if !address.flags.is_permanent() && address.address.is_ipv4() => 4,
        _ if !address.flags.is_permanent() => 1,
        // manual(2)
        _ => 2,
    }
}

/// IpAddressStatusTC (RFC 4293).
fn status(address: &Address) -> i32 {
    let flags = address.flags;
    match (
        flags.is_duplicate(),
        flags.is_tentative(),
        flags.is_deprecated(),
    ) {
        // duplicate(7)
        (true, _, _) => 7,
        // tentative(6)
        (_, true, _) => 6,
        // deprecated(2)
        (_, _, true) => 2,
        // preferred(1)
        _ => 1,
    }
}

/// ipAddrTable.
pub(super) struct IpAddrTable(pub(super) Arc<Interfaces>);

impl TableSource for IpAddrTable {
    type Rows = IpAddrRows;

    fn with_rows<T>(&self, _request: &RequestContext, look: impl FnOnce(&IpAddrRows) -> T) -> T {
        look(&self.0.snapshot().addresses.deprecated)
    }
}

/// ipAddressTable.
pub(super) struct IpAddressTable(pub(super) Arc<Interfaces>);

impl TableSource for IpAddressTable {
    type Rows = IpAddressRows;

    fn with_rows<T>(&self, _request: &RequestContext, look: impl FnOnce(&IpAddressRows) -> T) -> T {
        look(&self.0.snapshot().addresses.unified)
    }
}
