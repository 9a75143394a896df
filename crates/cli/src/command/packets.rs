//! Packets that interfaces received and sent: counters of ifXTable, or of ifTable where there are none (RFC 2863).

use std::ops::Range;

use crate::session::Row;

/// Columns for [`received`] and [`sent`].
pub(super) const PACKET_COLUMNS: [&str; 10] = [
    "ifHCInUcastPkts",
    "ifHCInMulticastPkts",
    "ifHCInBroadcastPkts",
    "ifHCOutUcastPkts",
    "ifHCOutMulticastPkts",
    "ifHCOutBroadcastPkts",
    "ifInUcastPkts",
    "ifInNUcastPkts",
    "ifOutUcastPkts",
    "ifOutNUcastPkts",
];

pub(super) fn received(row: Row<'_>) -> Option<u64> {
    sum(row, 0..3).or_else(|| sum(row, 6..8))
}

pub(super) fn sent(row: Row<'_>) -> Option<u64> {
    sum(row, 3..6).or_else(|| sum(row, 8..10))
}

fn sum(row: Row<'_>, columns: Range<usize>) -> Option<u64> {
    let counters = columns.filter_map(|column| row.number(column));
    counters.reduce(u64::saturating_add)
}
