use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::TargetKey;
use crate::clock::Instant;

/// When targets are to be polled. A target has as many entries as its time was moved forward; those that are out of date
/// cost a look when they are due.
#[derive(Debug, Default)]
pub(super) struct Timers(BinaryHeap<Reverse<(Instant, TargetKey)>>);

impl Timers {
    pub(super) fn push(&mut self, at: Instant, key: TargetKey) {
        self.0.push(Reverse((at, key)));
    }

    /// The next target whose time has come.
    pub(super) fn pop(&mut self, now: Instant) -> Option<TargetKey> {
        let Reverse((at, _)) = self.0.peek()?;
        if *at > now {
            return None;
        }
        self.0.pop().map(|Reverse((_, key))| key)
    }

    pub(super) fn next(&self) -> Option<Instant> {
        self.0.peek().map(|Reverse((at, _))| *at)
    }
}
