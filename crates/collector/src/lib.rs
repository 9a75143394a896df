#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod agents;
pub mod exporter;
pub mod exposition;
pub mod fleet;
pub mod module;
pub mod output;
pub mod poll;
pub mod schedule;
pub mod scrape;
