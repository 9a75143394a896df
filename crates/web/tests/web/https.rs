use std::path::PathBuf;

use std::sync::Arc;
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, DnType,
    IsCa, KeyIdMethod, KeyPair, RevokedCertParams, SanType, SerialNumber, date_time_ymd,
};
use tempfile::TempDir;
use varbind::transport::certificate::{
    CertificateDer, CertificateIdentity, CertificateMap, CertificateMapRow, ClientAuthentication,
    Fingerprint, HashAlgorithm, Mapping, OverdueLists, PeerIdentity, RevocationLists,
    ServerAuthentication, TlsClient, TlsServer, TrustAnchors,
};
use varbind_testkit::web::{LIMITED, READER, Served, program};
use varbind_web::client::{Endpoint, WebClient, WebClientOptions};
use varbind_web::{Limits, Listen};

/// The serial number of an authority below another.
const BRANCH: u64 = 7;
const CONTACT: &str = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysContact";

/// An authority, and what it has signed, in files.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    directory: TempDir,
}

fn authority_parameters(name: &str) -> CertificateParams {
    let mut parameters = CertificateParams::default();
    parameters.distinguished_name.push(DnType::CommonName, name);
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters
}

impl Authority {
    pub(crate) fn new() -> Self {
        let parameters = authority_parameters("authority");
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

    /// An authority below this one.
    fn branch(&self) -> Self {
        let mut parameters = authority_parameters("branch");
        parameters.serial_number = Some(SerialNumber::from(BRANCH));
        let key = KeyPair::generate().unwrap();
        let issuer = CertifiedIssuer::signed_by(parameters, key, &self.issuer).unwrap();
        let directory = TempDir::new().unwrap();
        std::fs::write(directory.path().join("ca.pem"), self.issuer.pem()).unwrap();
        Self { issuer, directory }
    }

    /// A list that revokes the authority below this one.
    fn revokes_branch(&self) -> RevocationLists {
        let list = CertificateRevocationListParams {
            this_update: date_time_ymd(2020, 1, 1),
            next_update: date_time_ymd(2080, 1, 1),
            crl_number: SerialNumber::from(1),
            issuing_distribution_point: None,
            revoked_certs: vec![RevokedCertParams {
                serial_number: SerialNumber::from(BRANCH),
                revocation_time: date_time_ymd(2025, 2, 3),
                reason_code: None,
                invalidity_date: None,
            }],
            key_identifier_method: KeyIdMethod::Sha256,
        };
        let list = list.signed_by(&self.issuer).unwrap().into();
        RevocationLists::new(&[list], OverdueLists::Refuse).unwrap()
    }

    /// The certificate of that name, and behind it this authority's.
    fn identity(&self, name: &str, alternative: SanType) -> CertificateIdentity {
        let (certificate, key) = self.issue(name, alternative);
        let chain = std::fs::read_to_string(&certificate).unwrap() + &self.issuer.pem();
        std::fs::write(&certificate, chain).unwrap();
        CertificateIdentity::load(&certificate, &key).unwrap()
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
fn clients_without_a_trusted_certificate_are_refused() {
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

/// Of a server and a client, both below an authority, which one side takes for revoked although it expects the other's
/// fingerprint: whether the server was reached, and its certificate and the client's were accepted.
fn is_served(
    server_lists: RevocationLists,
    client_lists: RevocationLists,
    branch: &Authority,
) -> Result<(), String> {
    let own = branch.identity("agent", SanType::IpAddress([127, 0, 0, 1].into()));
    let reader = branch.identity(READER, SanType::DnsName(READER.try_into().unwrap()));
    let row = CertificateMapRow {
        id: 1,
        fingerprint: reader.description().fingerprint.clone(),
        mapping: Mapping::AnyAlternativeName,
    };
    let trust = TrustAnchors::default().with_revocation_lists(server_lists);
    let clients = ClientAuthentication::new(trust, CertificateMap::new(vec![row]));
    let known = ServerAuthentication {
        trust: TrustAnchors::default().with_revocation_lists(client_lists),
        identity: PeerIdentity::Fingerprint(own.description().fingerprint.clone()),
    };
    let listen = Listen::Https(
        ([127, 0, 0, 1], 0).into(),
        Box::new(TlsServer::new(own, clients)),
    );
    let served = Served::with(listen, Limits::default());
    let options = WebClientOptions {
        tls: Some(Arc::new(TlsClient::new(reader, known))),
        timeout: Duration::from_secs(60),
        ..WebClientOptions::default()
    };
    let endpoint: Endpoint = served.address.to_string().parse().unwrap();
    let mut client = WebClient::open(&endpoint, options).map_err(|error| error.to_string())?;
    let request = crate::client::get(&client, CONTACT);
    let response = client.send(&request).map_err(|error| error.to_string())?;
    assert_eq!(response.status.as_u16(), 200);
    Ok(())
}

#[test]
fn pinned_certificates_of_a_revoked_authority_are_refused_on_both_sides() {
    let root = Authority::new();
    let branch = root.branch();
    let revoked = root.revokes_branch();
    assert_eq!(
        is_served(
            RevocationLists::default(),
            RevocationLists::default(),
            &branch
        ),
        Ok(())
    );
    let error = is_served(revoked.clone(), RevocationLists::default(), &branch).unwrap_err();
    assert!(error.contains("certificate_revoked"), "{error}");
    let error = is_served(RevocationLists::default(), revoked, &branch).unwrap_err();
    assert!(error.contains("\"CN=branch\" was revoked"), "{error}");
}
