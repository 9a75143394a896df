//! Outputs against real receivers, which are started with directories and ports of their own, and against receivers that fail.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failure is what the test reports"
)]

mod faults;
mod influxdb;
#[cfg(feature = "kafka")]
mod kafka;
mod opentelemetry;
#[cfg(feature = "parquet")]
mod parquet;
mod prometheus;
mod receiver;
mod service;
