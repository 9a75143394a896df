use std::sync::Arc;
use std::time::Duration;

use varbind::transport::certificate::{
    CertificateMap, CertificateMapRow, ClientAuthentication, Mapping, OverdueLists, PeerIdentity,
    RevocationLists, ServerAuthentication, TlsClient, TlsServer, TrustAnchors,
};
use varbind_testkit::certificates::{Authority, CertificateTemplate, Files};
use varbind_testkit::web::{LIMITED, READER, Served, program};
use varbind_web::client::{Endpoint, WebClient, WebClientOptions};
use varbind_web::{Limits, Listen};

const CONTACT: &str = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysContact";

/// An authority, and what it has signed, in files.
pub(crate) struct SignedFiles {
    authority: Authority,
    files: Files,
}

impl SignedFiles {
    pub(crate) fn new() -> Self {
        let authority = Authority::new("authority");
        let files = Files::with_certificates(&authority, &[]);
        Self { authority, files }
    }

    pub(crate) fn trust(&self) -> TrustAnchors {
        self.authority.trust()
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.files.path(name).display().to_string()
    }

    fn server(&self) -> TlsServer {
        let issued = self.authority.issue(&CertificateTemplate::server());
        let row = CertificateMapRow {
            id: 10,
            fingerprint: self.authority.fingerprint(),
            mapping: Mapping::AnyAlternativeName,
        };
        let map = CertificateMap::new(vec![row]);
        TlsServer::new(
            issued.identity(),
            ClientAuthentication::new(self.trust(), map),
        )
    }

    pub(crate) fn served(&self) -> Served {
        let listen = Listen::Https(([127, 0, 0, 1], 0).into(), Box::new(self.server()));
        Served::with(listen, Limits::default())
    }

    /// Signs a certificate for a name, into `NAME.pem` and `NAME.key`.
    pub(crate) fn client(&self, name: &str) {
        let issued = self.authority.issue(&CertificateTemplate::client(name));
        self.files.write(&format!("{name}.pem"), &issued.pem);
        self.files.write_key(&format!("{name}.key"), &issued);
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
    let authority = SignedFiles::new();
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
    let authority = SignedFiles::new();
    let served = authority.served();
    let Some((succeeded, _)) = authority.curl(&served, None, &["-u", "x:reader"], CONTACT) else {
        return;
    };
    assert!(!succeeded);
    let other = SignedFiles::new();
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
    let authority = SignedFiles::new();
    let served = authority.served();
    let other = SignedFiles::new();
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
    let own = branch.issue(&CertificateTemplate::server()).with(branch);
    let reader = branch
        .issue(&CertificateTemplate::client(READER))
        .with(branch);
    let row = CertificateMapRow {
        id: 1,
        fingerprint: reader.fingerprint(),
        mapping: Mapping::AnyAlternativeName,
    };
    let trust = TrustAnchors::default().with_revocation_lists(server_lists);
    let clients = ClientAuthentication::new(trust, CertificateMap::new(vec![row]));
    let known = ServerAuthentication {
        trust: TrustAnchors::default().with_revocation_lists(client_lists),
        identity: PeerIdentity::Fingerprint(own.fingerprint()),
    };
    let listen = Listen::Https(
        ([127, 0, 0, 1], 0).into(),
        Box::new(TlsServer::new(own.identity(), clients)),
    );
    let served = Served::with(listen, Limits::default());
    let options = WebClientOptions {
        tls: Some(Arc::new(TlsClient::new(reader.identity(), known))),
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
    let root = Authority::new("root");
    let branch = root.intermediate("branch");
    let list = root.revokes(&[&branch.certificate], 2080);
    let revoked = RevocationLists::new(&[list], OverdueLists::Refuse).unwrap();
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
