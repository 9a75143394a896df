use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

/// When which peer is to be looked at again, the earliest first.
///
/// A peer that is to be looked at earlier than was said before is added again; who takes an entry out finds out whether
/// it still matters.
#[derive(Debug)]
pub(super) struct Deadlines<K> {
    heap: BinaryHeap<Reverse<(Instant, K)>>,
}

impl<K: Ord> Default for Deadlines<K> {
    fn default() -> Self {
        Self {
            heap: BinaryHeap::new(),
        }
    }
}

impl<K: Ord> Deadlines<K> {
    pub(super) fn add(&mut self, at: Instant, peer: K) {
        self.heap.push(Reverse((at, peer)));
    }

    /// The earliest.
    pub(super) fn next(&self) -> Option<Instant> {
        self.heap.peek().map(|Reverse((at, _))| *at)
    }

    /// Takes out one that has come.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<(Instant, K)> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse(entry)| entry)
    }

    /// Gives back room that is not needed any more.
    pub(super) fn shrink(&mut self) {
        if self.heap.capacity() > 64 && self.heap.len() < self.heap.capacity() / 4 {
            self.heap.shrink_to(self.heap.len() * 2);
        }
    }
}
