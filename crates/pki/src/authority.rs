use std::path::Path;
use std::time::SystemTime;

use rcgen::{
    BasicConstraints, CertificateParams, IsCa, Issuer, KeyIdMethod, KeyUsagePurpose, PublicKeyData,
    SerialNumber,
};
use x509_parser::certificate::X509Certificate;
use zeroize::Zeroizing;

use crate::private_key::{PrivateKey, random};
use crate::storage::write_public;
use crate::validity::system_time;
use crate::{Error, IdentityFiles, IfExists, KeyType, Subject, Validity, pem, subject};

/// A certification authority: it confirms by certificates to whom a key belongs.
#[derive(Debug)]
pub struct Authority {
    pub(crate) issuer: Issuer<'static, PrivateKey>,
    /// Its own certificate, followed by those of the authorities above it, in DER.
    certificates: Vec<Vec<u8>>,
    pub(crate) not_after: SystemTime,
}

/// A certificate and its private key. `Debug` does not show the key.
#[derive(Debug)]
pub struct Identity {
    certificates: Vec<Vec<u8>>,
    key: PrivateKey,
}

impl Identity {
    /// The certificate, followed by its intermediates, in PEM.
    #[must_use]
    pub fn certificates_pem(&self) -> String {
        pem::write_certificates(self.certificates.iter().map(Vec::as_slice))
    }

    /// The certificate, in DER.
    #[must_use]
    pub fn certificate(&self) -> &[u8] {
        self.certificates.first().map_or(&[], Vec::as_slice)
    }

    /// The private key, in PEM (PKCS #8).
    #[must_use]
    pub fn key_pem(&self) -> Zeroizing<String> {
        self.key.pem()
    }
}

impl Authority {
    /// Makes a key and a certificate that it signs itself; both are written by [`IdentityFiles::write`].
    ///
    /// # Errors
    /// When the operating system gives no random numbers, or the name is too long.
    pub fn create_identity(
        name: &str,
        key_type: KeyType,
        validity: Validity,
    ) -> Result<Identity, Error> {
        let key = PrivateKey::generate(key_type)?;
        let mut parameters = parameters(validity)?;
        parameters.distinguished_name = subject::distinguished_name(name);
        // It signs for agents and managers, not for other authorities.
        parameters.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = parameters.self_signed(&key)?;
        Ok(Identity {
            certificates: vec![certificate.der().to_vec()],
            key,
        })
    }

    /// Makes an authority.
    ///
    /// # Errors
    /// As [`create_identity`](Self::create_identity).
    pub fn create(name: &str, key_type: KeyType, validity: Validity) -> Result<Self, Error> {
        let Identity { certificates, key } = Self::create_identity(name, key_type, validity)?;
        Self::new(certificates, key).map_err(Error::Authority)
    }

    /// Reads an authority from its certificate and key, whichever program made them.
    ///
    /// # Errors
    /// When the files cannot be read, the key does not belong to the certificate, or the certificate is not an authority's.
    pub fn open(files: &IdentityFiles) -> Result<Self, Error> {
        let certificates = pem::read_certificates(&files.certificate)?;
        let key = PrivateKey::read(&files.key)?;
        let own = first(&certificates, &files.certificate)?;
        if own.public_key().raw != key.subject_public_key_info() {
            return Err(Error::content(
                &files.key,
                format!(
                    "this is not the private key of the certificate {}",
                    files.certificate.display()
                ),
            ));
        }
        Self::new(certificates.clone(), key)
            .map_err(|problem| Error::content(&files.certificate, problem))
    }

    fn new(certificates: Vec<Vec<u8>>, key: PrivateKey) -> Result<Self, String> {
        let der = certificates.first().map_or(&[][..], Vec::as_slice);
        let (_, own) = x509_parser::parse_x509_certificate(der)
            .map_err(|error| format!("the certificate cannot be read: {error}"))?;
        if !own.is_ca() {
            return Err(
                "this is not a certificate of an authority: it may not sign others (basicConstraints)"
                    .to_owned(),
            );
        }
        let may_sign = own
            .key_usage()
            .map_err(|error| format!("the certificate cannot be read: {error}"))?
            .is_none_or(|usage| usage.value.key_cert_sign());
        if !may_sign {
            return Err(
                "the certificate of the authority may not sign others (keyUsage)".to_owned(),
            );
        }
        let not_after = system_time(own.validity().not_after);
        if not_after < SystemTime::now() {
            return Err(format!(
                "the certificate of the authority expired at {}",
                own.validity().not_after
            ));
        }
        let issuer = Issuer::from_ca_cert_der(&der.into(), key)
            .map_err(|error| format!("the certificate of the authority cannot be used: {error}"))?;
        Ok(Self {
            issuer,
            certificates,
            not_after,
        })
    }

