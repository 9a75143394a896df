use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use varbind_codec::smi::ValueRef;
use varbind_engine::instrumentation::{RequestContext, Rows, TableSource};

use crate::operating_system::{Interface, Interfaces};

/// ifStackStatus, the only column that can be read (RFC 2863).
pub(super) const IF_STACK_TABLE_COLUMNS: &[u32] = &[3];
/// active(1) of RowStatus (RFC 2579).
const ACTIVE: i32 = 1;

/// The rows of ifStackTable: higher and lower interface of each pair, 0 where an interface has none above or below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IfStackRows(Vec<[u32; 2]>);

impl IfStackRows {
    pub(crate) fn new(interfaces: &[Interface]) -> Self {
        let existing: BTreeSet<_> = interfaces
            .iter()
            .map(|interface| interface.link.index)
            .collect();
        let mut pairs = BTreeSet::new();
        for Interface { link, .. } in interfaces {
            let above = link.master.map(|master| [master, link.index]);
            let below = link.lower.map(|lower| [link.index, lower]);
            let found = [above, below].into_iter().flatten();
            pairs.extend(found.filter(|pair| pair.iter().all(|index| existing.contains(index))));
        }
        // RFC 2863 3.1.1: what has nothing above or below it says so with 0.
        let mut is_bounded: BTreeMap<u32, (bool, bool)> = existing
            .iter()
            .map(|&index| (index, (true, true)))
            .collect();
        for [higher, lower] in &pairs {
            is_bounded
                .entry(*higher)
                .and_modify(|(_, is_lowest)| *is_lowest = false);
            is_bounded
                .entry(*lower)
                .and_modify(|(is_highest, _)| *is_highest = false);
        }
        for (index, (is_highest, is_lowest)) in is_bounded {
            pairs.extend(is_highest.then_some([0, index]));
            pairs.extend(is_lowest.then_some([index, 0]));
        }
        Self(pairs.into_iter().collect())
    }
}

impl Rows for IfStackRows {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn index(&self, row: usize) -> &[u32] {
        self.0.get(row).map_or(&[], |pair| pair)
    }

    fn value(&self, _row: usize, _column: u32) -> Option<ValueRef<'_>> {
        Some(ValueRef::Integer(ACTIVE))
    }
}

/// ifStackTable.
pub(super) struct IfStackTable(pub(super) Arc<Interfaces>);

impl TableSource for IfStackTable {
    type Rows = IfStackRows;

    fn with_rows<T>(&self, _request: &RequestContext, look: impl FnOnce(&IfStackRows) -> T) -> T {
        look(&self.0.snapshot().if_stack_table)
    }
}

#[cfg(test)]
mod tests {
    use varbind_engine::clock::Instant;

    use super::*;
    use crate::operating_system::Link;

    fn interface(index: u32, master: Option<u32>, lower: Option<u32>) -> Interface {
        let link = Link {
            index,
            master,
            lower,
            ..Link::default()
        };
        Interface::new(link, None, Instant::ORIGIN)
    }

    #[test]
    fn each_interface_has_a_row_above_and_a_row_below() {
        // A bridge 4 with port 2, a VLAN 5 on 3, which lies on an interface of another namespace.
        let rows = IfStackRows::new(&[
            interface(2, Some(4), None),
            interface(3, None, Some(9)),
            interface(4, None, None),
            interface(5, None, Some(3)),
        ]);
        assert_eq!(rows.0, [[0, 4], [0, 5], [2, 0], [3, 0], [4, 2], [5, 3]]);
    }
}
