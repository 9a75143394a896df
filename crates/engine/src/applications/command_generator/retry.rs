use std::time::Duration;

use super::loss::LossEstimate;
use super::round_trip::RoundTripTimes;
use crate::clock::Instant;

/// When an attempt is given up, and when the request.
///
/// Each attempt of a request has a request-id of its own, an answer to any of them is taken, and nothing but the passing of
/// time causes a resend. A `Set` is different: all its attempts are the same message, by which an agent can tell a
/// duplicate (RFC 1157 section 4.1.1), since a `Set` that is carried out twice may not be the same as once (TestAndIncr,
/// RowStatus).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryPolicy {
    /// The way of most managers: the same time-out for every attempt.
    Fixed {
        /// How long an answer is waited for.
        timeout: Duration,
        /// How many attempts follow the first.
        retries: u32,
    },
    /// The time-out follows the agent.
    Adaptive(AdaptivePolicy),
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::Adaptive(AdaptivePolicy::default())
    }
}

/// Settings of the adaptive policy.
///
/// The time-out is SRTT + max(4 RTTVAR, patience), and not less than what hardly any recent answer exceeded. Patience
/// is as long as it costs at most 5 % of a round trip per request at the loss that is seen, so a path that loses nothing
/// leaves a busy agent alone for a while, and one that loses a third is retried at once. The time-out is not lengthened by a
/// series of losses that is plausible at the loss that is seen; beyond it, it doubles with each attempt, since the agent
/// is then rather slow or dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdaptivePolicy {
    /// The time-out of the first four attempts while nothing is known of the agent; then doubled with each attempt.
    pub initial_timeout: Duration,
    /// No time-out is doubled beyond this.
    pub max_timeout: Duration,
    /// The least time-out of a `Set`, which is resent with more care than a read.
    pub set_timeout: Duration,
    /// From the first attempt to giving the request up.
    pub give_up_after: Duration,
    /// How many attempts there are at most.
    pub max_attempts: u32,
    /// How many copies of a read are sent at once at most (hedging): as many as it takes until hardly ever all of them are
    /// lost, at the loss that is seen. Each is an attempt, and costs the agent the work of a request. 1 sends none.
    pub max_copies: u32,
}

impl Default for AdaptivePolicy {
    /// A dead host is reported after 5 s and 9 attempts (0, 0.25, 0.5, 0.75, 1, 1.5, 2.5, ... s).
    fn default() -> Self {
        Self {
            initial_timeout: Duration::from_millis(250),
            max_timeout: Duration::from_secs(1),
            set_timeout: Duration::from_secs(1),
            give_up_after: Duration::from_secs(5),
            max_attempts: 64,
            max_copies: 1,
        }
    }
}

/// How rarely all copies of a request may get lost.
const ALL_LOST: f64 = 0.03;

/// When one request is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// How many attempts there are at most; at least 1.
    pub max_attempts: u32,
    /// From the first attempt to giving the request up.
    pub give_up_after: Duration,
}

impl RetryPolicy {
    /// The limits of a request under this policy.
    #[must_use]
    pub fn limits(&self) -> RequestLimits {
        match self {
            Self::Fixed { timeout, retries } => {
                let max_attempts = retries.saturating_add(1);
                RequestLimits {
                    max_attempts,
                    give_up_after: timeout.saturating_mul(max_attempts),
                }
            }
            Self::Adaptive(policy) => RequestLimits {
                max_attempts: policy.max_attempts.max(1),
                give_up_after: policy.give_up_after,
            },
        }
    }

    /// How many copies of a read are sent at once.
    pub(super) fn copies(&self, timing: &AgentTiming) -> u32 {
        let Self::Adaptive(policy) = self else {
            return 1;
        };
        let rate = timing.loss.rate();
        let mut copies = 1;
        let mut all_lost = rate;
        while all_lost > ALL_LOST && copies < policy.max_copies {
            all_lost *= rate;
            copies += 1;
        }
        copies
    }

    /// How long after the latest of `attempts` attempts (at least one; copies that were sent at once are one) the next is due.
    pub(super) fn timeout(&self, attempts: u32, timing: &AgentTiming, is_set: bool) -> Duration {
        let policy = match self {
            Self::Fixed { timeout, .. } => return *timeout,
            Self::Adaptive(policy) => policy,
        };
        let (first, plausible) = match timing.timeout() {
            None => (policy.initial_timeout, INITIAL_SERIES),
            Some(timeout) => (timeout, timing.plausible_losses()),
        };
        let first = if is_set {
            first.max(policy.set_timeout)
        } else {
            first
        };
        let doublings = attempts.saturating_sub(plausible).min(20);
        first
            .saturating_mul(1 << doublings)
            .min(policy.max_timeout.max(first))
    }
}

/// What is known of the time that an agent takes and of the loss on the way to it.
#[derive(Clone, Debug)]
pub struct AgentTiming {
    pub(super) round_trip: RoundTripTimes,
    loss: LossEstimate,
    /// Follows from the other two. It is kept because each poll reads it for each request in flight.
    timeout: Option<Duration>,
}

/// Attempts to an agent of which nothing is known before the time-out is doubled: half of them may be lost on the way to an
/// agent that is not slow at all.
const INITIAL_SERIES: u32 = 4;

/// Limits of patience. An attempt too many costs a packet, not time: its answer and that to the one before are both taken.
const LEAST_PATIENCE: Duration = Duration::from_micros(500);
const MOST_PATIENCE: Duration = Duration::from_millis(200);
/// The share of a round trip that patience may cost per request.
const PATIENCE_COST: f64 = 0.05;

impl AgentTiming {
    pub(super) fn new() -> Self {
        Self {
            round_trip: RoundTripTimes::new(),
            loss: LossEstimate::new(),
            timeout: None,
        }
    }

    pub(super) fn add(&mut self, now: Instant, round_trip: Duration) {
        self.round_trip.add(now, round_trip);
        self.update();
    }

    /// Takes in a request that was answered: how many of its attempts got lost.
    pub(super) fn add_losses(&mut self, lost: u32) {
        self.loss.add(1, lost);
        self.update();
    }

    /// An attempt that was counted as lost was answered after all.
    pub(super) fn take_loss_back(&mut self) {
        self.loss.take_back();
        self.update();
    }

    /// The share of attempts that gets lost.
    pub(super) fn loss_rate(&self) -> f64 {
        self.loss.rate()
    }

    fn update(&mut self) {
        let times = &self.round_trip;
        if times.is_known() {
            let margin = (times.variation() * 4).max(self.patience());
            self.timeout = Some((times.smoothed() + margin).max(times.high()));
        }
    }

    /// How long an answer is waited for at present; `None` before the first answer.
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn patience(&self) -> Duration {
        let seconds = self.round_trip.smoothed().as_secs_f64() * PATIENCE_COST / self.loss.rate();
        Duration::try_from_secs_f64(seconds)
            .unwrap_or(MOST_PATIENCE)
            .clamp(LEAST_PATIENCE, MOST_PATIENCE)
    }

    /// How many attempts in a row may be lost by chance, at the loss that is seen.
    #[must_use]
    pub fn plausible_losses(&self) -> u32 {
        self.loss.plausible_series()
    }
}
