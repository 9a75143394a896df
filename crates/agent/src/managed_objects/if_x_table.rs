use std::sync::Arc;

use varbind_codec::smi::ValueRef;
use varbind_engine::instrumentation::{RequestContext, Rows, TableSource};

use super::if_table::low_half;
use crate::operating_system::{Interface, InterfaceTable, Interfaces, LinkStatistics, time_ticks};

/// The columns of ifXTable: all (RFC 2863).
pub(super) const IF_X_TABLE_COLUMNS: &[u32] = &[
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
];

/// The rows of ifXTable.
pub(crate) struct IfXTableRows(Arc<InterfaceTable>);

impl IfXTableRows {
    pub(crate) const fn new(table: Arc<InterfaceTable>) -> Self {
        Self(table)
    }
}

impl Rows for IfXTableRows {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn index(&self, row: usize) -> &[u32] {
        self.0.index(row)
    }

    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>> {
        match column {
            2..=5 => {
                let counter = counter(self.0.counters(row)?, column)?;
                Some(ValueRef::Counter32(low_half(counter)))
            }
            6..=13 => counter(self.0.counters(row)?, column).map(ValueRef::Counter64),
            _ => property(self.0.interface(row)?, column),
        }
    }

    fn first_behind(&self, index: &[u32]) -> usize {
        self.0.first_behind(index)
    }
}

fn counter(counters: &LinkStatistics, column: u32) -> Option<u64> {
    Some(match column {
        // ifHCInOctets
        6 => counters.rx_bytes,
        // ifHCInUcastPkts
        7 => counters.received_unicast(),
        // ifInMulticastPkts, ifHCInMulticastPkts
        2 | 8 => counters.multicast,
        // ifHCOutOctets
        10 => counters.tx_bytes,
        // ifHCOutUcastPkts
        11 => counters.tx_packets,
        // ifInBroadcastPkts, ifOutMulticastPkts, ifOutBroadcastPkts and their 64-bit forms: the kernel does not tell
        // them apart from unicast.
        3 | 4 | 5 | 9 | 12 | 13 => 0,
        _ => return None,
    })
}

/// true(1) and false(2) of TruthValue (RFC 2579).
const fn truth_value(value: bool) -> ValueRef<'static> {
    ValueRef::Integer(if value { 1 } else { 2 })
}

fn property(interface: &Interface, column: u32) -> Option<ValueRef<'_>> {
    Some(match column {
        // ifName
        1 => ValueRef::OctetString(interface.link.name.as_bytes()),
        // ifLinkUpDownTrapEnable: enabled(1), disabled(2)
        14 => truth_value(interface.notifies_transitions()),
        // ifHighSpeed, in Mbit/s
        15 => ValueRef::Gauge32(interface.speed),
        // ifPromiscuousMode
        16 => truth_value(interface.link.is_promiscuous),
        // ifConnectorPresent
        17 => truth_value(interface.link.has_device),
        // ifAlias
        18 => ValueRef::OctetString(interface.alias()),
        // ifCounterDiscontinuityTime
        19 => ValueRef::TimeTicks(time_ticks(interface.counters_since)),
        _ => return None,
    })
}

/// ifXTable, with counters that are fresh.
pub(super) struct IfXTable(pub(super) Arc<Interfaces>);

impl TableSource for IfXTable {
    type Rows = IfXTableRows;

    fn with_rows<T>(&self, request: &RequestContext, look: impl FnOnce(&IfXTableRows) -> T) -> T {
        look(&self.0.fresh_snapshot(request.now).if_x_table)
    }
}
