//! TLS and DTLS: sessions, reloads and targets of notifications.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use varbind::clock::Clock;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::Oid;
use varbind::engine::applications::command_generator::{MessageProcessing, V3Parameters};
use varbind::engine::applications::notification_receiver::ReceiverConfiguration;
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::tsm::TransportSecurityModel;
use varbind::engine::security::usm::LocalEngine;
use varbind::manager::{Manager, ManagerOptions};
use varbind::notification::{NotificationReceiver, ReceiverLimits};
use varbind::transport::OpenError;
use varbind::transport::certificate::{
    CertificateIdentity, CertificateMap, CertificateMapRow, ClientAuthentication, Fingerprint,
    HashAlgorithm, Mapping, PeerIdentity, ServerAuthentication, TlsClient, TlsServer, TrustAnchors,
};
use varbind_pki::{
    Authority, Directory, IfExists, KeyType, RevocationReason, Subject, Validity, create_directory,
};
use varbind_testkit::peers::eventually;

use crate::notifications::{COLD_START, PATIENCE};
use crate::process::Home;

const MAP: &str = "[[tls.map]]\ncertificate = \"pki/ca.pem\"\nto = \"common-name\"\n";
const USER: &str = "[[transport-user]]\nname = \"ops\"\n";
const SYS_SERVICES: &str = "1.3.6.1.2.1.1.7.0";

/// Certificates in the directory beside a configuration.
struct Certificates {
    directory: Directory,
    authority: Authority,
}

impl Certificates {
    fn new(home: &Home) -> Self {
        let directory = Directory::new(home.configuration().with_file_name("pki"));
        create_directory(directory.path()).unwrap();
        let validity = Validity::days(30);
        let identity = Authority::create_identity("test", KeyType::default(), validity).unwrap();
        let files = directory.authority();
        files.write(&identity, IfExists::Fail).unwrap();
        let made = Self {
            authority: Authority::open(&files).unwrap(),
            directory,
        };
        let manager = made.issue(&Subject::manager("ops").unwrap());
        let files = made.directory.manager();
        files.write(&manager, IfExists::Fail).unwrap();
        made.issue_agent();
        made
    }

    fn issue(&self, subject: &Subject) -> varbind_pki::Identity {
        let (key_type, validity) = (KeyType::default(), Validity::days(10));
        self.authority.issue(subject, key_type, validity).unwrap()
    }

    /// Gives the agent another certificate.
    fn issue_agent(&self) -> Fingerprint {
        let hosts = ["127.0.0.1".to_owned(), "agent.example".to_owned()];
        let identity = self.issue(&Subject::agent(&hosts).unwrap());
        let files = self.directory.agent();
        files.write(&identity, IfExists::Overwrite).unwrap();
        Fingerprint::of(identity.certificate(), HashAlgorithm::Sha256)
    }

    fn trust(&self) -> TrustAnchors {
        TrustAnchors::load(&self.directory.authority().certificate).unwrap()
    }

    fn manager(&self, target: &str, agent: &Fingerprint) -> Result<Manager, OpenError> {
        let files = self.directory.manager();
        let identity = CertificateIdentity::load(&files.certificate, &files.key).unwrap();
        let server = ServerAuthentication {
            trust: TrustAnchors::default(),
            identity: PeerIdentity::Fingerprint(agent.clone()),
        };
        let mut options = ManagerOptions::v2c("");
        options.processing = MessageProcessing::V3(Box::new(V3Parameters::transport()));
        options.secure.tls = Some(Arc::new(TlsClient::new(identity, server)));
        Manager::open(&target.parse().unwrap(), options)
    }
}

fn ask(manager: &mut Manager) -> ErrorStatus {
    let name: Oid = SYS_SERVICES.parse().unwrap();
    manager.get(&[name]).unwrap().error_status
}

