//! Authorities and certificates for tests.

use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DnType,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyIdMethod, KeyPair, KeyUsagePurpose,
    RevokedCertParams, SanType, SerialNumber, SignatureAlgorithm, date_time_ymd,
};
use tempfile::TempDir;
use varbind::transport::certificate::{
    CertificateDer, CertificateIdentity, CertificateRevocationListDer, Fingerprint, HashAlgorithm,
    PrivateKeyDer, TrustAnchors,
};

fn generate(algorithm: &'static SignatureAlgorithm) -> KeyPair {
    if algorithm != &rcgen::PKCS_RSA_SHA256 {
        return KeyPair::generate_for(algorithm).unwrap();
    }
    let key = openssl::rsa::Rsa::generate(2048).unwrap();
    let key = openssl::pkey::PKey::from_rsa(key).unwrap();
    KeyPair::try_from(key.private_key_to_pkcs8().unwrap()).unwrap()
}

/// Someone who signs certificates.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub(crate) certificate: CertificateDer<'static>,
    pub(crate) pem: String,
}

/// A certificate and its key.
pub(crate) struct Issued {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) pem: String,
    key: KeyPair,
}

/// What a certificate is to say.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) common_name: String,
    pub(crate) names: Vec<SanType>,
    /// The years of its validity.
    pub(crate) years: (i32, i32),
    pub(crate) algorithm: &'static SignatureAlgorithm,
    pub(crate) usages: Vec<ExtendedKeyUsagePurpose>,
}

impl Wanted {
    pub(crate) fn new(common_name: &str) -> Self {
        Self {
            common_name: common_name.to_owned(),
            names: Vec::new(),
            years: (2020, 2090),
            algorithm: &rcgen::PKCS_ECDSA_P256_SHA256,
            usages: vec![
                ExtendedKeyUsagePurpose::ClientAuth,
                ExtendedKeyUsagePurpose::ServerAuth,
            ],
        }
    }

    /// A server on loopback.
    pub(crate) fn server() -> Self {
        Self {
            names: vec![
                SanType::DnsName("localhost".try_into().unwrap()),
                SanType::IpAddress("127.0.0.1".parse().unwrap()),
                SanType::IpAddress("::1".parse().unwrap()),
            ],
            ..Self::new("agent")
        }
    }

    /// A client whose first name is this.
    pub(crate) fn client(name: &str) -> Self {
        Self {
            names: vec![SanType::DnsName(name.try_into().unwrap())],
            ..Self::new("manager")
        }
    }

    pub(crate) fn years(self, from: i32, to: i32) -> Self {
        Self {
            years: (from, to),
            ..self
        }
    }

    pub(crate) fn algorithm(self, algorithm: &'static SignatureAlgorithm) -> Self {
        Self { algorithm, ..self }
    }

    fn parameters(&self) -> CertificateParams {
        let mut parameters = CertificateParams::default();
        parameters
            .distinguished_name
            .push(DnType::CommonName, self.common_name.as_str());
        parameters.subject_alt_names.clone_from(&self.names);
        parameters.not_before = date_time_ymd(self.years.0, 1, 1);
        parameters.not_after = date_time_ymd(self.years.1, 1, 1);
        parameters.extended_key_usages.clone_from(&self.usages);
        parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        parameters
    }

    /// Signed by itself.
    pub(crate) fn self_signed(&self) -> Issued {
        let key = generate(self.algorithm);
        let certificate = self.parameters().self_signed(&key).unwrap();
        Issued::new(certificate.der().clone(), certificate.pem(), key)
    }
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        Self::with_algorithm(name, &rcgen::PKCS_ECDSA_P256_SHA256)
    }

    pub(crate) fn with_algorithm(name: &str, algorithm: &'static SignatureAlgorithm) -> Self {
        let (parameters, key) = Self::parameters(name, algorithm);
        let certificate = parameters.self_signed(&key).unwrap();
        Self {
            certificate: certificate.der().clone(),
            pem: certificate.pem(),
            issuer: Issuer::new(parameters, key),
        }
    }

    /// One that this one has signed.
    pub(crate) fn intermediate(&self, name: &str) -> Self {
        let (parameters, key) = Self::parameters(name, &rcgen::PKCS_ECDSA_P256_SHA256);
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        Self {
            certificate: certificate.der().clone(),
            pem: certificate.pem(),
            issuer: Issuer::new(parameters, key),
        }
    }

    fn parameters(
        name: &str,
        algorithm: &'static SignatureAlgorithm,
    ) -> (CertificateParams, KeyPair) {
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.distinguished_name.push(DnType::CommonName, name);
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        parameters.not_before = date_time_ymd(2020, 1, 1);
        parameters.not_after = date_time_ymd(2095, 1, 1);
        (parameters, generate(algorithm))
    }

    pub(crate) fn issue(&self, wanted: &Wanted) -> Issued {
        let key = generate(wanted.algorithm);
        let certificate = wanted.parameters().signed_by(&key, &self.issuer).unwrap();
        Issued::new(certificate.der().clone(), certificate.pem(), key)
    }

    /// The list of these certificates that it has revoked; the next one is due at the beginning of that year.
    pub(crate) fn revokes(
        &self,
        revoked: &[&CertificateDer<'_>],
        due: i32,
    ) -> CertificateRevocationListDer<'static> {
        let entry = |certificate: &&CertificateDer<'_>| {
            let (_, parsed) = x509_parser::parse_x509_certificate(certificate).unwrap();
            RevokedCertParams {
                serial_number: SerialNumber::from_slice(parsed.raw_serial()),
                revocation_time: date_time_ymd(2025, 2, 3),
                reason_code: Some(rcgen::RevocationReason::KeyCompromise),
                invalidity_date: None,
            }
        };
        let list = CertificateRevocationListParams {
            this_update: date_time_ymd(2020, 1, 1),
            next_update: date_time_ymd(due, 1, 1),
            crl_number: SerialNumber::from(1),
            issuing_distribution_point: None,
            revoked_certs: revoked.iter().map(entry).collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        list.signed_by(&self.issuer).unwrap().into()
    }

    pub(crate) fn trust(&self) -> TrustAnchors {
        TrustAnchors::new(vec![self.certificate.clone()]).unwrap()
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.certificate, HashAlgorithm::Sha256)
    }
}

impl Issued {
    fn new(certificate: CertificateDer<'static>, pem: String, key: KeyPair) -> Self {
        Self {
            chain: vec![certificate],
            pem,
            key,
        }
    }

    /// With the certificate of whoever has signed it.
    pub(crate) fn with(mut self, authority: &Authority) -> Self {
        self.chain.push(authority.certificate.clone());
        self.pem.push_str(&authority.pem);
        self
    }

    pub(crate) fn identity(&self) -> CertificateIdentity {
        let key = PrivateKeyDer::try_from(self.key.serialize_der()).unwrap();
        CertificateIdentity::new(self.chain.clone(), key).unwrap()
    }

    /// The key in PKCS #8, in the version that OpenSSL reads: without the public key (RFC 5208).
    pub(crate) fn key_der(&self) -> Vec<u8> {
        const ED25519: [u8; 16] = [
            0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20,
        ];
        let key = self.key.serialize_der();
        if self.key.is_compatible(&rcgen::PKCS_ED25519) {
            return [&ED25519[..], &key[16..48]].concat();
        }
        key
    }

    #[cfg(feature = "openssl-tls")]
    pub(crate) fn key_pem(&self) -> String {
        self.key.serialize_pem()
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.chain[0], HashAlgorithm::Sha256)
    }
}

/// Files for programs that take them.
pub(crate) struct Files(TempDir);

impl Files {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}
