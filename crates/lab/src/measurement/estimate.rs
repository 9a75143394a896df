use serde::{Deserialize, Serialize};

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// The same quantity in a unit that is `factor` times smaller.
    #[must_use]
    pub const fn scaled(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            low: self.low * factor,
            high: self.high * factor,
        }
    }
}

/// What is known of a set of latencies, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencySummary {
    /// How many were measured.
    pub n: u64,
    /// The least.
    pub minimum: f64,
    /// The mean.
    pub mean: Estimate,
    /// The standard deviation of the samples.
    pub standard_deviation: f64,
    /// The median.
    pub p50: Estimate,
    /// The 90th percentile.
    pub p90: f64,
    /// The 99th percentile; it means little below some hundred samples.
    pub p99: Estimate,
    /// The 99.9th percentile; the maximum below a thousand samples.
    pub p99_9: f64,
    /// The greatest.
    pub maximum: f64,
}

/// A point of a distribution function.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// The share of the samples that are not greater.
    pub probability: f64,
    /// The latency in microseconds.
    pub latency: f64,
}

/// What a process used while a configuration was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessUse {
    /// CPU time per operation, in microseconds: the median of the repetitions.
    pub cpu_per_exchange: Estimate,
    /// CPU time over all repetitions.
    pub cpu: CpuTime,
    /// Memory (PSS) at the end of the last repetition, in octets.
    pub pss: u64,
}

/// CPU time in microseconds.
///
/// `total` is what the scheduler counted in nanoseconds. The kernel divides it between `user` and `system` by sampling
/// at its clock tick: trust that division only where the total is a hundred ticks or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuTime {
    /// User and system together.
    pub total: f64,
    /// In the program.
    pub user: f64,
    /// In the kernel on behalf of the program.
    pub system: f64,
}
