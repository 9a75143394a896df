use std::env;
use std::path::{Path, PathBuf};

use crate::storage::{self, Readers};
use crate::{Authority, Error, Identity, IfExists};

/// The directory of certificates and keys; it defines the names of their files.
///
/// ```
/// use varbind_pki::Directory;
///
/// let directory = Directory::new("/etc/varbind/pki");
/// assert_eq!(directory.agent().certificate.to_str(), Some("/etc/varbind/pki/agent.pem"));
/// assert_eq!(directory.agent().key.to_str(), Some("/etc/varbind/pki/agent-key.pem"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory(PathBuf);

/// The files of a certificate and its private key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityFiles {
    /// The certificate, followed by its intermediates.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// The directory of the superuser.
const OF_SYSTEM: &str = "/etc/varbind/pki";

impl Directory {
    /// The directory at this path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// /etc/varbind/pki for the superuser, and for others the directory that the XDG base directory specification gives.
    #[must_use]
    pub fn of_user() -> Self {
        if rustix::process::geteuid().is_root() {
            return Self::of_system();
        }
        let from = |variable: &str| {
            env::var_os(variable)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        from("XDG_CONFIG_HOME")
            .or_else(|| from("HOME").map(|home| home.join(".config")))
            .map_or_else(Self::of_system, |directory| {
                Self(directory.join("varbind/pki"))
            })
    }

    fn of_system() -> Self {
        Self(PathBuf::from(OF_SYSTEM))
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The authority's certificate and key.
    #[must_use]
    pub fn authority(&self) -> IdentityFiles {
        self.files("ca")
    }

    /// The agent's certificate and key.
    #[must_use]
    pub fn agent(&self) -> IdentityFiles {
        self.files("agent")
    }

    /// The manager's certificate and key.
    #[must_use]
    pub fn manager(&self) -> IdentityFiles {
        self.files("manager")
    }

    /// The agent's certificate with all above it, the root's included: peers that pin certificates may need it.
    #[must_use]
    pub fn agent_chain(&self) -> PathBuf {
        self.0.join("agent-chain.pem")
    }

    /// The certificates that the authority has revoked.
    #[must_use]
    pub fn revocation_list(&self) -> PathBuf {
        self.0.join("crl.pem")
    }

    fn files(&self, name: &str) -> IdentityFiles {
        IdentityFiles {
            certificate: self.0.join(format!("{name}.pem")),
            key: self.0.join(format!("{name}-key.pem")),
        }
    }
}

impl IdentityFiles {
    /// Whether both exist.
    #[must_use]
    pub fn exist(&self) -> bool {
        self.certificate.exists() && self.key.exists()
    }

    /// Writes a certificate and its key: both or neither. The directory must exist.
    ///
    /// # Errors
    /// When one of the files cannot be written, or exists and is to be left alone.
    pub fn write(&self, identity: &Identity, if_exists: IfExists) -> Result<(), Error> {
        if if_exists == IfExists::Fail && self.certificate.exists() {
            return Err(Error::Exists(self.certificate.clone()));
        }
        let key = identity.key_pem();
        storage::write(&self.key, key.as_bytes(), Readers::Owner, if_exists)?;
        let certificates = identity.certificates_pem();
        storage::write(
            &self.certificate,
            certificates.as_bytes(),
            Readers::Everybody,
            if_exists,
        )
        .inspect_err(|_| {
            if if_exists == IfExists::Fail {
                // It is of no use, and would be in the way of another attempt.
                let _ = std::fs::remove_file(&self.key);
            }
        })
    }

    /// Writes the certificates of an authority that others are to trust. The directory must exist.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_trust(&self, authority: &Authority, if_exists: IfExists) -> Result<(), Error> {
        storage::write(
            &self.certificate,
            authority.certificates_pem().as_bytes(),
            Readers::Everybody,
            if_exists,
        )
    }
}
