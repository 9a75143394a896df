//! Authorities, certificates, and files with them for other programs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DnType,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyIdMethod, KeyPair, KeyUsagePurpose,
    RevokedCertParams, SanType, SerialNumber, SignatureAlgorithm, date_time_ymd,
};
use tempfile::TempDir;
use varbind::transport::certificate::{
    CertificateDer, CertificateIdentity, CertificateMap, CertificateMapRow,
    CertificateRevocationListDer, ClientAuthentication, Fingerprint, HashAlgorithm, Mapping,
    PeerIdentity, PrivateKeyDer, ServerAuthentication, TlsClient, TlsServer, TrustAnchors,
};

/// Keys of RSA.
pub const RSA: &SignatureAlgorithm = &rcgen::PKCS_RSA_SHA256;
/// Keys of ECDSA, where nothing else is said.
pub const ECDSA: &SignatureAlgorithm = &rcgen::PKCS_ECDSA_P256_SHA256;

fn generate(algorithm: &'static SignatureAlgorithm) -> KeyPair {
    if algorithm != RSA {
        return KeyPair::generate_for(algorithm).unwrap();
    }
    let key = openssl::rsa::Rsa::generate(2048).unwrap();
    let key = openssl::pkey::PKey::from_rsa(key).unwrap();
    KeyPair::try_from(key.private_key_to_pkcs8().unwrap()).unwrap()
}

/// A certification authority.
pub struct Authority {
    algorithm: &'static SignatureAlgorithm,
    issuer: Issuer<'static, KeyPair>,
    /// Its certificate.
    pub certificate: CertificateDer<'static>,
    /// Its certificate in PEM.
    pub pem: String,
}

/// A certificate and its key.
pub struct Issued {
    /// The certificate, and those behind it.
    pub chain: Vec<CertificateDer<'static>>,
    /// The chain in PEM.
    pub pem: String,
    key: KeyPair,
}

/// The contents of a certificate.
#[derive(Clone)]
pub struct CertificateTemplate {
    /// CommonName.
    pub common_name: String,
    /// subjectAltName.
    pub names: Vec<SanType>,
    /// The years of its validity.
    pub years: (i32, i32),
    /// The algorithm of its key.
    pub algorithm: &'static SignatureAlgorithm,
    /// extendedKeyUsage.
    pub usages: Vec<ExtendedKeyUsagePurpose>,
}

impl CertificateTemplate {
    /// With this CommonName, for both ends of a session.
    pub fn new(common_name: &str) -> Self {
        Self {
            common_name: common_name.to_owned(),
            names: Vec::new(),
            years: (2020, 2090),
            algorithm: ECDSA,
            usages: vec![
                ExtendedKeyUsagePurpose::ClientAuth,
                ExtendedKeyUsagePurpose::ServerAuth,
            ],
        }
    }

    /// A host on loopback, for both ends of a session, `NAME.example` in the DNS.
    pub fn host(common_name: &str) -> Self {
        let name = format!("{common_name}.example");
        Self::on_loopback(common_name, &name)
    }

    fn on_loopback(common_name: &str, name: &str) -> Self {
        Self {
            names: vec![
                SanType::DnsName(name.try_into().unwrap()),
                SanType::IpAddress("127.0.0.1".parse().unwrap()),
                SanType::IpAddress("::1".parse().unwrap()),
            ],
            ..Self::new(common_name)
        }
    }

    /// A server on loopback.
    pub fn server() -> Self {
        Self::on_loopback("agent", "localhost")
    }

    /// A client with this name in the DNS.
    pub fn client(name: &str) -> Self {
        Self {
            names: vec![SanType::DnsName(name.try_into().unwrap())],
            ..Self::new("manager")
        }
    }

    /// Valid from the beginning of a year to the beginning of another.
    pub fn years(self, from: i32, to: i32) -> Self {
        Self {
            years: (from, to),
            ..self
        }
    }

    /// With a key of this algorithm.
    pub fn algorithm(self, algorithm: &'static SignatureAlgorithm) -> Self {
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

    /// A certificate that is signed by its own key.
    pub fn self_signed(&self) -> Issued {
        let key = generate(self.algorithm);
        let certificate = self.parameters().self_signed(&key).unwrap();
        Issued::new(certificate.der().clone(), certificate.pem(), key)
    }
}

impl Authority {
    /// An authority with a key of ECDSA.
    pub fn new(name: &str) -> Self {
        Self::with_algorithm(name, ECDSA)
    }

    /// An authority with a key of this algorithm.
    pub fn with_algorithm(name: &str, algorithm: &'static SignatureAlgorithm) -> Self {
        let (parameters, key) = Self::parameters(name, algorithm);
        let certificate = parameters.self_signed(&key).unwrap();
        Self {
            algorithm,
            certificate: certificate.der().clone(),
            pem: certificate.pem(),
            issuer: Issuer::new(parameters, key),
        }
    }

