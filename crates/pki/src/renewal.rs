//! Renewal of certificates: a new one for the same subject, names and key.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use openssl::pkey::PKey;
use openssl::x509::X509;
use rcgen::{PublicKeyData, SubjectPublicKeyInfo};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use zeroize::Zeroizing;

use crate::storage::write_public;
use crate::validity::system_time;
use crate::{Authority, Error, IfExists, Subject, Validity, pem};

/// A file with a certificate and its intermediates.
#[derive(Debug)]
pub struct CertificateFile {
    path: PathBuf,
    certificates: Vec<Vec<u8>>,
    not_after: SystemTime,
}

impl CertificateFile {
    /// Reads it.
    ///
    /// # Errors
    /// When it cannot be read, or holds a private key too, which would be lost with the old certificate.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read(path).map_err(Error::file(path, "cannot be read"))?;
        let text = Zeroizing::new(text);
        let certificates = pem::certificates_in(path, &text)?;
        if String::from_utf8_lossy(&text).contains("PRIVATE KEY-----") {
            return Err(Error::content(
                path,
                "the file holds a private key too: put it into a file of its own, then renew the certificate",
            ));
        }
        let own = certificates.first().map_or(&[][..], Vec::as_slice);
        let not_after = parsed(own, path)?.validity().not_after;
        Ok(Self {
            path: path.to_owned(),
            certificates,
            not_after: system_time(not_after),
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// When the certificate expires.
    #[must_use]
    pub const fn not_after(&self) -> SystemTime {
        self.not_after
    }

    /// Whether the certificate expires within this time, or has expired.
    #[must_use]
    pub fn ends_within(&self, time: Duration) -> bool {
        self.not_after < SystemTime::now() + time
    }

    /// The certificate, in DER.
    #[must_use]
    pub fn certificate(&self) -> &[u8] {
        self.certificates.first().map_or(&[], Vec::as_slice)
    }

    /// Puts another certificate of the authority in its place, in one step: readers of the file have the old one or the
    /// new one. `FILE-chain.pem` beside it, which has all certificates, follows. The key stays as it is and is not needed.
    ///
    /// # Errors
    /// When the authority has not issued the certificate or has revoked it, or the file cannot be written.
    pub fn renew(
        &self,
        authority: &Authority,
        revoked: Option<&[u8]>,
        validity: Validity,
    ) -> Result<Self, Error> {
        let leaf = authority.renew(self.certificate(), &self.path, revoked, validity)?;
        let not_after = system_time(parsed(&leaf, &self.path)?.validity().not_after);
        let certificates: Vec<Vec<u8>> = std::iter::once(leaf)
            .chain(authority.intermediates())
            .collect();
        let text = pem::write_certificates(certificates.iter().map(Vec::as_slice));
        write_public(&self.path, text.as_bytes(), IfExists::Overwrite)?;
        let chain = chain_beside(&self.path);
        if chain.exists() {
            let own = certificates.first().into_iter();
            let all = own.chain(authority.certificates()).map(Vec::as_slice);
            let text = pem::write_certificates(all);
            write_public(&chain, text.as_bytes(), IfExists::Overwrite)?;
        }
        Ok(Self {
            path: self.path.clone(),
            certificates,
            not_after,
        })
    }
}

impl Authority {
    /// A certificate for the subject, the names and the key of one that this authority issued.
    fn renew(
        &self,
        certificate: &[u8],
        path: &Path,
        revoked: Option<&[u8]>,
        validity: Validity,
    ) -> Result<Vec<u8>, Error> {
        let former = parsed(certificate, path)?;
        if !self.has_signed(certificate) {
            return Err(Error::content(
                path,
                "the certificate is of another authority, which has to renew it",
            ));
        }
        if let Some(list) = revoked
            && is_revoked(list, &former)?
        {
            return Err(Error::content(
                path,
                "the certificate is revoked: issue another one, if its holder may have one",
            ));
        }
        let key = former.public_key();
        let subject = Subject::of(&former, path)?;
        let key = SubjectPublicKeyInfo::from_der(key.raw)?;
        self.sign(&subject, &key, validity)
    }

    /// Whether a certificate bears a signature of this authority.
    fn has_signed(&self, certificate: &[u8]) -> bool {
        let key = self.issuer.key().subject_public_key_info();
        let verified = PKey::public_key_from_der(&key)
            .and_then(|key| X509::from_der(certificate)?.verify(&key));
        // OpenSSL reads every certificate that an authority here has issued.
        verified.unwrap_or(false)
    }
}

/// `agent-chain.pem` beside `agent.pem`.
fn chain_beside(path: &Path) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("-chain.pem");
    path.with_file_name(name)
}

fn parsed<'a>(der: &'a [u8], path: &Path) -> Result<X509Certificate<'a>, Error> {
    x509_parser::parse_x509_certificate(der)
        .map(|(_, parsed)| parsed)
        .map_err(|error| Error::content(path, format!("the certificate cannot be read: {error}")))
}

fn is_revoked(list: &[u8], certificate: &X509Certificate<'_>) -> Result<bool, Error> {
    let (_, list) = x509_parser::parse_x509_crl(list).map_err(|error| {
        Error::Authority(format!(
            "the list of revoked certificates cannot be read: {error}"
        ))
    })?;
    let serial = &certificate.tbs_certificate.serial;
    Ok(list
        .iter_revoked_certificates()
        .any(|entry| entry.user_certificate == *serial))
}

/// The name and the alternative names that a certificate has.
pub(crate) struct Names {
    pub(crate) common_name: String,
    pub(crate) hosts: Vec<String>,
    pub(crate) mail_addresses: Vec<String>,
}

impl Names {
    /// The names of a certificate, or `None` if it has a kind of name that is not issued here.
    pub(crate) fn of(certificate: &X509Certificate<'_>) -> Option<Self> {
        if certificate.subject().iter_attributes().count() != 1 {
            return None;
        }
        let mut common_names = certificate.subject().iter_common_name();
        let common_name = common_names.next()?.as_str().ok()?.to_owned();
        let mut names = Self {
            common_name,
            hosts: Vec::new(),
            mail_addresses: Vec::new(),
        };
        let alternative = certificate.subject_alternative_name().ok()?;
        for name in alternative
            .iter()
            .flat_map(|extension| &extension.value.general_names)
        {
            match name {
                GeneralName::DNSName(host) => names.hosts.push((*host).to_owned()),
                GeneralName::IPAddress(octets) => names.hosts.push(address(octets)?.to_string()),
                GeneralName::RFC822Name(mail) => names.mail_addresses.push((*mail).to_owned()),
                _ => return None,
            }
        }
        Some(names)
    }
}

fn address(octets: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(octets).map(IpAddr::from);
    four.or_else(|_| <[u8; 16]>::try_from(octets).map(IpAddr::from))
        .ok()
}
