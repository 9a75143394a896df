use std::time::Duration;

use super::round_trip::RoundTripTimes;
use crate::clock::Instant;

/// Requests in flight before the first answer.
const INITIAL: f64 = 2.0;
/// A round trip that is longer than the smallest one by this much at least, and by the smallest one itself, tells of
/// a queue.
const QUEUE_DELAY: Duration = Duration::from_millis(5);

/// How many requests may be in flight.
///
/// It shrinks when the round trip grows, which tells of a queue at the agent or on the way, and not for loss alone: on
/// a bad radio link fewer requests lose no fewer messages.
#[derive(Clone, Debug)]
pub(super) struct Window {
    size: f64,
    maximum: f64,
    slow_start: bool,
    next_reduction: Instant,
}

impl Window {
    /// At most `maximum` requests in flight; `fixed`: always as many, because the transport avoids congestion itself.
    pub(super) fn new(maximum: u16, fixed: bool) -> Self {
        let maximum = f64::from(maximum.max(1));
        Self {
            size: if fixed { maximum } else { maximum.min(INITIAL) },
            maximum,
            slow_start: true,
            next_reduction: Instant::ORIGIN,
        }
    }

    /// Processes a response that came with `in_flight` requests in flight; returns whether the window was reduced.
    pub(super) fn answered(
        &mut self,
        now: Instant,
        times: &RoundTripTimes,
        in_flight: usize,
    ) -> bool {
        let minimum = times.minimum();
        if times.smoothed() > minimum + minimum.max(QUEUE_DELAY) {
            if self.size <= 1.0 || now < self.next_reduction {
                return false;
            }
            self.size = (self.size / 2.0).max(1.0);
            self.slow_start = false;
            self.next_reduction = now + times.smoothed();
            return true;
        }
        // A window that is not filled proves nothing.
        if in_flight >= self.size() {
            self.size += if self.slow_start {
                1.0
            } else {
                self.size.recip()
            };
            self.size = self.size.min(self.maximum);
        }
        false
    }

    pub(super) fn size(&self) -> usize {
        // At most 65535, at least 1: the cast cannot cut anything but the fraction.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the size is between 1 and 65535"
        )]
        let size = self.size as usize;
        size
    }
}
