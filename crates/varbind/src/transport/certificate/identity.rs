use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::sign::CertifiedKey;
use zeroize::{Zeroize, Zeroizing};

use super::authentication::{check_dates, date_warning};
use super::cryptography::provider;
use super::error::RequiredVersion;
use super::{
    CertificateDescription, CertificateError, MalformedCertificate, MalformedRevocationList,
    TrustAnchors,
};
use crate::transport::{SecurityFailure, SecurityFailureKind};

/// A certificate of one's own, what leads from it to its authority, and its key.
#[derive(Clone)]
pub struct CertificateIdentity {
    chain: Vec<CertificateDer<'static>>,
    key: Arc<PrivateKey>,
    certified: Arc<CertifiedKey>,
    description: Arc<CertificateDescription>,
    /// Where the chain was read from.
    file: Option<Arc<Path>>,
}

/// Overwritten when it is dropped.
struct PrivateKey(PrivateKeyDer<'static>);

impl Drop for PrivateKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl CertificateIdentity {
    /// An identity of a chain, the own certificate first, and the key to that.
    ///
    /// # Errors
    /// When they cannot be read, or do not belong together.
    pub fn new(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Self, IdentityError> {
        let key = PrivateKey(key);
        let leaf = chain.first().ok_or(IdentityError::NoCertificate)?;
        let description = CertificateDescription::read(leaf).map_err(IdentityError::Malformed)?;
        if description.version != 3 {
            return Err(IdentityError::WrongVersion(description.version));
        }
        let certified = CertifiedKey::from_der(chain.clone(), key.0.clone_key(), provider());
        let certified = certified.map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => IdentityError::OtherKey,
            error => IdentityError::UnusableKey(error.to_string()),
        })?;
        Ok(Self {
            chain,
            key: Arc::new(key),
            certified: Arc::new(certified),
            description: Arc::new(description),
            file: None,
        })
    }

    /// Reads the chain and the key from files in PEM, which may be one and the same. Warns in the log when others on the
    /// host can read the key, and when the certificate expires soon.
    ///
    /// # Errors
    /// When a file cannot be read or does not hold what it should.
    pub fn load(chain: &Path, key: &Path) -> Result<Self, LoadError> {
        let certificates = load_certificates(chain)?;
        let key_octets = read(key)?;
        warn_if_readable_by_others(key);
        let private = private_key(&key_octets)
            .map_err(|error| LoadError::new(key, LoadProblem::Identity(error)))?;
        let mut identity = Self::new(certificates, private).map_err(|error| {
            let file = match error {
                IdentityError::OtherKey | IdentityError::UnusableKey(_) => key,
                _ => chain,
            };
            LoadError::new(file, LoadProblem::Identity(error))
        })?;
        identity.file = Some(chain.into());
        if let Some(warning) = date_warning(&identity.description, UnixTime::now()) {
            log::warn!("{}: {warning}", chain.display());
        }
        Ok(identity)
    }

    /// The chain, the own certificate first.
    #[must_use]
    pub fn chain(&self) -> &[CertificateDer<'static>] {
        &self.chain
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &PrivateKeyDer<'static> {
        &self.key.0
    }

    /// What the own certificate says.
    #[must_use]
    pub fn description(&self) -> &CertificateDescription {
        &self.description
    }

    /// A failure of a session. If the peer refuses a certificate of ours that is out of date by our clock, that is why.
    pub(crate) fn explain(&self, failure: SecurityFailure, now: UnixTime) -> SecurityFailure {
        if failure.kind() != SecurityFailureKind::RefusedByPeer {
            return failure;
        }
        let subject = self.description.subject.escape_debug();
        let problem = match check_dates(&self.description, now) {
            Err(CertificateError::Expired(own)) => {
                let file = self.file.as_deref().unwrap_or(Path::new("FILE"));
                format!(
                    "our certificate \"{subject}\" has expired, at {}: renew it where the key of its authority is (varbind pki renew {})",
                    own.valid_until(),
                    file.display()
                )
            }
            Err(CertificateError::NotYetValid(own)) => format!(
                "our certificate \"{subject}\" is not valid before {}: correct the clock of this host",
                own.valid_from()
            ),
            _ => return failure,
        };
        let explanation = format!("{}; {problem}", failure.explanation());
        SecurityFailure::new(failure.kind(), explanation)
    }

    pub(crate) const fn certified(&self) -> &Arc<CertifiedKey> {
        &self.certified
    }
}

