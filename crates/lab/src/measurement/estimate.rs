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
