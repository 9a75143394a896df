use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use varbind::transport::certificate::{
    CertificateIdentity, Fingerprint, HashAlgorithm, OverdueLists, RevocationLists, TrustAnchors,
    load_certificates,
};
use varbind_pki::{Directory, IdentityFiles};

use crate::Failure;
use crate::arguments::CertificateArguments;

const CERTIFICATE: &str = "VARBIND_CERTIFICATE";
const KEY: &str = "VARBIND_KEY";
const TRUST: &str = "VARBIND_TRUST";
const REVOCATION_LISTS: &str = "VARBIND_REVOCATION_LISTS";

/// Who needs a certificate.
#[derive(Debug)]
pub struct Role {
    /// The files in the directory of `varbind pki`.
    pub files: fn(&Directory) -> IdentityFiles,
    /// What the certificate is issued for.
    pub subject: fn() -> String,
}

pub(super) const MANAGER: Role = Role {
    files: Directory::manager,
    subject: || "manager NAME".to_owned(),
};

impl Role {
    /// What issues the certificate.
    #[must_use]
    pub fn command(&self) -> String {
        format!("varbind pki issue {}", (self.subject)())
    }
}

/// The own certificate and whom to trust, as options name them.
#[derive(Debug)]
pub struct CertificateFiles {
    pub(super) certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    pub(super) trust: Vec<PathBuf>,
    revocation_lists: Vec<PathBuf>,
    overdue: OverdueLists,
}

/// A fingerprint, or that of the certificate in a file.
///
/// # Errors
/// If it is neither.
pub fn fingerprint(text: &str) -> Result<Fingerprint, Failure> {
    if !Path::new(text).exists() {
        return text.parse().map_err(|error| {
            Failure::Usage(format!("{text} is no file, and no fingerprint: {error}"))
        });
    }
    let certificates = load_certificates(Path::new(text))?;
    let first = certificates.first().map_or(&[][..], AsRef::as_ref);
    Ok(Fingerprint::of(first, HashAlgorithm::Sha256))
}

impl CertificateFiles {
    /// Those of the options.
    #[must_use]
    pub fn new(arguments: &CertificateArguments) -> Self {
        Self {
            certificate: arguments.certificate.clone(),
            key: arguments.key.clone(),
            trust: arguments.trust.clone(),
            revocation_lists: arguments.revocation_list.clone(),
            overdue: arguments.overdue_revocation_lists.into(),
        }
    }

    /// The own certificate and its key.
    pub(super) fn identity(&self, role: &Role) -> Result<CertificateIdentity, Failure> {
        let files = self.identity_files(role)?;
        Ok(CertificateIdentity::load(&files.certificate, &files.key)?)
    }

    /// The files of the own certificate and its key.
    ///
    /// # Errors
    /// If there are none.
    pub fn identity_files(&self, role: &Role) -> Result<IdentityFiles, Failure> {
        let usual = (role.files)(&Directory::of_user());
        let from = |variable: &str| env::var_os(variable).map(PathBuf::from);
        let named = self.certificate.clone().or_else(|| from(CERTIFICATE));
        let key = self.key.clone().or_else(|| from(KEY));
        Ok(match named {
            Some(certificate) => IdentityFiles {
                key: key.unwrap_or_else(|| key_beside(&certificate)),
                certificate,
            },
            None if usual.certificate.exists() => IdentityFiles {
                key: key.unwrap_or_else(|| usual.key.clone()),
                certificate: usual.certificate,
            },
            None => {
                return Err(Failure::Usage(format!(
                    "TLS and DTLS need a certificate, and {} does not exist: get one with `{}`, or name one with --certificate and \
                     --key",
                    usual.certificate.display(),
                    role.command()
                )));
            }
        })
    }

    /// Whom to trust; nobody where nothing is said and the directory of `varbind pki` has no authority.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn trust_anchors(&self) -> Result<TrustAnchors, Failure> {
        let usual = Directory::of_user().authority().certificate;
        let files = named_or_usual(&self.trust, TRUST, usual);
        let mut certificates = Vec::new();
        for file in &files {
            certificates.extend(load_certificates(file)?);
        }
        TrustAnchors::new(certificates).map_err(|error| Failure::Usage(error.to_string()))
    }

    /// What was revoked; nothing where nothing is said and the directory of `varbind pki` has no list.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn revocation_lists(&self) -> Result<RevocationLists, Failure> {
        let usual = Directory::of_user().revocation_list();
        let files = named_or_usual(&self.revocation_lists, REVOCATION_LISTS, usual);
        Ok(RevocationLists::load(&files, self.overdue)?)
    }
}

/// The files of options, else those of an environment variable, else the usual one if it exists.
fn named_or_usual(options: &[PathBuf], variable: &str, usual: PathBuf) -> Vec<PathBuf> {
    if !options.is_empty() {
        return options.to_vec();
    }
    let named = env::var_os(variable).unwrap_or_default();
    let mut files: Vec<PathBuf> = env::split_paths(&named)
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
