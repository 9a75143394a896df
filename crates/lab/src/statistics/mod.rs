//! Percentiles, intervals, tests and the seeded generator behind everything random in the laboratory.

mod bootstrap;
mod break_even;
mod cluster;
mod median;
mod random;
mod significance;
mod spread;
mod trend;

pub use bootstrap::{difference_of_medians, ratio_of_medians};
pub use break_even::{RunCost, break_even};
pub use cluster::Cluster;
pub use median::{SIGN_TEST_COUNT, median, median_interval, ratio_of_pairs, sign_test_interval};
pub use random::Random;
pub(crate) use random::mix;
pub use significance::{count_needed, holm, p_value};
pub use spread::spread;
pub use trend::slope;
