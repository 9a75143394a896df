use std::collections::BTreeSet;
use std::time::Instant;

/// When which peer is to be looked at again, the earliest first.
///
/// Invariant: there is one entry for each peer that is to be looked at, and none for others; who makes a peer go, or has
/// it looked at at another time, takes its entry out. Entries that waited here for their time would outlive the sessions of an
/// hour.
#[derive(Debug)]
pub(super) struct Deadlines<K> {
    entries: BTreeSet<(Instant, K)>,
}

impl<K: Ord> Default for Deadlines<K> {
    fn default() -> Self {
        Self {
            entries: BTreeSet::new(),
        }
    }
}

impl<K: Ord> Deadlines<K> {
    pub(super) fn add(&mut self, at: Instant, peer: K) {
        self.entries.insert((at, peer));
    }

    pub(super) fn remove(&mut self, at: Instant, peer: K) {
        self.entries.remove(&(at, peer));
    }

    /// The earliest.
    pub(super) fn next(&self) -> Option<Instant> {
        self.entries.first().map(|(at, _)| *at)
    }

    /// Takes out one that has come.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<K> {
        if self.next()? > now {
            return None;
        }
        self.entries.pop_first().map(|(_, peer)| peer)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_earliest_comes_first_and_what_was_removed_never() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut deadlines = Deadlines::default();
        for (seconds, peer) in [(3, 'c'), (1, 'a'), (2, 'b'), (2, 'd')] {
            deadlines.add(at(seconds), peer);
        }
        deadlines.remove(at(2), 'b');
        assert_eq!(deadlines.next(), Some(at(1)));
        assert_eq!(deadlines.take_due(start), None);
        assert_eq!(deadlines.take_due(at(2)), Some('a'));
        assert_eq!(deadlines.take_due(at(2)), Some('d'));
        assert_eq!(deadlines.take_due(at(2)), None);
        assert_eq!(deadlines.next(), Some(at(3)));
    }
}
