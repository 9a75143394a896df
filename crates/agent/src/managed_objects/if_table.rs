use std::sync::Arc;

use varbind_codec::smi::{OidRef, ValueRef};
use varbind_engine::instrumentation::{RequestContext, Rows, TableSource};

use crate::operating_system::{
    Interface, InterfaceTable, Interfaces, LinkStatistics, OperationalState, time_ticks,
};

/// The columns of ifTable: all (RFC 2863). Those that are deprecated answer what they always did.
pub(super) const IF_TABLE_COLUMNS: &[u32] = &[
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
];

/// The rows of ifTable.
pub(crate) struct IfTableRows(Arc<InterfaceTable>);

impl IfTableRows {
    pub(crate) const fn new(table: Arc<InterfaceTable>) -> Self {
        Self(table)
    }
}

impl Rows for IfTableRows {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn index(&self, row: usize) -> &[u32] {
        self.0.index(row)
    }

    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>> {
        let interface = self.0.interface(row)?;
        match column {
            10..=20 => counter(self.0.counters(row)?, column),
            _ => property(interface, column),
        }
    }

    fn first_behind(&self, index: &[u32]) -> usize {
        self.0.first_behind(index)
    }
}

fn property(interface: &Interface, column: u32) -> Option<ValueRef<'_>> {
    let link = &interface.link;
    Some(match column {
        // ifIndex
        1 => ValueRef::Integer(link.index.cast_signed()),
        // ifDescr
        2 => ValueRef::OctetString(link.name.as_bytes()),
        // ifType
        3 => ValueRef::Integer(interface.if_type),
        // ifMtu
        4 => ValueRef::Integer(i32::try_from(link.mtu).unwrap_or(i32::MAX)),
        // ifSpeed: 4294967295 where the number is too large (RFC 2863 3.1.6)
        5 => ValueRef::Gauge32(interface.speed.saturating_mul(1_000_000)),
        // ifPhysAddress
        6 => ValueRef::OctetString(interface.physical_address()),
        // ifAdminStatus: up(1), down(2)
        7 => ValueRef::Integer(if link.is_up { 1 } else { 2 }),
        // ifOperStatus
        8 => ValueRef::Integer(operational_status(link.operational_state)),
        // ifLastChange
        9 => ValueRef::TimeTicks(time_ticks(interface.last_change)),
        // ifOutQLen
        21 => ValueRef::Gauge32(0),
        // ifSpecific
        22 => ValueRef::ObjectIdentifier(OidRef::ZERO_DOT_ZERO),
        _ => return None,
    })
}

/// ifOperStatus.
pub(crate) const fn operational_status(state: OperationalState) -> i32 {
    match state {
        OperationalState::Up => 1,
        OperationalState::Down => 2,
        OperationalState::Testing => 3,
        OperationalState::Dormant => 5,
        OperationalState::NotPresent => 6,
        OperationalState::LowerLayerDown => 7,
    }
}

fn counter(counters: &LinkStatistics, column: u32) -> Option<ValueRef<'static>> {
    let value = match column {
        // ifInOctets
        10 => counters.rx_bytes,
        // ifInUcastPkts
        11 => counters.received_unicast(),
        // ifInNUcastPkts
        12 => counters.multicast,
        // ifInDiscards
        13 => counters.rx_dropped,
        // ifInErrors
        14 => counters.rx_errors,
        // ifInUnknownProtos
        15 => counters.rx_nohandler,
        // ifOutOctets
        16 => counters.tx_bytes,
        // ifOutUcastPkts
        17 => counters.tx_packets,
        // ifOutNUcastPkts: the kernel counts all packets sent as one
        18 => 0,
        // ifOutDiscards
        19 => counters.tx_dropped,
        // ifOutErrors
        20 => counters.tx_errors,
        _ => return None,
    };
    Some(ValueRef::Counter32(low_half(value)))
}

/// A Counter32 runs on modulo 2^32 where the kernel counts in 64 bits.
pub(super) const fn low_half(value: u64) -> u32 {
    let [.., a, b, c, d] = value.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

/// ifTable, with counters that are fresh.
pub(super) struct IfTable(pub(super) Arc<Interfaces>);

impl TableSource for IfTable {
    type Rows = IfTableRows;

    fn with_rows<T>(&self, request: &RequestContext, look: impl FnOnce(&IfTableRows) -> T) -> T {
        look(&self.0.fresh_snapshot(request.now).if_table)
    }
}
