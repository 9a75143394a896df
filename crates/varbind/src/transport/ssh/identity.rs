//! The keys of a user in files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use russh::Signer;
use russh::keys::agent::AgentIdentity;
use russh::keys::signature::Signer as _;
use russh::keys::ssh_encoding::Encode;
use russh::keys::ssh_key::Signature;
use russh::keys::{Certificate, HashAlg, PrivateKey, PublicKey};
use zeroize::Zeroizing;

use super::interaction::Interaction;
use super::known_hosts::fingerprint;
use super::opening::CallTime;

/// A private key in a file, with the certificate that goes with it.
#[derive(Debug)]
pub(crate) struct FileIdentity {
    file: PathBuf,
    /// Encrypted until it is needed.
    key: PrivateKey,
    pub(crate) certificates: Vec<Certificate>,
}

impl FileIdentity {
    /// Reads a key; `None` if there is no such file.
    ///
    /// # Errors
    /// Tells what is wrong with the file.
    pub(crate) fn read(file: &Path, certificate_files: &[PathBuf]) -> Result<Option<Self>, String> {
        let text = match fs::read(file) {
            Ok(text) => Zeroizing::new(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        refuse_open_file(file)?;
        let key = PrivateKey::from_openssh(text.as_slice())
            .map_err(|_| "it is not a private key in the format of OpenSSH".to_owned())?;
        let mut beside = file.as_os_str().to_owned();
        beside.push("-cert.pub");
        let certificates = certificate_files
            .iter()
            .map(PathBuf::as_path)
            .chain([Path::new(&beside)])
            .filter_map(|file| Certificate::read_file(file).ok())
            .filter(|certificate| certificate.public_key() == key.public_key().key_data())
            .collect();
        Ok(Some(Self {
            file: file.to_owned(),
            key,
            certificates,
        }))
    }

    pub(crate) fn public_key(&self) -> &PublicKey {
        self.key.public_key()
    }

    /// How it is called in messages.
    pub(crate) fn description(&self) -> String {
        let fingerprint = fingerprint(self.public_key());
        format!("key {} ({fingerprint})", self.file.display())
    }

    /// Signs, and asks for the passphrase if the key is encrypted.
    fn sign(
        &self,
        interaction: &dyn Interaction,
        mut data: Vec<u8>,
    ) -> Result<Vec<u8>, SigningProblem> {
        let problem = |text: &str| SigningProblem::Key(text.to_owned());
        let decrypted;
        let key = if self.key.is_encrypted() {
            let passphrase = interaction
                .passphrase(&self.file)
                .ok_or_else(|| problem("it is encrypted, and there is no passphrase"))?;
            decrypted = self
                .key
                .decrypt(passphrase.as_bytes())
                .map_err(|_| problem("the passphrase is wrong"))?;
            &decrypted
        } else {
            &self.key
        };
        let signature: Signature = key
            .try_sign(&data)
            .map_err(|_| problem("it cannot sign: its type is not supported"))?;
        signature
            .encode_prefixed(&mut data)
            .map_err(|_| problem("its signature cannot be encoded"))?;
        Ok(data)
    }
}

/// A private key that others can read is not a secret (as OpenSSH has it).
fn refuse_open_file(file: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(file).map_err(|error| error.to_string())?;
    let is_own = metadata.uid() == rustix::process::getuid().as_raw();
    if is_own && metadata.mode() & 0o077 != 0 {
        return Err(format!(
            "others can read it (mode {:04o}): 'chmod 600 {}'",
            metadata.mode() & 0o7777,
            file.display()
        ));
    }
    Ok(())
}

/// The digest that RSA keys sign with.
pub(crate) fn digest_of(key: &PublicKey) -> Option<HashAlg> {
    key.algorithm().is_rsa().then_some(HashAlg::Sha512)
}

/// Signs with a key in a file. The passphrase is asked for only when the server would take the key.
pub(crate) struct FileSigner<'a> {
    pub(crate) identity: &'a Arc<FileIdentity>,
    pub(crate) interaction: &'a Arc<dyn Interaction>,
    pub(crate) calls: &'a CallTime,
}

/// Why a key does not sign.
#[derive(Debug)]
pub(crate) enum SigningProblem {
    /// The connection ended.
    Closed,
    /// In words for the user.
    Key(String),
}

impl From<russh::SendError> for SigningProblem {
    fn from(_: russh::SendError) -> Self {
        Self::Closed
    }
}

impl Signer for FileSigner<'_> {
    type Error = SigningProblem;

    async fn auth_sign(
        &mut self,
        _: &AgentIdentity,
        _: Option<HashAlg>,
        data: Vec<u8>,
    ) -> Result<Vec<u8>, SigningProblem> {
        let (identity, interaction) = (Arc::clone(self.identity), Arc::clone(self.interaction));
        self.calls
            .run(move || identity.sign(&*interaction, data))
            .await
            .map_err(|error| SigningProblem::Key(error.to_string()))?
    }
}
