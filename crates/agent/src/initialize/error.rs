use std::fmt;
use std::io;
use std::path::PathBuf;

use varbind::transport::ssh::HostKeyError;

use crate::configuration::{CertificateFileError, ConfigurationError};

/// Why a host cannot be made safe.
#[derive(Debug)]
#[non_exhaustive]
pub enum InitializeError {
    /// A certificate or a key cannot be made.
    Certificates(varbind_pki::Error),
    /// A certificate is missing, and the authority that there is cannot make it.
    NoAuthorityKey {
        /// The key of the authority, which is not here.
        key: PathBuf,
        /// The certificate that is missing.
        missing: PathBuf,
    },
    /// The host key of SSH cannot be used.
    HostKey(HostKeyError),
    /// A file cannot be written.
    File {
        /// Which.
        path: PathBuf,
        /// What was tried, as in "cannot be written".
        problem: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The certificates that exist cannot be used.
    CertificateFile(CertificateFileError),
    /// The configuration that exists is wrong.
    Configuration(ConfigurationError),
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

impl From<varbind_pki::Error> for InitializeError {
    fn from(error: varbind_pki::Error) -> Self {
        Self::Certificates(error)
    }
}

impl fmt::Display for InitializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Certificates(error) => error.fmt(f),
            Self::NoAuthorityKey { key, missing } => write!(
                f,
                "{} is missing, and the key of the authority ({}) is not here to make it: issue it where the authority is, with \
                 `varbind pki issue agent HOST --output DIR`, and copy it here with its key; the authority's own key stays there",
                missing.display(),
                key.display()
            ),
            Self::HostKey(error) => write!(f, "the SSH host key {error}"),
            Self::File {
                path,
                problem,
                source,
            } => write!(f, "{} {problem}: {source}", path.display()),
            Self::CertificateFile(error) => error.fmt(f),
            Self::Configuration(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InitializeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Certificates(error) => Some(error),
            Self::HostKey(error) => Some(error),
            Self::File { source, .. } => Some(source),
            Self::CertificateFile(error) => Some(error),
            Self::Configuration(error) => Some(error),
            Self::NoAuthorityKey { .. } => None,
        }
    }
}
