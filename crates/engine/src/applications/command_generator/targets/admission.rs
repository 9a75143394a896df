use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

use super::TargetKey;
use crate::clock::Instant;

/// What is sent at most, over all targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdmissionLimits {
    /// How many requests may be in flight; at least 1. Others wait.
    pub max_in_flight: usize,
    /// How many messages may be sent in a second, attempts after the first included: what is sent again is not held back,
    /// but new requests are until the mean is kept. `None` for as many as there are.
    pub messages_per_second: Option<NonZeroU32>,
}

impl Default for AdmissionLimits {
    /// 8,192 requests in flight, and any number of messages in a second.
    fn default() -> Self {
        Self {
            max_in_flight: 8192,
            messages_per_second: None,
        }
    }
}

/// Which targets may start another request.
#[derive(Debug)]
pub(super) struct Admission {
    max_in_flight: usize,
    in_flight: usize,
    rate: Option<Bucket>,
    /// Those that wait, the longest first.
    waiting: VecDeque<TargetKey>,
}

/// Nanoseconds of credit, which every message takes its share of.
#[derive(Debug)]
struct Bucket {
    per_message: i64,
    credit: i64,
    filled: Instant,
}

/// As much may be sent at once after a silence.
const BURST: Duration = Duration::from_millis(10);

impl Bucket {
    /// At least one message, whatever the rate.
    fn burst(&self) -> i64 {
        let burst = i64::try_from(BURST.as_nanos()).unwrap_or(i64::MAX);
        burst.max(self.per_message)
    }
}

impl Admission {
    pub(super) fn new(limits: AdmissionLimits) -> Self {
        let rate = limits.messages_per_second.map(|rate| {
            let per_message = 1_000_000_000 / i64::from(rate.get());
            let bucket = Bucket {
                per_message,
                credit: 0,
                filled: Instant::ORIGIN,
            };
            Bucket {
                credit: bucket.burst(),
                ..bucket
            }
        });
        Self {
            max_in_flight: limits.max_in_flight.max(1),
            in_flight: 0,
            rate,
            waiting: VecDeque::new(),
        }
    }

    pub(super) const fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// A target had so many requests in flight before, and so many now.
    pub(super) const fn note(&mut self, before: usize, after: usize) {
        self.in_flight = (self.in_flight + after).saturating_sub(before);
    }

    /// A target with so many requests in flight is no more.
    pub(super) const fn end(&mut self, in_flight: usize) {
        self.note(in_flight, 0);
    }

    /// A message is sent.
    pub(super) const fn transmit(&mut self) {
        if let Some(bucket) = &mut self.rate {
            bucket.credit = bucket.credit.saturating_sub(bucket.per_message);
        }
    }

    pub(super) fn refill(&mut self, now: Instant) {
        if let Some(bucket) = &mut self.rate {
            let passed = now.saturating_since(bucket.filled).as_nanos();
            let credit = i64::try_from(passed).unwrap_or(i64::MAX);
            bucket.credit = bucket.credit.saturating_add(credit).min(bucket.burst());
            bucket.filled = now;
        }
    }

    /// Whether another request may be sent for the first time.
    pub(super) fn may_start(&self) -> bool {
        self.room() > 0
    }

    /// How many requests may be sent for the first time.
    pub(super) fn room(&self) -> usize {
        let by_rate = self.rate.as_ref().map_or(usize::MAX, |bucket| {
            usize::try_from(bucket.credit / bucket.per_message.max(1)).unwrap_or(0)
        });
        by_rate.min(self.max_in_flight.saturating_sub(self.in_flight))
    }

    pub(super) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// A target waits; `is_next` if its turn had come, and another took the place.
    pub(super) fn wait(&mut self, key: TargetKey, is_next: bool) {
        if is_next {
            self.waiting.push_front(key);
        } else {
            self.waiting.push_back(key);
        }
    }

    pub(super) fn next_waiting(&mut self) -> Option<TargetKey> {
        self.waiting.pop_front()
    }

    /// When the rate allows another request, if that is what targets wait for.
    pub(super) fn next(&self, now: Instant) -> Option<Instant> {
        let bucket = self.rate.as_ref()?;
        let is_waited_for = !self.waiting.is_empty() && self.in_flight < self.max_in_flight;
        let missing = u64::try_from(bucket.per_message - bucket.credit).unwrap_or(0);
        is_waited_for.then(|| now + Duration::from_nanos(missing))
    }
}
