//! The exporter over sockets: agents on loopback behind it, a client of HTTP in front of it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failure is what the test reports"
)]

mod agent;
mod comparison;
mod device;
mod generator;
mod requests;
