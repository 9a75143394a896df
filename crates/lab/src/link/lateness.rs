use std::fmt;
use std::time::Duration;

/// How much later than due packets were passed on: the error of the emulator itself, by which a run is judged.
#[derive(Clone, Default)]
pub struct Lateness {
    /// How many were late by how many microseconds.
    counts: Vec<u64>,
    packets: u64,
    most: Duration,
}

/// What is later is counted together.
const MICROSECONDS: usize = 20_000;

impl Lateness {
    pub(super) fn add(&mut self, lateness: Duration) {
        if self.counts.is_empty() {
            self.counts = vec![0; MICROSECONDS + 1];
        }
        let at = usize::try_from(lateness.as_micros()).unwrap_or(MICROSECONDS);
        if let Some(count) = self.counts.get_mut(at.min(MICROSECONDS)) {
            *count += 1;
        }
        self.packets += 1;
        self.most = self.most.max(lateness);
    }

    /// How many packets were passed on.
    #[must_use]
    pub const fn packets(&self) -> u64 {
        self.packets
    }

    /// The lateness that this part of the packets did not exceed, rounded up to a microsecond.
    #[must_use]
    pub fn quantile(&self, part: f64) -> Duration {
        let rank = (part * self.packets as f64).ceil() as u64;
        let mut seen = 0;
        for (microseconds, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank.max(1) && microseconds < MICROSECONDS {
                return Duration::from_micros(microseconds as u64 + 1).min(self.most);
            }
        }
        self.most
    }

    /// The most that a packet was late.
    #[must_use]
    pub const fn most(&self) -> Duration {
        self.most
    }
}

impl fmt::Debug for Lateness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lateness")
            .field("packets", &self.packets)
            .field("median", &self.quantile(0.5))
            .field("p99", &self.quantile(0.99))
            .field("most", &self.most)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_what_was_added() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.quantile(0.99), Duration::ZERO);
        for microseconds in 1..=1000 {
            lateness.add(Duration::from_micros(microseconds));
        }
        lateness.add(Duration::from_secs(1));
        assert_eq!(lateness.packets(), 1001);
        assert_eq!(lateness.quantile(0.5), Duration::from_micros(502));
        assert_eq!(lateness.quantile(0.99), Duration::from_micros(992));
        assert_eq!(lateness.quantile(1.0), Duration::from_secs(1));
    }
}