    /// Makes a key, and a certificate for it. It is valid no longer than the authority's.
    ///
    /// # Errors
    /// When the operating system gives no random numbers, or the certificate cannot be made.
    pub fn issue(
        &self,
        subject: &Subject,
        key_type: KeyType,
        validity: Validity,
    ) -> Result<Identity, Error> {
        let key = PrivateKey::generate(key_type)?;
        let certificate = self.sign(subject, &key, validity)?;
        let certificates = std::iter::once(certificate)
            .chain(self.intermediates())
            .collect();
        Ok(Identity { certificates, key })
    }

    /// A certificate for a key, in DER.
    pub(crate) fn sign(
        &self,
        subject: &Subject,
        key: &impl PublicKeyData,
        validity: Validity,
    ) -> Result<Vec<u8>, Error> {
        let mut parameters = parameters(validity.within(self.not_after))?;
        subject.set(&mut parameters);
        parameters.is_ca = IsCa::ExplicitNoCa;
        parameters.use_authority_key_identifier_extension = true;
        parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        if is_rsa(key) {
            parameters.key_usages.push(KeyUsagePurpose::KeyEncipherment);
        }
        let certificate = parameters.signed_by(key, &self.issuer)?.der().to_vec();
        self.check_issuer(&certificate)?;
        Ok(certificate)
    }

    /// The names of the authority in its own certificate and in those it issues must be the same, octet by octet.
    fn check_issuer(&self, certificate: &[u8]) -> Result<(), Error> {
        let own = self.certificates.first().map_or(&[][..], Vec::as_slice);
        let name = |der| x509_parser::parse_x509_certificate(der).map(|(_, parsed)| parsed);
        match (name(own), name(certificate)) {
            (Ok(own), Ok(issued)) if own.subject().as_raw() == issued.issuer().as_raw() => Ok(()),
            _ => Err(Error::Authority(
                "the name of the authority has several parts of one kind (as DC=.., DC=..), which is not supported: \
                 have the certificate issued by the program that made the authority"
                    .to_owned(),
            )),
        }
    }

    /// The certificates between an issued one and the root, in DER; peers that trust the root alone need them.
    pub(crate) fn intermediates(&self) -> impl Iterator<Item = Vec<u8>> {
        let is_root = |der: &&Vec<u8>| {
            x509_parser::parse_x509_certificate(der)
                .is_ok_and(|(_, parsed)| parsed.subject().as_raw() == parsed.issuer().as_raw())
        };
        self.certificates
            .iter()
            .filter(move |der| !is_root(der))
            .cloned()
    }

    /// Its own certificate, followed by those of the authorities above it, in DER.
    pub(crate) fn certificates(&self) -> &[Vec<u8>] {
        &self.certificates
    }

    /// The certificates that others are to trust, in PEM.
    #[must_use]
    pub fn certificates_pem(&self) -> String {
        pem::write_certificates(self.certificates.iter().map(Vec::as_slice))
    }

    /// Writes a certificate that this authority issued, followed by those above it, the root's included. TLS peers need no
    /// root; Net-SNMP's, which pin a certificate by its fingerprint, do.
    ///
    /// # Errors
    /// When the file cannot be written, or exists and is to be left alone.
    pub fn write_chain(
        &self,
        identity: &Identity,
        path: &Path,
        if_exists: IfExists,
    ) -> Result<(), Error> {
        let own = identity.certificates.first().into_iter();
        let chain = own.chain(&self.certificates).map(Vec::as_slice);
        let text = pem::write_certificates(chain);
        write_public(path, text.as_bytes(), if_exists)
    }

    /// Its certificate, in DER.
    #[must_use]
    pub fn certificate(&self) -> &[u8] {
        self.certificates.first().map_or(&[], Vec::as_slice)
    }

    /// When its certificate expires.
    #[must_use]
    pub const fn not_after(&self) -> SystemTime {
        self.not_after
    }
}

/// Whether a public key is one of RSA, which some key exchanges encrypt with.
fn is_rsa(key: &impl PublicKeyData) -> bool {
    key.algorithm() == &rcgen::PKCS_RSA_SHA256
}

fn first<'a>(certificates: &'a [Vec<u8>], path: &Path) -> Result<X509Certificate<'a>, Error> {
    let der = certificates.first().map_or(&[][..], Vec::as_slice);
    x509_parser::parse_x509_certificate(der)
        .map(|(_, parsed)| parsed)
        .map_err(|error| Error::content(path, format!("the certificate cannot be read: {error}")))
}

fn parameters(validity: Validity) -> Result<CertificateParams, Error> {
    let mut parameters = CertificateParams::default();
    validity.set(&mut parameters)?;
    let serial = random::<16>()?;
    parameters.serial_number = Some(SerialNumber::from_slice(&serial[..]));
    parameters.key_identifier_method = KeyIdMethod::Sha256;
    Ok(parameters)
}
