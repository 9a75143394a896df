#![doc = include_str!("../README.md")]
//! # Types
//! An [`Authority`] issues certificates and a [`RevocationList`], a [`Directory`] holds them and their private keys, and a
//! [`Summary`] describes a certificate.
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod authority;
mod directory;
mod error;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod key_type;
mod named_files;
mod pem;
mod private_key;
mod renewal;
mod revocation;
mod storage;
mod subject;
mod summary;
mod validity;

pub use authority::{Authority, Identity};
pub use directory::{Directory, IdentityFiles};
pub use error::Error;
pub use key_type::{KeyType, UnknownKeyType};
pub use named_files::NamedFiles;
pub use pem::{read_certificates, read_revocation_list};
pub use renewal::CertificateFile;
pub use revocation::{RevocationList, RevocationReason, UnknownReason};
pub use storage::{IfExists, create_directory, write_public};
pub use subject::Subject;
pub use summary::{Summary, Warning};
pub use validity::Validity;
