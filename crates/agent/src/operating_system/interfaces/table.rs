use std::sync::Arc;

use varbind_engine::clock::Instant;

use super::Interface;
use crate::operating_system::netlink::LinkStatistics;

/// All interfaces with their counters at one moment.
///
/// Invariant: the three lists have the same length, and the indexes are in ascending order, each once.
#[derive(Debug)]
pub(crate) struct InterfaceTable {
    /// The indexes apart, so that a search touches little memory.
    indexes: Arc<[[u32; 1]]>,
    interfaces: Arc<[Interface]>,
    counters: Vec<LinkStatistics>,
    /// When the counters were read; `None` if they never were.
    counters_read: Option<Instant>,
}

impl InterfaceTable {
    /// A table of `interfaces`, which keeps the counters that `before` has of them.
    pub(super) fn new(mut interfaces: Vec<Interface>, before: Option<&Self>) -> Self {
        interfaces.sort_by_key(|interface| interface.link.index);
        interfaces.dedup_by_key(|interface| interface.link.index);
        let known: Vec<_> = interfaces
            .iter()
            .map(|interface| {
                before?
                    .counters(before?.row(interface.link.index)?)
                    .copied()
            })
            .collect();
        // A table in which one interface has no counters yet is as one that never had any.
        let is_complete = known.iter().all(Option::is_some);
        Self {
            indexes: interfaces
                .iter()
                .map(|interface| [interface.link.index])
                .collect(),
            interfaces: interfaces.into(),
            counters: known.into_iter().map(Option::unwrap_or_default).collect(),
            counters_read: before
                .and_then(|table| table.counters_read)
                .filter(|_| is_complete),
        }
    }

    /// The same interfaces with other counters.
    pub(super) fn with_counters(&self, counters: Vec<LinkStatistics>, now: Instant) -> Self {
        Self {
            indexes: Arc::clone(&self.indexes),
            interfaces: Arc::clone(&self.interfaces),
            counters,
            counters_read: Some(now),
        }
    }

    /// Whether the counters were read within `max_age` before `now`.
    pub(super) fn has_fresh_counters(&self, now: Instant, max_age: std::time::Duration) -> bool {
        self.counters_read
            .is_some_and(|read| now.saturating_since(read) <= max_age)
    }

    /// Whether there are counters of each interface, whatever their age.
    pub(super) const fn has_counters(&self) -> bool {
        self.counters_read.is_some()
    }

    pub(super) fn all_counters(&self) -> &[LinkStatistics] {
        &self.counters
    }

    /// The number of interfaces.
    pub(crate) fn len(&self) -> usize {
        self.indexes.len()
    }

    /// The interfaces, in the order of their indexes.
    pub(crate) fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }

    /// The interface in a row.
    pub(crate) fn interface(&self, row: usize) -> Option<&Interface> {
        self.interfaces.get(row)
    }

    /// The counters in a row.
    pub(crate) fn counters(&self, row: usize) -> Option<&LinkStatistics> {
        self.counters.get(row)
    }

    /// The index of a row, as sub-identifiers.
    pub(crate) fn index(&self, row: usize) -> &[u32] {
        self.indexes.get(row).map_or(&[], |index| index)
    }

    /// The row of an interface. Most hosts number their interfaces without many gaps: then its row is close to its
    /// index, and mostly right below it.
    pub(crate) fn row(&self, index: u32) -> Option<usize> {
        let guess = usize::try_from(index).ok()?.checked_sub(1)?;
        if self.indexes.get(guess) == Some(&[index]) {
            return Some(guess);
        }
        self.indexes.binary_search(&[index]).ok()
    }

    /// The first row whose index is greater than the sub-identifiers of `index`.
    pub(crate) fn first_behind(&self, index: &[u32]) -> usize {
        let Some(&first) = index.first() else {
            return 0;
        };
        // Longer names than an index lie behind the row of their first sub-identifier.
        match self.row(first) {
            Some(row) => row + 1,
            None => self.indexes.partition_point(|[other]| *other <= first),
        }
    }
}
