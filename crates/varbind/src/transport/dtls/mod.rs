//! SNMP over DTLS 1.2 (RFC 6353, RFC 9456), on OpenSSL: no library written in Rust has RSA certificates, chains and both
//! roles.
//!
//! OpenSSL does handshakes and records (`association`) and knows no socket: datagrams go in and out through memory
//! (`exchange`). The `server` has one socket for all peers, a `client` one for each session.

mod association;
mod client;
mod context;
mod cookies;
mod deadlines;
mod error;
mod exchange;
mod identity;
#[cfg(any(test, fuzzing))]
pub(crate) mod properties;
mod record;
mod resumption;
mod server;
mod system_library;
#[cfg(test)]
mod tests;

pub(crate) use client::{ClientConfiguration, DtlsSession, DtlsTarget};
#[cfg(feature = "openssl-tls")]
pub(crate) use context::{log_keys_as_asked, set_identity};
pub use error::{Alert, DtlsError};
#[cfg(feature = "openssl-tls")]
pub(crate) use identity::{ExpectedServer, verify_by};
pub(crate) use server::DtlsListener;
pub use server::{Counted, DtlsStatistics};
