//! What happens next.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::time::Duration;

/// Steps in the order of their times; steps of one time come in the order in which they were added.
#[derive(Debug)]
pub(super) struct Queue<T> {
    entries: BinaryHeap<Reverse<Entry<T>>>,
    added: u64,
}

#[derive(Debug)]
struct Entry<T> {
    at: Duration,
    number: u64,
    step: T,
}

impl<T> Queue<T> {
    pub(super) const fn new() -> Self {
        Self {
            entries: BinaryHeap::new(),
            added: 0,
        }
    }

    pub(super) fn push(&mut self, at: Duration, step: T) {
        let number = self.added;
        self.added += 1;
        self.entries.push(Reverse(Entry { at, number, step }));
    }

    pub(super) fn pop(&mut self) -> Option<(Duration, T)> {
        let Reverse(entry) = self.entries.pop()?;
        Some((entry.at, entry.step))
    }
}

impl<T> Entry<T> {
    const fn key(&self) -> (Duration, u64) {
        (self.at, self.number)
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}
