//! Certificates: whom they name, and who is trusted, alike in TLS and DTLS (RFC 6353, RFC 9456).
//!
//! A server gives its clients names by [`ClientAuthentication`], a client authenticates its server by [`ServerAuthentication`]. Both
//! are functions of the certificates that came and of the time; that the peer has the key is proven by the handshake.

mod authentication;
pub(crate) mod cryptography;
mod description;
mod endpoint;
mod error;
mod fingerprint;
mod identity;
mod map;
mod peer_identity;
#[cfg(any(test, fuzzing))]
pub(crate) mod properties;
mod revocation;
mod statistics;
#[cfg(test)]
mod tests;
mod trust;

pub use authentication::{ClientAuthentication, ServerAuthentication};
pub use description::{AlternativeName, CertificateDescription, MalformedCertificate, TlsFacts};
pub use endpoint::{TlsClient, TlsServer};
pub use error::CertificateError;
pub use fingerprint::{Fingerprint, HashAlgorithm, ParseFingerprintError};
pub use identity::{CertificateIdentity, IdentityError, LoadError, LoadProblem, load_certificates};
pub use map::{CertificateMap, CertificateMapRow, Mapping, NoName, TriedRow, Unmapped};
pub use peer_identity::PeerIdentity;
pub use revocation::{
    MalformedRevocationList, OverdueList, OverdueLists, Revocation, RevocationLists, UnsignedList,
};
pub use rustls::pki_types::{
    CertificateDer, CertificateRevocationListDer, PrivateKeyDer, UnixTime,
};
pub use statistics::TlsStatistics;
pub use trust::{TrustAnchors, Untrusted};
