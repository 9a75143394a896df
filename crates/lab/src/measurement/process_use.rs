use serde::{Deserialize, Serialize};

use super::Estimate;

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
