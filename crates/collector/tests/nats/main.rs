//! Against a nats-server with a directory and a port of its own: the output, and collectors that share a fleet.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failure is what the test reports"
)]

mod cluster;
mod collector;
mod configuration;
mod output;
mod relay;
mod server;
mod three_servers;
