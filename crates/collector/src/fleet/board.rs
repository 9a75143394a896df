//! What is known of all targets, for pages and logs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::output::{Poll, TargetName};
use crate::schedule::Statistics;

/// What is known of all targets.
#[derive(Debug, Default)]
pub(super) struct Board {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
pub(super) struct Inner {
    /// By name.
    pub(super) targets: BTreeMap<Box<str>, Status>,
    pub(super) statistics: Statistics,
    pub(super) running: usize,
}

/// What is known of a target.
#[derive(Clone, Debug)]
pub(super) struct Status {
    pub(super) name: Arc<TargetName>,
    pub(super) polls: Vec<LastPoll>,
    /// Attempts without a response, in a row.
    pub(super) failures: u32,
    /// Until when it is left alone, since 1970.
    pub(super) not_before: Duration,
    pub(super) restarts: u64,
    pub(super) wraps: u64,
    pub(super) messages: u64,
    pub(super) retries: u64,
    /// Why no modules were chosen by sysObjectID.
    pub(super) note: Option<String>,
}

/// The last poll of a module. It has samples only where they are shown.
#[derive(Clone, Debug)]
pub(super) struct LastPoll {
    pub(super) poll: Arc<Poll>,
    pub(super) interval: Duration,
    pub(super) objects: usize,
}

impl LastPoll {
    /// Whether its values are too old to be shown: two polls should have come since.
    pub(super) fn is_stale(&self, now: Duration) -> bool {
        let age = now.saturating_sub(Duration::from_millis(self.poll.time));
        age > self.interval * 2 + self.interval / 2
    }
}

impl Status {
    pub(super) const fn new(name: Arc<TargetName>) -> Self {
        Self {
            name,
            polls: Vec::new(),
            failures: 0,
            not_before: Duration::ZERO,
            restarts: 0,
            wraps: 0,
            messages: 0,
            retries: 0,
            note: None,
        }
    }

    /// The last poll of a module.
    pub(super) fn poll(&self, module: &str) -> Option<&LastPoll> {
        let mut polls = self.polls.iter();
        polls.find(|known| *known.poll.module == *module)
    }

    pub(super) fn set(&mut self, last: LastPoll) {
        let module = &last.poll.module;
        match self
            .polls
            .iter_mut()
            .find(|known| known.poll.module == *module)
        {
            Some(known) => *known = last,
            None => self.polls.push(last),
        }
    }
}

impl Board {
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing panics while it holds the lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
