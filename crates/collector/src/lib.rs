#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod agents;
pub mod cluster;
pub mod exporter;
pub mod exposition;
pub mod fleet;
pub mod module;
#[cfg(feature = "nats")]
pub mod nats;
pub mod output;
pub mod poll;
pub mod scale;
pub mod schedule;
pub mod scrape;
