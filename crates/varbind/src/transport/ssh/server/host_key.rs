use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use russh::keys::key::safe_rng;
use russh::keys::ssh_key::LineEnding;
use russh::keys::{Algorithm, Certificate, PrivateKey};
use zeroize::Zeroizing;

use crate::transport::ssh::known_hosts::fingerprint;

/// A key by which a server is known, with its certificate if it has one.
#[derive(Clone)]
pub struct HostKey {
    pub(super) key: PrivateKey,
    pub(super) certificate: Option<Certificate>,
}

/// Why a host key cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct HostKeyError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub problem: String,
}

impl HostKey {
    /// Reads a private key in the format of OpenSSH, without passphrase, and the certificate in the file beside it whose
    /// name ends with `-cert.pub`, if there is one.
    ///
    /// # Errors
    /// When it cannot be read, others can read it too, or it is no such key.
    pub fn read(file: &Path) -> Result<Self, HostKeyError> {
        let error = |problem: String| HostKeyError {
            file: file.to_owned(),
            problem,
        };
        let metadata = fs::metadata(file).map_err(|problem| error(problem.to_string()))?;
        if metadata.mode() & 0o077 != 0 {
            return Err(error(format!(
                "others can read or write it (mode {:04o}): 'chmod 600 {}'",
                metadata.mode() & 0o7777,
                file.display()
            )));
        }
        let text = fs::read(file).map_err(|problem| error(problem.to_string()))?;
        let text = Zeroizing::new(text);
        let key = PrivateKey::from_openssh(text.as_slice()).map_err(|_| {
            error(
                "it is not a private key in the format of OpenSSH ('ssh-keygen -t ed25519')".into(),
            )
        })?;
        if key.is_encrypted() {
            return Err(error(
                "it has a passphrase, and a server cannot ask for it".into(),
            ));
        }
        let mut beside = file.as_os_str().to_owned();
        beside.push("-cert.pub");
        let certificate = Certificate::read_file(Path::new(&beside))
            .ok()
            .filter(|certificate| certificate.public_key() == key.public_key().key_data());
        Ok(Self { key, certificate })
    }

    /// Makes an Ed25519 key in a new file that only its owner can read, and its public half in a file beside it whose
    /// name ends with `.pub`.
    ///
    /// # Errors
    /// When a file cannot be written, or is there already.
    pub fn generate(file: &Path, comment: &str) -> Result<Self, HostKeyError> {
        let error = |problem: String| HostKeyError {
            file: file.to_owned(),
            problem,
        };
        let mut key = PrivateKey::random(&mut safe_rng(), Algorithm::Ed25519)
            .map_err(|problem| error(problem.to_string()))?;
        key.set_comment(comment);
        let text = key
            .to_openssh(LineEnding::LF)
            .map_err(|problem| error(problem.to_string()))?;
        let public = key
            .public_key()
            .to_openssh()
            .map_err(|problem| error(problem.to_string()))?;
        write_new(file, 0o600, text.as_bytes()).map_err(|problem| error(problem.to_string()))?;
        let mut beside = file.as_os_str().to_owned();
        beside.push(".pub");
        write_new(Path::new(&beside), 0o644, format!("{public}\n").as_bytes())
            .map_err(|problem| error(format!("its public half: {problem}")))?;
        Ok(Self {
            key,
            certificate: None,
        })
    }

    /// The fingerprint (SHA-256) by which users check that it is the right server.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        fingerprint(self.key.public_key())
    }

    /// The type, as `ssh-ed25519`.
    #[must_use]
    pub fn algorithm(&self) -> String {
        self.key.algorithm().to_string()
    }

    /// The public half, as a line of a file of known hosts has it behind the name.
    #[must_use]
    pub fn public_key(&self) -> String {
        self.key.public_key().to_openssh().unwrap_or_default()
    }
}

fn write_new(file: &Path, mode: u32, text: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(file)?;
    file.write_all(text)?;
    file.sync_all()
}

impl fmt::Debug for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostKey")
            .field("fingerprint", &self.fingerprint())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_that_is_made_can_be_read_and_by_nobody_else() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("host_key");
        let made = HostKey::generate(&file, "test").unwrap();
        let read = HostKey::read(&file).unwrap();
        assert_eq!(read.fingerprint(), made.fingerprint());
        assert!(format!("{read:?}").contains("SHA256:"));
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        let public = fs::read_to_string(directory.path().join("host_key.pub")).unwrap();
        assert_eq!(public.trim(), read.public_key());
        assert!(HostKey::generate(&file, "again").is_err());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let error = HostKey::read(&file).unwrap_err().to_string();
        assert!(error.contains("mode 0640"), "{error}");
    }
}