    /// An authority below this one.
    pub fn intermediate(&self, name: &str) -> Self {
        let algorithm = self.algorithm;
        let (parameters, key) = Self::parameters(name, algorithm);
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        Self {
            algorithm,
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

    /// Signs a certificate.
    pub fn issue(&self, template: &CertificateTemplate) -> Issued {
        let key = generate(template.algorithm);
        let certificate = template.parameters().signed_by(&key, &self.issuer).unwrap();
        Issued::new(certificate.der().clone(), certificate.pem(), key)
    }

    /// Signs a certificate for a host on loopback with this CommonName, and a key like the authority's.
    pub fn issue_host(&self, common_name: &str) -> Issued {
        let template =
            CertificateTemplate::on_loopback(common_name, &format!("{common_name}.example"));
        self.issue(&template.algorithm(self.algorithm))
    }

    /// The list of these certificates that it has revoked; the next one is due at the beginning of that year.
    pub fn revokes(
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

    /// The trust in it.
    pub fn trust(&self) -> TrustAnchors {
        TrustAnchors::new(vec![self.certificate.clone()]).unwrap()
    }

    /// The fingerprint of its certificate, with SHA-256.
    pub fn fingerprint(&self) -> Fingerprint {
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

    /// With the certificate of the authority that has signed it.
    pub fn with(mut self, authority: &Authority) -> Self {
        self.chain.push(authority.certificate.clone());
        self.pem.push_str(&authority.pem);
        self
    }

    /// The certificate with its key.
    pub fn identity(&self) -> CertificateIdentity {
        let key = PrivateKeyDer::try_from(self.key.serialize_der()).unwrap();
        CertificateIdentity::new(self.chain.clone(), key).unwrap()
    }

    /// The key in PKCS #8, in the version that OpenSSL reads: without the public key (RFC 5208).
    pub fn key_der(&self) -> Vec<u8> {
        const ED25519: [u8; 16] = [
            0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20,
        ];
        let key = self.key.serialize_der();
        if self.key.is_compatible(&rcgen::PKCS_ED25519) {
            return [&ED25519[..], &key[16..48]].concat();
        }
        key
    }

    /// The key in PEM.
    pub fn key_pem(&self) -> String {
        self.key.serialize_pem()
    }

    /// The fingerprint of its certificate, with SHA-256.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.chain[0], HashAlgorithm::Sha256)
    }
}

/// Both ends of TLS or DTLS, each of which knows the other by the fingerprint of its certificate.
pub fn pinned_pair() -> (TlsServer, TlsClient) {
    let agent = CertificateTemplate::new("agent").self_signed();
    let manager = CertificateTemplate::new("manager").self_signed();
    let map = CertificateMap::new(vec![CertificateMapRow {
        id: 1,
        fingerprint: manager.fingerprint(),
        mapping: Mapping::Specified("manager".to_owned()),
    }]);
    let clients = ClientAuthentication::new(TrustAnchors::default(), map);
    let authentication = ServerAuthentication {
        identity: PeerIdentity::Fingerprint(agent.fingerprint()),
        ..ServerAuthentication::default()
    };
    (
        TlsServer::new(agent.identity(), clients),
        TlsClient::new(manager.identity(), authentication),
    )
}

/// A directory of files for other programs.
pub struct Files(TempDir);

impl Files {
    /// An empty directory.
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With `ca.pem`, and `NAME.pem` and `NAME.key` for each certificate.
    pub fn with_certificates(authority: &Authority, certificates: &[(&str, &Issued)]) -> Self {
        let files = Self::new();
        files.write("ca.pem", &authority.pem);
        for (name, issued) in certificates {
            files.write(&format!("{name}.pem"), &issued.pem);
            files.write_key(&format!("{name}.key"), issued);
        }
        files
    }

    /// A directory of settings in which Net-SNMP finds certificates by the names of their files: `authority`, its own with
    /// the key, and the peer's.
    pub fn for_net_snmp(
        authority: &Authority,
        (own_name, own): (&str, &Issued),
        (peer_name, peer): (&str, &Issued),
    ) -> Self {
        let files = Self::new();
        files.write("tls/ca-certs/authority.crt", &authority.pem);
        files.write(&format!("tls/certs/{own_name}.crt"), &own.pem);
        files.write_key(&format!("tls/private/{own_name}.key"), own);
        files.write(&format!("tls/certs/{peer_name}.crt"), &peer.pem);
        files
    }

    /// Writes a file, also into directories that do not exist yet.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes a key in PEM, readable for its owner alone: Net-SNMP refuses others.
    pub fn write_key(&self, name: &str, issued: &Issued) -> PathBuf {
        let path = self.write(name, issued.key_pem());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        path
    }

    /// The path of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        self.0.path()
    }
}