#[test]
fn sessions_outlive_new_certificates_but_not_their_access_and_their_name() {
    let listen = "listen = [\"tls:127.0.0.1:0\", \"dtls:127.0.0.1:0\"]\n";
    let home = Home::new(&format!("{listen}{MAP}{USER}"));
    let certificates = Certificates::new(&home);
    let first = certificates.issue_agent();
    let agent = home.start(2);
    let mut sessions: Vec<_> = agent
        .addresses
        .iter()
        .map(|address| certificates.manager(address, &first).unwrap())
        .collect();
    for session in &mut sessions {
        assert_eq!(ask(session), ErrorStatus::NoError);
    }
    // A certificate without its key changes nothing.
    let key = certificates.directory.agent().key;
    let former = std::fs::read(&key).unwrap();
    let second = certificates.issue_agent();
    let matching = std::fs::read(&key).unwrap();
    std::fs::write(&key, former).unwrap();
    agent.signal("-HUP");
    agent.await_log("the old configuration stays in force");
    for address in &agent.addresses {
        assert!(certificates.manager(address, &second).is_err(), "{address}");
        certificates.manager(address, &first).unwrap();
    }
    std::fs::write(&key, matching).unwrap();
    agent.signal("-HUP");
    for address in &agent.addresses {
        eventually("the new certificate is not shown", || {
            certificates.manager(address, &second).is_ok()
        });
        assert!(certificates.manager(address, &first).is_err(), "{address}");
    }
    // They could not be opened again: the certificate is another one.
    for session in &mut sessions {
        assert_eq!(ask(session), ErrorStatus::NoError);
    }
    // Access is looked up for each message.
    home.configure(&format!("{listen}{MAP}"));
    agent.signal("-HUP");
    for session in &mut sessions {
        eventually("access stays", || {
            ask(session) == ErrorStatus::AuthorizationError
        });
    }
    // Without a rule nobody has a name, and who had one loses the session.
    home.configure(&format!("{listen}{USER}"));
    agent.signal("-HUP");
    let name: Oid = SYS_SERVICES.parse().unwrap();
    for address in &agent.addresses {
        eventually("without a rule there are sessions", || {
            let opened = certificates.manager(address, &second);
            !opened.is_ok_and(|mut manager| manager.get(std::slice::from_ref(&name)).is_ok())
        });
    }
    for session in &mut sessions {
        assert!(session.get(std::slice::from_ref(&name)).is_err());
    }
}

#[test]
fn a_manager_is_refused_once_its_revocation_was_read() {
    let listen = "listen = [\"tls:127.0.0.1:0\", \"dtls:127.0.0.1:0\"]\n";
    let home = Home::new(&format!("{listen}{MAP}{USER}"));
    let certificates = Certificates::new(&home);
    let own = certificates.issue_agent();
    let agent = home.start(2);
    let is_served = |address: &String| {
        let opened = certificates.manager(address, &own);
        let name: Oid = SYS_SERVICES.parse().unwrap();
        opened.is_ok_and(|mut manager| manager.get(&[name]).is_ok())
    };
    assert!(agent.addresses.iter().all(is_served));
    // A list that cannot be read changes nothing.
    let list = certificates.directory.revocation_list();
    std::fs::write(&list, "nothing").unwrap();
    agent.signal("-HUP");
    agent.await_log("the old configuration stays in force");
    assert!(agent.addresses.iter().all(is_served));
    let manager = certificates.directory.manager().certificate;
    let manager = varbind_pki::read_certificates(&manager).unwrap();
    let reason = RevocationReason::KeyCompromise;
    let revoked = certificates.authority.revoke(None, &manager, reason, None);
    revoked.unwrap().write(&list).unwrap();
    assert!(agent.addresses.iter().all(is_served));
    agent.signal("-HUP");
    for address in &agent.addresses {
        eventually("the revoked manager is served", || !is_served(address));
    }
    drop(agent);
    // Another file that must exist.
    std::fs::remove_file(&list).unwrap();
    let lists = "[tls]\nrevocation-lists = [\"other.pem\"]\n";
    home.configure(&format!("{listen}{lists}{MAP}{USER}"));
    let errors = String::from_utf8(home.fail().stderr).unwrap();
    assert!(errors.contains("other.pem"), "{errors}");
}

