//! Percentiles, bootstrap intervals and the seeded generator behind everything random in the laboratory.

mod bootstrap;
mod cluster;
mod random;
mod summary;

pub use bootstrap::{bootstrap_median, median, ratio_of_pairs};
pub use cluster::Cluster;
pub use random::Random;
pub use summary::{quantile_curve, summarise, summarise_run};
