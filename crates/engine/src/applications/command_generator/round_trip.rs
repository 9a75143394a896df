use std::time::Duration;

use super::RoundTripSummary;
use crate::clock::Instant;

/// How many of the latest samples are kept.
const RECENT: usize = 64;
/// From this many samples on, the largest one is taken for an accident.
const ENOUGH: usize = 32;
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
    recent: [u64; RECENT],
    /// The largest of the recent samples, without an accident.
    high: u64,
    /// Smallest of the period before and of the present one.
    minimum: [u64; 2],
    period_start: Instant,
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
            recent: [0; RECENT],
            high: 0,
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
        self.add_recent(sample);
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

    fn add_recent(&mut self, sample: u64) {
        let index = usize::try_from(self.samples).unwrap_or(0);
        if let Some(place) = self.recent.get_mut(index % RECENT) {
            *place = sample;
        }
        let (mut largest, mut second) = (0, 0);
        for &sample in &self.recent {
            second = second.max(largest.min(sample));
            largest = largest.max(sample);
        }
        self.high = if index < ENOUGH { largest } else { second };
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

    /// What hardly any recent answer exceeded.
    pub(super) const fn high(&self) -> Duration {
        Duration::from_nanos(self.high)
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
