use serde::{Deserialize, Serialize};

/// A value with its 95 % bootstrap interval.
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
