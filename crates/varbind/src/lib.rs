//! SNMP manager, agent and notification receiver over UDP, TCP, TLS, DTLS and SSH.
//!
//! - [`manager::Manager`] sends commands to an agent.
//! - [`agent::Agent`] answers them.
//! - [`notification`] sends and receives traps and informs.
//!
//! The protocol itself is in [`engine`], which has no sockets, clock or runtime; this crate runs it over
//! [`transport`]s.

pub mod agent;
pub mod clock;
pub mod compression;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
pub mod manager;
pub mod notification;
mod thread;
pub mod transport;

pub use varbind_codec as codec;
pub use varbind_codec::oid;
pub use varbind_codec::smi::{Oid, Value, VarBind};
pub use varbind_engine as engine;

/// The examples of the README are compiled as those of this documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
