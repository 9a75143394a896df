//! What the tests, benchmarks and fuzz targets of varbind share: programs of others, corpora of fuzz targets, messages,
//! agents, managers and networks. Nothing else depends on it.
//!
//! `peers`, `corpus`, `documentation` and `http` depend on nothing. Features add the rest, so that a test builds no more than it needs.

#![allow(
    clippy::expect_used,
    clippy::missing_errors_doc,
    clippy::new_without_default,
    clippy::panic,
    clippy::unwrap_used,
    reason = "only tests use this, and they end with what they rely on"
)]

#[cfg(feature = "certificates")]
pub mod certificates;
#[cfg(feature = "codec")]
pub mod codec;
#[cfg(feature = "engine")]
pub mod command_responder;
mod corpus;
pub mod documentation;
pub mod http;
#[cfg(feature = "sessions")]
pub mod loopback;
#[cfg(feature = "engine")]
pub mod message;
pub mod peers;
#[cfg(feature = "collector")]
pub mod polls;
#[cfg(feature = "engine")]
pub mod simulator;
#[cfg(feature = "ssh")]
pub mod ssh;
#[cfg(feature = "codec")]
pub mod subagent;
#[cfg(feature = "engine")]
pub mod v3;
#[cfg(feature = "engine")]
pub mod view;
#[cfg(feature = "web")]
pub mod web;

pub use corpus::corpus;

/// An object identifier in dotted form.
#[cfg(feature = "codec")]
pub fn oid(text: &str) -> varbind_codec::smi::Oid {
    text.parse().expect("an object identifier")
}

/// An OCTET STRING.
#[cfg(feature = "codec")]
pub fn octets(text: &str) -> varbind_codec::smi::Value {
    varbind_codec::smi::Value::OctetString(text.as_bytes().to_vec())
}

/// The examples of the README are compiled as those of this documentation.
#[cfg(all(doctest, feature = "sessions"))]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples of the tutorial, likewise.
#[cfg(all(doctest, feature = "sessions"))]
#[doc = include_str!("../../../docs/tutorials/first-program.md")]
struct FirstProgram;
