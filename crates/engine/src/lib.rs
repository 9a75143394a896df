//! The SNMP engine of RFC 3411 without sockets, clock or runtime.
//!
//! Time and randomness come in from outside, answers are written into buffers of the caller, and nothing is global, so
//! that a whole network of engines runs in virtual time in a test.
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod access_control;
pub mod applications;
pub mod clock;
pub mod compression;
pub mod discard;
pub mod dispatcher;
pub mod engine_id;
pub mod instrumentation;
pub mod local_configuration;
pub mod message_processing;
pub mod security;
pub mod statistics;
pub mod transport;
