//! Percentiles, bootstrap intervals and the seeded generator behind everything random in the laboratory.

mod bootstrap;
mod break_even;
mod cluster;
mod random;
mod spread;
mod summary;
mod trend;

pub use bootstrap::{
    bootstrap_median, difference_of_medians, median, ratio_of_medians, ratio_of_pairs,
};
pub use break_even::{RunCost, break_even, session_cost};
pub use cluster::Cluster;
pub use random::Random;
pub(crate) use random::mix;
pub use spread::spread;
pub use summary::{quantile_curve, summarise, summarise_run};
pub use trend::slope;
