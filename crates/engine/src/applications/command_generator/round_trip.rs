use std::time::Duration;

use super::RoundTripSummary;
use crate::clock::Instant;

/// How many samples one of the two periods has whose largest samples are kept.
const PERIOD: u32 = 32;
/// From this many samples on, the largest one is taken for an accident.
const ENOUGH: u64 = 32;
/// After this time, half a memory of the smallest round trip is dropped: routes change.
const MINIMUM_AGE: Duration = Duration::from_secs(30);

/// Measures how long an agent takes to answer (RFC 6298 section 2, without Karn's rule: each attempt has its own
/// request-id, so no sample is ambiguous).
#[derive(Clone, Debug)]
pub(super) struct RoundTripTimes {
    smoothed: u64,
    variation: u64,
    samples: u64,
    sum: u64,
    smallest: u64,
    largest: u64,
    /// The largest samples of the period before and of the present one.
    recent: [Largest; 2],
    /// Smallest of the period before and of the present one.
    minimum: [u64; 2],
    period_start: Instant,
}

/// The two largest samples of a period.
#[derive(Clone, Copy, Debug)]
struct Largest {
    samples: u32,
    largest: u64,
    second: u64,
}

impl Largest {
    const NONE: Self = Self {
        samples: 0,
        largest: 0,
        second: 0,
    };

    fn add(&mut self, sample: u64) {
        self.samples += 1;
        self.second = self.second.max(self.largest.min(sample));
        self.largest = self.largest.max(sample);
    }
}

impl RoundTripTimes {
    pub(super) const fn new() -> Self {
        Self {
            smoothed: 0,
            variation: 0,
            samples: 0,
            sum: 0,
            smallest: u64::MAX,
            largest: 0,
            recent: [Largest::NONE; 2],
            minimum: [u64::MAX; 2],
            period_start: Instant::ORIGIN,
        }
    }

    pub(super) fn add(&mut self, now: Instant, round_trip: Duration) {
        let sample = u64::try_from(round_trip.as_nanos()).unwrap_or(u64::MAX >> 8);
        if self.samples == 0 {
            self.smoothed = sample;
            self.variation = sample / 2;
            self.period_start = now;
        } else {
            // RFC 6298 (2.3): RTTVAR before SRTT.
            self.variation -= self.variation / 4;
            self.variation += self.smoothed.abs_diff(sample) / 4;
            self.smoothed = self.smoothed - self.smoothed / 8 + sample / 8;
        }
        let [_, present] = self.recent;
        if present.samples == PERIOD {
            self.recent = [present, Largest::NONE];
        }
        let [_, present] = &mut self.recent;
        present.add(sample);
        self.samples += 1;
        self.sum = self.sum.saturating_add(sample);
        self.smallest = self.smallest.min(sample);
        self.largest = self.largest.max(sample);
        let [before, present] = self.minimum;
        self.minimum = if now.saturating_since(self.period_start) > MINIMUM_AGE {
            self.period_start = now;
            [present, sample]
        } else {
            [before, present.min(sample)]
        };
    }

    pub(super) const fn is_known(&self) -> bool {
        self.samples > 0
    }

    pub(super) const fn smoothed(&self) -> Duration {
        Duration::from_nanos(self.smoothed)
    }

    pub(super) const fn variation(&self) -> Duration {
        Duration::from_nanos(self.variation)
    }

    /// What hardly any of the last 32 to 64 answers exceeded: the largest sample, or the second largest among many, since
    /// one may be an accident.
    pub(super) fn high(&self) -> Duration {
        let [before, present] = self.recent;
        let largest = before.largest.max(present.largest);
        let high = if self.samples <= ENOUGH {
            largest
        } else {
            let smaller = before.largest.min(present.largest);
            smaller.max(before.second).max(present.second)
        };
        Duration::from_nanos(high)
    }

    /// The smallest of the last half minute to minute.
    pub(super) fn minimum(&self) -> Duration {
        let [before, present] = self.minimum;
        Duration::from_nanos(before.min(present))
    }

    pub(super) fn summary(&self, loss: f64) -> RoundTripSummary {
        if self.samples == 0 {
            return RoundTripSummary {
                loss,
                ..RoundTripSummary::default()
            };
        }
        RoundTripSummary {
            samples: self.samples,
            smoothed: self.smoothed(),
            variation: self.variation(),
            minimum: Duration::from_nanos(self.smallest),
            maximum: Duration::from_nanos(self.largest),
            mean: Duration::from_nanos(self.sum / self.samples),
            loss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_accident_among_many_samples_does_not_count_but_two_do() {
        let mut times = RoundTripTimes::new();
        let ms = Duration::from_millis;
        for _ in 0..60 {
            times.add(Instant::ORIGIN, ms(10));
        }
        times.add(Instant::ORIGIN, ms(500));
        assert_eq!(times.high(), ms(10));
        times.add(Instant::ORIGIN, ms(400));
        assert_eq!(times.high(), ms(400));
    }

    #[test]
    fn the_minimum_forgets_a_route_of_the_past() {
        let mut times = RoundTripTimes::new();
        times.add(Instant::ORIGIN, Duration::from_millis(1));
        for second in 0..100 {
            let now = Instant::ORIGIN + Duration::from_secs(second);
            times.add(now, Duration::from_millis(20));
        }
        assert_eq!(times.minimum(), Duration::from_millis(20));
        assert_eq!(times.summary(0.0).minimum, Duration::from_millis(1));
    }
}
