use std::io;
use std::path::PathBuf;

use varbind::transport::ssh::HostKeyError;

use crate::configuration::{CertificateFileError, ConfigurationError};

/// Why a host cannot be made safe.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InitializeError {
    /// A certificate or a key cannot be made.
    #[error("{0}")]
    Certificates(#[from] varbind_pki::Error),
    /// A certificate is missing, and the authority that there is cannot make it.
    #[error(
        "{missing} is missing, and the key of the authority ({key}) is not here to make it: issue it where the \
         authority is, with `varbind pki issue agent HOST --output DIR`, and copy it here with its key; the \
         authority's own key stays there"
    )]
    NoAuthorityKey {
        /// The key of the authority, which is not here.
        key: PathBuf,
        /// The certificate that is missing.
        missing: PathBuf,
    },
    /// The host key of SSH cannot be used.
    #[error("the SSH host key {0}")]
    HostKey(#[source] HostKeyError),
    /// A file cannot be written.
    #[error("{path} {problem}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// What was tried, as in "cannot be written".
        problem: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The user for the agent is missing.
    #[error("there is no user {0:?} for the agent: `useradd --system {0}` makes one")]
    NoUser(String),
    /// The certificates that exist cannot be used.
    #[error("{0}")]
    CertificateFile(#[source] CertificateFileError),
    /// The configuration that exists is wrong.
    #[error("{0}")]
    Configuration(#[source] ConfigurationError),
}

impl InitializeError {
    pub(super) fn file(
        path: impl Into<PathBuf>,
        problem: &'static str,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File {
            path,
            problem,
            source,
        }
    }
}