impl fmt::Debug for CertificateIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CertificateIdentity({})", self.description)
    }
}

/// Reads the certificates of a file in PEM.
///
/// # Errors
/// When the file cannot be read or holds none.
pub fn load_certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, LoadError> {
    let octets = read(file)?;
    certificates_in(&octets).map_err(|problem| LoadError::new(file, problem))
}

pub(super) fn certificates_in(octets: &[u8]) -> Result<Vec<CertificateDer<'static>>, LoadProblem> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(octets).collect();
    match certificates {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) => Err(LoadProblem::Identity(IdentityError::NoCertificate)),
        Err(error) => Err(LoadProblem::Pem(error)),
    }
}

impl TrustAnchors {
    /// Trust in the certificates of a file in PEM.
    ///
    /// # Errors
    /// When the file cannot be read or holds none.
    pub fn load(file: &Path) -> Result<Self, LoadError> {
        Self::new(load_certificates(file)?).map_err(|error| {
            LoadError::new(file, LoadProblem::Identity(IdentityError::Malformed(error)))
        })
    }
}

pub(super) fn read(file: &Path) -> Result<Zeroizing<Vec<u8>>, LoadError> {
    fs::read(file)
        .map(Zeroizing::new)
        .map_err(|error| LoadError::new(file, LoadProblem::Reading(error)))
}

pub(super) fn private_key(octets: &[u8]) -> Result<PrivateKeyDer<'static>, IdentityError> {
    let is_encrypted = |needle: &[u8]| octets.windows(needle.len()).any(|part| part == needle);
    if is_encrypted(b"BEGIN ENCRYPTED PRIVATE KEY") || is_encrypted(b"Proc-Type: 4,ENCRYPTED") {
        return Err(IdentityError::EncryptedKey);
    }
    PrivateKeyDer::from_pem_slice(octets).map_err(|error| match error {
        pem::Error::NoItemsFound => IdentityError::NoKey,
        // It may quote the file.
        _ => IdentityError::UnusableKey("it is no PEM".to_owned()),
    })
}

fn warn_if_readable_by_others(file: &Path) {
    const OTHERS: u32 = 0o006;
    let mode = fs::metadata(file).map_or(0, |metadata| metadata.permissions().mode());
    if mode & OTHERS != 0 {
        log::warn!(
            "{}: every user of this host can read or change this key: run chmod 600 on it",
            file.display()
        );
    }
}

/// Why there is no identity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// There is no certificate.
    #[error("there is no certificate in it (BEGIN CERTIFICATE)")]
    NoCertificate,
    /// The certificate cannot be read.
    #[error("{0}")]
    Malformed(MalformedCertificate),
    /// The certificate has this version of X.509 instead of 3.
    #[error("the certificate {}", RequiredVersion(*.0))]
    WrongVersion(u32),
    /// There is no key.
    #[error("there is no private key in it (BEGIN PRIVATE KEY)")]
    NoKey,
    /// The key is encrypted.
    #[error(
        "the private key is encrypted, and nobody is there to give the password: write it without, by `openssl pkey`, \
         into a file that only its user can read"
    )]
    EncryptedKey,
    /// The key cannot be used.
    #[error("the private key cannot be used: {0}")]
    UnusableKey(String),
    /// The key belongs to another certificate.
    #[error("the private key belongs to another certificate")]
    OtherKey,
    /// There is no revocation list.
    #[error("there is no revocation list in it (BEGIN X509 CRL)")]
    NoRevocationList,
    /// The revocation list cannot be read.
    #[error("{0}")]
    RevocationList(MalformedRevocationList),
}

/// A file of certificates or of a key is not what it should be.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct LoadError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong.
    pub problem: LoadProblem,
}

impl LoadError {
    pub(super) fn new(file: &Path, problem: LoadProblem) -> Self {
        Self {
            file: file.to_owned(),
            problem,
        }
    }
}

/// What is wrong with a file of certificates or of a key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadProblem {
    /// It cannot be read.
    #[error("{0}")]
    Reading(io::Error),
    /// It is no PEM.
    #[error("it is no PEM")]
    Pem(pem::Error),
    /// It does not hold what it should.
    #[error("{0}")]
    Identity(IdentityError),
}
