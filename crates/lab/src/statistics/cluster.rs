use std::time::Duration;

use super::Random;

/// Samples of one cluster that are kept; beyond, each further sample replaces a random one (reservoir sampling).
const KEPT: usize = 100_000;

/// The latencies of one independent run: what the bootstrap resamples as a whole.
#[derive(Clone, Debug)]
pub struct Cluster {
    kept: Vec<u64>,
    count: u64,
    sum: u128,
    maximum: u64,
    random: Random,
}

impl Default for Cluster {
    fn default() -> Self {
        Self::new()
    }
}

impl Cluster {
    /// An empty cluster.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            kept: Vec::new(),
            count: 0,
            sum: 0,
            maximum: 0,
            random: Random::new(0),
        }
    }

    /// Records one latency.
    pub fn record(&mut self, latency: Duration) {
        let nanoseconds = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.count += 1;
        self.sum += u128::from(nanoseconds);
        self.maximum = self.maximum.max(nanoseconds);
        if self.kept.len() < KEPT {
            self.kept.push(nanoseconds);
            return;
        }
        let seen = usize::try_from(self.count).unwrap_or(usize::MAX);
        let at = self.random.below(seen);
        if let Some(kept) = self.kept.get_mut(at) {
            *kept = nanoseconds;
        }
    }

    /// The samples that were kept, in nanoseconds, in the order of their time as long as none was replaced.
    #[must_use]
    pub fn kept(&self) -> &[u64] {
        &self.kept
    }

    /// The mean in microseconds; `None` of nothing.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64 / 1000.0)
    }

    /// What so many thousandths of the samples do not exceed, in microseconds, by the nearest rank; `None` of nothing.
    #[must_use]
    pub fn percentile(&self, thousandths: u32) -> Option<f64> {
        let mut sorted = self.kept.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * thousandths as usize).div_ceil(1000);
        let nanoseconds = match thousandths {
            1000 => self.maximum,
            _ => *sorted.get(rank.max(1) - 1)?,
        };
        (self.count > 0).then(|| nanoseconds as f64 / 1000.0)
    }

    /// How many latencies were recorded.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Their sum in nanoseconds.
    #[must_use]
    pub const fn sum(&self) -> u128 {
        self.sum
    }

    /// The greatest, in nanoseconds.
    #[must_use]
    pub const fn maximum(&self) -> u64 {
        self.maximum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let mut cluster = Cluster::new();
        assert_eq!(cluster.percentile(500), None);
        for sample in 1..=200 {
            cluster.record(Duration::from_micros(sample));
        }
        let of = |thousandths| cluster.percentile(thousandths).unwrap();
        assert_eq!(
            [1, 500, 900, 990, 1000].map(of),
            [1.0, 100.0, 180.0, 198.0, 200.0]
        );
    }

    #[test]
    fn count_sum_and_maximum_are_exact_beyond_what_is_kept() {
        let mut cluster = Cluster::new();
        for sample in 1..=150_000 {
            cluster.record(Duration::from_nanos(sample));
        }
        assert_eq!(cluster.kept().len(), KEPT);
        assert_eq!(cluster.count(), 150_000);
        assert_eq!(cluster.sum(), 150_000 * 150_001 / 2);
        assert_eq!(cluster.maximum(), 150_000);
        let mean = cluster.kept().iter().sum::<u64>() / 100_000;
        assert!((74_000..76_000).contains(&mean), "{mean}");
    }
}
