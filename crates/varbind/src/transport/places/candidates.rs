//! Peers that may have to make room, in the orders in which they are looked for.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use tokio::task::AbortHandle;

use super::{AuthenticatedBy, Source, SourceGroup};

/// A peer that may have to make room.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) source: Source,
    pub(super) by: AuthenticatedBy,
    pub(super) task: Option<AbortHandle>,
}

/// All candidates by their numbers, of which the oldest has the lowest.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    by_number: HashMap<u64, Candidate>,
    all: Ages,
    handshakes: Ages,
}

impl Candidates {
    pub(super) const fn all(&self) -> &Ages {
        &self.all
    }

    /// Those who authenticate by a handshake.
    pub(super) const fn handshakes(&self) -> &Ages {
        &self.handshakes
    }

    #[cfg(test)]
    pub(super) fn contains(&self, number: u64) -> bool {
        self.by_number.contains_key(&number)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        let is_empty = |ages: &Ages| {
            let orders = ages.by_source.is_empty() && ages.by_group.is_empty();
            orders && ages.count == 0 && ages.largest.is_empty()
        };
        self.by_number.is_empty() && is_empty(&self.all) && is_empty(&self.handshakes)
    }

    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut Candidate> {
        self.by_number.get_mut(&number)
    }

    /// Adds the newest one, whose group is known or not.
    pub(super) fn insert(&mut self, number: u64, candidate: Candidate, is_known: bool) {
        let group = candidate.source.group();
        self.all.insert(number, candidate.source);
        if candidate.by == AuthenticatedBy::Handshake {
            self.handshakes.insert(number, candidate.source);
        }
        if is_known {
            self.favour(group);
        }
        self.by_number.insert(number, candidate);
    }

    /// Has others make room before the first candidates of a group that is known.
    pub(super) fn favour(&mut self, group: SourceGroup) {
        self.all.favour(group);
        self.handshakes.favour(group);
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<Candidate> {
        let candidate = self.by_number.remove(&number)?;
        self.all.remove(number, candidate.source);
        if candidate.by == AuthenticatedBy::Handshake {
            self.handshakes.remove(number, candidate.source);
        }
        Some(candidate)
    }
}

/// Candidates of a known group that do not count when the largest group is looked for.
pub(super) const ALLOWANCE: usize = 16;

#[derive(Debug, Default)]
struct Group {
    ages: BTreeSet<u64>,
    is_known: bool,
}

impl Group {
    /// What decides which group makes room.
    fn rank(&self) -> Option<(usize, Reverse<u64>)> {
        let allowance = if self.is_known { ALLOWANCE } else { 0 };
        let excess = self.ages.len().saturating_sub(allowance);
        Some((excess, Reverse(*self.ages.first()?)))
    }
}

/// Candidates by age. Whatever is asked takes no longer than the logarithm of their number, since a flood of newcomers asks.
#[derive(Debug, Default)]
pub(super) struct Ages {
    count: usize,
    by_source: HashMap<Source, BTreeSet<u64>>,
    by_group: HashMap<SourceGroup, Group>,
    /// The excess of each group and its oldest candidate; of equal groups that with the oldest one is last.
    largest: BTreeSet<(usize, Reverse<u64>)>,
}

impl Ages {
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    pub(super) fn of_source(&self, source: Source) -> usize {
        self.by_source.get(&source).map_or(0, BTreeSet::len)
    }

    pub(super) fn oldest_of_source(&self, source: Source) -> Option<u64> {
        self.by_source.get(&source)?.first().copied()
    }

    pub(super) fn oldest_of_group(&self, group: SourceGroup) -> Option<u64> {
        self.by_group.get(&group)?.ages.first().copied()
    }

    /// The oldest of the group with the most candidates, beyond what a known group is allowed; of equal groups that with the
    /// oldest one.
    pub(super) fn oldest_of_largest_group(&self) -> Option<u64> {
        let (_, Reverse(oldest)) = self.largest.last()?;
        Some(*oldest)
    }

    fn insert(&mut self, number: u64, source: Source) {
        self.count += 1;
        self.by_source.entry(source).or_default().insert(number);
        self.change_group(source.group(), |group| {
            group.ages.insert(number);
        });
    }

    fn remove(&mut self, number: u64, source: Source) {
        self.count -= 1;
        if let Entry::Occupied(mut ages) = self.by_source.entry(source) {
            ages.get_mut().remove(&number);
            if ages.get().is_empty() {
                ages.remove();
            }
        }
        self.change_group(source.group(), |group| {
            group.ages.remove(&number);
        });
    }

    fn favour(&mut self, group: SourceGroup) {
        self.change_group(group, |group| group.is_known = true);
    }

    fn change_group(&mut self, group: SourceGroup, change: impl FnOnce(&mut Group)) {
        let changed = self.by_group.entry(group).or_default();
        if let Some(former) = changed.rank() {
            self.largest.remove(&former);
        }
        change(changed);
        match changed.rank() {
            Some(rank) => self.largest.insert(rank),
            None => self.by_group.remove(&group).is_some(),
        };
    }
}
