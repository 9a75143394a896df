//! What is known of all targets, for pages and logs.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::failure::DEADLINE;
use super::traffic::Traffic;
use crate::output::{Outcome, Poll, TargetName};
use crate::schedule::ScheduleStatistics;
use crate::scrape::Samples;

/// So many values of interfaces are kept for plots: with more interfaces, fewer polls of each.
const TRAFFIC: usize = 4_000_000;
/// The fewest and most polls that are kept for plots.
const TRAFFIC_POLLS: (usize, usize) = (2, 120);

/// What is known of all targets.
#[derive(Debug, Default)]
pub(super) struct Board {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
pub(super) struct Inner {
    /// By name.
    pub(super) targets: BTreeMap<Box<str>, Status>,
    pub(super) statistics: ScheduleStatistics,
    pub(super) running: usize,
    /// Notifications that were given to outputs.
    pub(super) notifications: u64,
    /// Targets by address, as far as they are configured by address.
    pub(super) addresses: HashMap<IpAddr, Arc<TargetName>>,
    /// Interfaces of targets by name.
    traffic: HashMap<Box<str>, Traffic>,
    /// Interfaces of all targets.
    interfaces: usize,
}

/// What a target is like, in the order in which a person wants to see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Silent,
    Failing,
    Slow,
    Stale,
    Waiting,
    Ok,
}

impl State {
    /// All of them.
    pub(super) const ALL: [Self; 6] = [
        Self::Silent,
        Self::Failing,
        Self::Slow,
        Self::Stale,
        Self::Waiting,
        Self::Ok,
    ];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Failing => "failing",
            Self::Slow => "slow",
            Self::Stale => "stale",
            Self::Waiting => "waiting",
            Self::Ok => "ok",
        }
    }
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

    /// Whether the last poll of a module failed for this reason, so that it need not be logged again.
    pub(super) fn fails_for(&self, module: &str, reason: &str) -> bool {
        self.poll(module)
            .is_some_and(|last| match &last.poll.outcome {
                Outcome::Failure { reason: known, .. } => *known == reason,
                Outcome::Success => false,
            })
    }

    /// The state that it is in.
    pub(super) fn state(&self, now: Duration) -> State {
        let mut reasons = self
            .polls
            .iter()
            .filter_map(|last| match &last.poll.outcome {
                Outcome::Failure { reason, .. } => Some(*reason),
                Outcome::Success => None,
            });
        match reasons.next() {
            _ if self.failures > 0 => State::Silent,
            _ if self.polls.is_empty() => State::Waiting,
            Some(DEADLINE) => State::Slow,
            Some(_) if reasons.any(|reason| reason == DEADLINE) => State::Slow,
            Some(_) => State::Failing,
            None if self.polls.iter().any(|last| last.is_stale(now)) => State::Stale,
            None => State::Ok,
        }
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

impl Inner {
    /// Takes note of the interfaces in a poll, for plots.
    pub(super) fn observe_traffic(
        &mut self,
        name: &str,
        now: Duration,
        samples: &Samples,
        restarted: bool,
    ) {
        let (fewest, most) = TRAFFIC_POLLS;
        let polls = TRAFFIC
            .checked_div(self.interfaces)
            .unwrap_or(most)
            .clamp(fewest, most);
        let known = match self.traffic.get_mut(name) {
            Some(known) => known,
            None if Traffic::is_in(samples) => self.traffic.entry(name.into()).or_default(),
            None => return,
        };
        let before = known.interfaces();
        if restarted {
            known.restart();
        }
        known.observe(now, samples, polls);
        self.interfaces = (self.interfaces + known.interfaces()).saturating_sub(before);
    }

    /// The interfaces of a target over the last polls.
    pub(super) fn traffic(&self, name: &str) -> Option<&Traffic> {
        self.traffic.get(name)
    }

    /// Forgets a target.
    pub(super) fn remove(&mut self, name: &str) {
        self.targets.remove(name);
        if let Some(traffic) = self.traffic.remove(name) {
            self.interfaces = self.interfaces.saturating_sub(traffic.interfaces());
        }
    }
}

impl Board {
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing panics while it holds the lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
