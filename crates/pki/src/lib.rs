//! A small certification authority for SNMP over TLS and DTLS (RFC 6353).
//!
//! An [`Authority`] issues certificates for agents and managers, a [`Directory`] is where they and their private keys
//! are kept, and a [`Summary`] tells what is in a certificate.
//!
//! ```
//! use varbind_pki::{Authority, KeyType, Subject, Validity};
//!
//! let authority = Authority::create("example", KeyType::EcdsaP256, Validity::days(3650))?;
//! let agent = Subject::agent(&["router1.example".into(), "192.0.2.1".into()])?;
//! let identity = authority.issue(&agent, KeyType::EcdsaP256, Validity::days(730))?;
//! assert!(identity.certificates_pem().starts_with("-----BEGIN CERTIFICATE-----"));
//! # Ok::<(), varbind_pki::Error>(())
//! ```
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod authority;
mod directory;
mod error;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod key_type;
mod pem;
mod private_key;
mod revocation;
mod storage;
mod subject;
mod summary;
mod validity;

pub use authority::{Authority, Identity};
pub use directory::{Directory, IdentityFiles};
pub use error::Error;
pub use key_type::{KeyType, UnknownKeyType};
pub use pem::{read_certificates, read_revocation_list};
pub use revocation::{RevocationList, RevocationReason, UnknownReason};
pub use storage::{IfExists, create_directory, write_public};
pub use subject::Subject;
pub use summary::{Summary, Warning};
pub use validity::Validity;
