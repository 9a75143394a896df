use std::path::PathBuf;

use super::{AuthenticationAttempt, KnownHostLine};

/// What is found out of an SSH server while a connection is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SshFacts {
    /// How the server calls its version (RFC 4253 section 4.2).
    pub identification: Option<String>,
    /// The key exchange that the two sides agreed upon.
    pub key_exchange: Option<String>,
    /// The cipher.
    pub cipher: Option<String>,
    /// The server's key, whether it was accepted or not.
    pub host_key: Option<HostKeyFacts>,
    /// Who logs in.
    pub user: String,
    /// What the server refused, or what could not be tried, in order.
    pub refused: Vec<AuthenticationAttempt>,
    /// What the server accepted, as in `key /home/ops/.ssh/id_ed25519 (SHA256:...)`.
    pub accepted: Option<String>,
}

/// The key that a server has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostKeyFacts {
    /// Its type, or that of the certificate's key.
    pub algorithm: String,
    /// Its fingerprint (SHA-256).
    pub fingerprint: String,
    /// Whether it came in a certificate.
    pub is_certificate: bool,
    /// The name under which it is looked for.
    pub host: String,
    /// Where it is known, if it is.
    pub known: Option<KnownHostLine>,
    /// Where it would be written to.
    pub file: Option<PathBuf>,
}
