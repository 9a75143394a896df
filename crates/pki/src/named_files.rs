use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::{Directory, IdentityFiles};

const CERTIFICATE: &str = "VARBIND_CERTIFICATE";
const KEY: &str = "VARBIND_KEY";
const TRUST: &str = "VARBIND_TRUST";
const REVOCATION_LISTS: &str = "VARBIND_REVOCATION_LISTS";

/// Files of certificates and keys from options or a configuration. Unnamed files come from environment variables, else from the
/// user's [`Directory`].
#[derive(Clone, Debug, Default)]
pub struct NamedFiles {
    /// The own certificate.
    pub certificate: Option<PathBuf>,
    /// Its private key.
    pub key: Option<PathBuf>,
    /// Certificates of trusted authorities.
    pub trust: Vec<PathBuf>,
    /// Lists of revoked certificates.
    pub revocation_lists: Vec<PathBuf>,
}

impl NamedFiles {
    /// The own certificate and its key: the named files, else those in `VARBIND_CERTIFICATE` and `VARBIND_KEY`, else the
    /// usual ones if they exist.
    #[must_use]
    pub fn identity(&self, usual: &IdentityFiles) -> Option<IdentityFiles> {
        let from = |variable: &str| env::var_os(variable).map(PathBuf::from);
        let named = self.certificate.clone().or_else(|| from(CERTIFICATE));
        let key = self.key.clone().or_else(|| from(KEY));
        match named {
            Some(certificate) => Some(IdentityFiles {
                key: key.unwrap_or_else(|| key_beside(&certificate)),
                certificate,
            }),
            None => usual.certificate.exists().then(|| IdentityFiles {
                key: key.unwrap_or_else(|| usual.key.clone()),
                certificate: usual.certificate.clone(),
            }),
        }
    }

    /// The files of trusted authorities; empty if none is named and the directory has none.
    #[must_use]
    pub fn trust(&self) -> Vec<PathBuf> {
        let usual = Directory::of_user().authority().certificate;
        named_or_usual(&self.trust, TRUST, usual)
    }

    /// The files of revocation lists; empty if none is named and the directory has none.
    #[must_use]
    pub fn revocation_lists(&self) -> Vec<PathBuf> {
        let usual = Directory::of_user().revocation_list();
        named_or_usual(&self.revocation_lists, REVOCATION_LISTS, usual)
    }
}

fn named_or_usual(named: &[PathBuf], variable: &str, usual: PathBuf) -> Vec<PathBuf> {
    if !named.is_empty() {
        return named.to_vec();
    }
    let of_environment = env::var_os(variable).unwrap_or_default();
    let mut files: Vec<PathBuf> = env::split_paths(&of_environment)
        .filter(|file| !file.as_os_str().is_empty())
        .collect();
    if files.is_empty() {
        files.extend(Some(usual).filter(|file| file.exists()));
    }
    files
}

/// `NAME-key.pem` beside `NAME.pem`, as `varbind pki` names them; otherwise one file has both.
fn key_beside(certificate: &Path) -> PathBuf {
    let mut name: OsString = certificate.file_stem().unwrap_or_default().to_owned();
    name.push("-key.pem");
    let beside = certificate.with_file_name(name);
    if beside.exists() {
        beside
    } else {
        certificate.to_owned()
    }
}