fn receiver(
    certificates: &Certificates,
) -> (
    NotificationReceiver,
    varbind::notification::Notifications,
    Vec<String>,
) {
    let engine_id = EngineId::new(b"\x80\0\0\0\x04receiver").unwrap();
    let engine = LocalEngine::new(engine_id, 1, Clock::start().now(), 1);
    let configuration = ReceiverConfiguration {
        engine: Some(Arc::new(engine)),
        transport_security_model: Some(TransportSecurityModel::default()),
        ..ReceiverConfiguration::default()
    };
    let (receiver, notifications) =
        NotificationReceiver::start(configuration, ReceiverLimits::default(), Clock::start());
    let files = certificates.directory.manager();
    let identity = CertificateIdentity::load(&files.certificate, &files.key).unwrap();
    let row = CertificateMapRow {
        id: 1,
        fingerprint: Fingerprint::of(certificates.authority.certificate(), HashAlgorithm::Sha384),
        mapping: Mapping::DnsName,
    };
    let clients = ClientAuthentication::new(certificates.trust(), CertificateMap::new(vec![row]));
    let server = TlsServer::new(identity, clients);
    let any = "127.0.0.1:0".parse().unwrap();
    let tls = receiver.listen_tls(&server, any).unwrap();
    let dtls = receiver.listen_dtls(&server, any).unwrap();
    let targets = vec![format!("tls:{tls}"), format!("dtls:{dtls}")];
    (receiver, notifications, targets)
}

#[test]
fn notifications_go_to_targets_by_their_certificates() {
    let home = Home::new("");
    let certificates = Certificates::new(&home);
    certificates.issue_agent();
    let (_receiver, notifications, targets) = receiver(&certificates);
    // Its certificate is that of the manager ops, which has no other name.
    let target = |address: &str, name: &str| {
        format!("[[notification-target]]\naddress = \"{address}\"\nkind = \"inform\"\n{name}\n")
    };
    // Nor are they to be told that the third one has another certificate (RFC 6353, snmpTlstmNotifications).
    let named = "peer-name = \"ops\"\nexclude = [\"1.3.6.1.2.1.198.0\"]";
    home.configure(&format!(
        "listen = []\ncommunity = []\n{}{}{}",
        target(&targets[0], named),
        target(&targets[1], named),
        target(&targets[0], "peer-name = \"somebody else\""),
    ));
    let agent = home.start(0);
    for _ in 0..2 {
        let arrived = notifications.next_within(PATIENCE).unwrap().unwrap();
        let received = arrived.deliver();
        assert_eq!(received.notification.trap_oid.to_string(), COLD_START);
        assert_eq!(received.security_name.as_str(), "agent.example");
    }
    let more = notifications
        .next_within(Duration::from_millis(300))
        .unwrap();
    assert!(
        more.is_none(),
        "a target that is not the one meant is told nothing"
    );
    drop(agent);
}

#[test]
fn missing_files_are_named_at_the_start() {
    let home = Home::new(&format!("listen = [\"tls:127.0.0.1:0\"]\n{MAP}{USER}"));
    let errors = |home: &Home| String::from_utf8(home.fail().stderr).unwrap();
    assert!(errors(&home).contains("pki/agent.pem"), "{}", errors(&home));
    let certificates = Certificates::new(&home);
    std::fs::remove_file(certificates.directory.authority().certificate).unwrap();
    assert!(errors(&home).contains("pki/ca.pem"), "{}", errors(&home));
    home.configure("listen = [\"ssh:127.0.0.1:0\"]\n[ssh]\nhost-keys = [\"nothing\"]\n");
    let missing = errors(&home);
    assert!(
        missing.contains("the SSH host key") && missing.contains("nothing"),
        "{missing}"
    );
    assert!(!Path::new("nothing").exists());
}
