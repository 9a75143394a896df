use std::io;
use std::path::Path;

use varbind::transport::certificate::{
    CertificateIdentity, Fingerprint, HashAlgorithm, IdentityError, LoadError, LoadProblem,
    OverdueLists, RevocationLists, TrustAnchors, load_certificates,
};
use varbind_pki::{Directory, IdentityFiles, NamedFiles};

use crate::Failure;
use crate::arguments::CertificateArguments;

/// The role for which a certificate is needed, as a manager or a receiver.
#[derive(Debug)]
pub struct Role {
    /// The files in the directory of `varbind pki`.
    pub files: fn(&Directory) -> IdentityFiles,
    /// The arguments of `varbind pki issue` for its certificate.
    pub subject: fn() -> String,
}

pub(super) const MANAGER: Role = Role {
    files: Directory::manager,
    subject: || "manager NAME".to_owned(),
};

impl Role {
    /// The command that issues its certificate.
    #[must_use]
    pub fn command(&self) -> String {
        format!("varbind pki issue {}", (self.subject)())
    }
}

/// The own certificate and the trusted authorities, as options name them.
#[derive(Debug)]
pub struct CertificateFiles {
    pub(super) named: NamedFiles,
    overdue: OverdueLists,
}

/// A fingerprint, or that of the certificate in a file.
///
/// # Errors
/// If it is neither.
pub fn fingerprint(text: &str) -> Result<Fingerprint, Failure> {
    if !Path::new(text).exists() {
        return text.parse().map_err(|error| {
            Failure::Usage(format!(
                "{text} is neither a file nor a fingerprint: {error}"
            ))
        });
    }
    let certificates = load_certificates(Path::new(text))?;
    let first = certificates.first().map_or(&[][..], AsRef::as_ref);
    Ok(Fingerprint::of(first, HashAlgorithm::Sha256))
}

/// Why a trusted authority cannot be read, and where its certificate is.
fn no_authority(error: &LoadError) -> Failure {
    match &error.problem {
        LoadProblem::Reading(reason) if reason.kind() == io::ErrorKind::NotFound => {
            Failure::Usage(format!(
                "{error}: copy the authority's certificate there (ca.pem of the host where `varbind pki init` ran), or name \
                 another file with --trust"
            ))
        }
        _ => Failure::Usage(format!(
            "{error}: name the certificate of an authority with --trust"
        )),
    }
}

/// Why the own certificate or its key cannot be used, and the option that names another file.
fn no_identity(error: &LoadError, files: &IdentityFiles, role: &Role) -> Failure {
    let is_about_the_key = match &error.problem {
        LoadProblem::Identity(
            IdentityError::NoKey
            | IdentityError::EncryptedKey
            | IdentityError::UnusableKey(_)
            | IdentityError::OtherKey,
        ) => true,
        _ => error.file != files.certificate,
    };
    Failure::Usage(if is_about_the_key {
        format!(
            "{error}: name the private key to {} with --key",
            files.certificate.display()
        )
    } else {
        format!(
            "{error}: name your certificate with --certificate, or get one with `{}`",
            role.command()
        )
    })
}

impl CertificateFiles {
    /// The files of the options.
    #[must_use]
    pub fn new(arguments: &CertificateArguments) -> Self {
        Self {
            named: NamedFiles {
                certificate: arguments.certificate.clone(),
                key: arguments.key.clone(),
                trust: arguments.trust.clone(),
                revocation_lists: arguments.revocation_list.clone(),
            },
            overdue: arguments.overdue_revocation_lists.into(),
        }
    }

    /// The own certificate with its key, and their files.
    ///
    /// # Errors
    /// If there are none, or they cannot be used.
    pub fn identity(&self, role: &Role) -> Result<(CertificateIdentity, IdentityFiles), Failure> {
        let files = self.identity_files(role)?;
        match CertificateIdentity::load(&files.certificate, &files.key) {
            Ok(identity) => Ok((identity, files)),
            Err(error) => Err(no_identity(&error, &files, role)),
        }
    }

    fn identity_files(&self, role: &Role) -> Result<IdentityFiles, Failure> {
        let usual = (role.files)(&Directory::of_user());
        self.named.identity(&usual).ok_or_else(|| {
            Failure::Usage(format!(
                "TLS and DTLS need a certificate, and {} does not exist: get one with `{}`, or name one with --certificate and \
                 --key",
                usual.certificate.display(),
                role.command()
            ))
        })
    }

    /// Trusted authorities; none without options if the directory of `varbind pki` has no authority.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn trust_anchors(&self) -> Result<TrustAnchors, Failure> {
        let mut certificates = Vec::new();
        for file in &self.named.trust() {
            certificates.extend(load_certificates(file).map_err(|error| no_authority(&error))?);
        }
        TrustAnchors::new(certificates).map_err(|error| Failure::Usage(error.to_string()))
    }

    /// The revocation lists; none without options if the directory of `varbind pki` has no list.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn revocation_lists(&self) -> Result<RevocationLists, Failure> {
        let files = self.named.revocation_lists();
        RevocationLists::load(&files, self.overdue).map_err(|error| {
            Failure::Usage(format!(
                "{error}: name the list of an authority with --revocation-list"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named_with_its_option() {
        let files = Directory::new("/nonexistent").manager();
        for (file, option) in [
            (&files.certificate, "with --certificate"),
            (&files.key, "with --key"),
        ] {
            let error = LoadError {
                file: file.clone(),
                problem: LoadProblem::Reading(io::ErrorKind::NotFound.into()),
            };
            let text = no_identity(&error, &files, &MANAGER).to_string();
            assert!(text.starts_with(&file.display().to_string()), "{text}");
            assert!(text.contains(option), "{text}");
        }
    }
}
