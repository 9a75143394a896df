//! Collectors that share a fleet: targets are in shards, and each shard is leased to one collector at a time.
//!
//! [`leases`] decides without input and output; with the feature `nats`, `Cluster` keeps the leases in a bucket of NATS JetStream.

#[cfg(feature = "nats")]
mod bucket;
pub mod leases;
#[cfg(feature = "nats")]
mod nats;
mod shard;

#[cfg(feature = "nats")]
pub use nats::{Cluster, ClusterConfiguration, ClusterError};
pub use shard::{SHARDS, Shard};
