//! SNMP manager and agent.
//!
//! The engine ([`engine`]) knows no sockets; this crate puts it on UDP and TCP.

pub mod agent;
pub mod clock;
pub mod compression;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
pub mod manager;
pub mod notification;
pub mod resident_memory;
mod thread;
pub mod transport;

pub use varbind_codec as codec;
pub use varbind_engine as engine;
