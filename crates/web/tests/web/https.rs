use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, SanType};
use tempfile::TempDir;
use varbind::transport::certificate::{
    CertificateDer, CertificateIdentity, CertificateMap, CertificateMapRow, ClientAuthentication,
    Fingerprint, HashAlgorithm, Mapping, TlsServer, TrustAnchors,
};
use varbind_web::{Limits, Listen};

use crate::fixture::{LIMITED, READER, Served, program};

const CONTACT: &str = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysContact";

/// An authority, and what it has signed, in files.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    directory: TempDir,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut parameters = CertificateParams::default();
        parameters
            .distinguished_name
            .push(DnType::CommonName, "authority");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer =
            CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap();
        let directory = TempDir::new().unwrap();
        std::fs::write(directory.path().join("ca.pem"), issuer.pem()).unwrap();
        Self { issuer, directory }
    }

    pub(crate) fn der(&self) -> CertificateDer<'static> {
        self.issuer.der().clone()
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    /// Signs a certificate for a name, into `NAME.pem` and `NAME.key`.
    fn issue(&self, name: &str, alternative: SanType) -> (PathBuf, PathBuf) {
        let key = KeyPair::generate().unwrap();
        let mut parameters = CertificateParams::default();
        parameters.distinguished_name.push(DnType::CommonName, name);
        parameters.subject_alt_names = vec![alternative];
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        let paths = (
            self.path(&format!("{name}.pem")),
            self.path(&format!("{name}.key")),
        );
        std::fs::write(&paths.0, certificate.pem()).unwrap();
        std::fs::write(&paths.1, key.serialize_pem()).unwrap();
        (paths.0.into(), paths.1.into())
    }

    fn server(&self) -> TlsServer {
        let (certificate, key) = self.issue("agent", SanType::IpAddress([127, 0, 0, 1].into()));
        let identity = CertificateIdentity::load(&certificate, &key).unwrap();
        let row = CertificateMapRow {
            id: 10,
            fingerprint: Fingerprint::of(&self.der(), HashAlgorithm::Sha256),
            mapping: Mapping::AnyAlternativeName,
        };
        let trust = TrustAnchors::new(vec![self.der()]).unwrap();
        let map = CertificateMap::new(vec![row]);
        TlsServer::new(identity, ClientAuthentication::new(trust, map))
    }

    pub(crate) fn served(&self) -> Served {
        let listen = Listen::Https(([127, 0, 0, 1], 0).into(), Box::new(self.server()));
        Served::with(listen, Limits::default())
    }

    pub(crate) fn client(&self, name: &str) {
        self.issue(name, SanType::DnsName(name.try_into().unwrap()));
    }

    /// Asks with the certificate of that name, if it is one.
    fn curl(
        &self,
        served: &Served,
        name: Option<&str>,
        more: &[&str],
        path: &str,
    ) -> Option<(bool, String)> {
        let url = format!("https://{}{path}", served.address);
        let authority = self.path("ca.pem");
        let files = name.map(|name| {
            [
                self.path(&format!("{name}.pem")),
                self.path(&format!("{name}.key")),
            ]
        });
        let mut arguments = vec!["-sS", "--max-time", "60", "--cacert", &authority];
        if let Some([certificate, key]) = &files {
            arguments.extend(["--cert", certificate, "--key", key]);
        }
        arguments.extend(more);
        arguments.push(&url);
        program("curl", &arguments)
    }
}

#[test]
fn a_certificate_tells_who_asks() {
    let authority = Authority::new();
    let served = authority.served();
    for name in [READER, LIMITED, "stranger"] {
        authority.client(name);
    }
    let Some(read) = authority.curl(&served, Some(READER), &[], CONTACT) else {
        return;
    };
    assert_eq!(
        read,
        (true, "{\"SNMPv2-MIB:sysContact\":\"admin\"}".to_owned())
    );
    let number = "/restconf/data/IF-MIB:IF-MIB/interfaces/ifNumber";
    let status = |name: &str, more: &[&str], path: &str| {
        let status = ["-o", "/dev/null", "-w", "%{http_code}"];
        let answer = authority.curl(&served, Some(name), &[&status, more].concat(), path);
        answer.unwrap().1
    };
    assert_eq!(status(READER, &[], number), "200");
    assert_eq!(status(LIMITED, &[], number), "404");
    assert_eq!(status("stranger", &[], number), "403");
    // A community makes nobody more than the certificate says.
    assert_eq!(status(LIMITED, &["-u", "x:writer"], number), "404");
}

#[test]
fn whoever_has_no_certificate_that_is_trusted_is_not_served() {
    let authority = Authority::new();
    let served = authority.served();
    let Some((succeeded, _)) = authority.curl(&served, None, &["-u", "x:reader"], CONTACT) else {
        return;
    };
    assert!(!succeeded);
    let other = Authority::new();
    other.client(READER);
    std::fs::copy(authority.path("ca.pem"), other.path("ca.pem")).unwrap();
    let (succeeded, text) = other.curl(&served, Some(READER), &[], CONTACT).unwrap();
    assert!(!succeeded, "{text}");
    authority.client(READER);
    assert!(
        authority
            .curl(&served, Some(READER), &[], CONTACT)
            .unwrap()
            .0
    );
}

#[test]
fn certificates_are_replaced_while_it_runs() {
    let authority = Authority::new();
    let served = authority.served();
    let other = Authority::new();
    other.client(READER);
    if other.curl(&served, Some(READER), &[], CONTACT).is_none() {
        return;
    }
    served.web.replace_tls(&other.server()).unwrap();
    let (succeeded, text) = other.curl(&served, Some(READER), &[], CONTACT).unwrap();
    assert!(succeeded, "{text}");
}
