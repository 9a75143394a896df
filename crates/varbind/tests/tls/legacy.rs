//! TLS by OpenSSL: Net-SNMP, whose TLS is not a newer than 1.0, and suites without encryption.

use std::fs;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use varbind::agent::AgentLimits;
use varbind::manager::ManagerOptions;
use varbind::transport::certificate::{
    CertificateMap, ClientAuthentication, PeerIdentity, ServerAuthentication, TlsClient, TlsServer,
};
use varbind::transport::tls::TlsVersions;
use varbind_testkit::certificates::{Authority, CertificateTemplate, Files, Issued, RSA};
use varbind_testkit::loopback::{DESCRIPTION, PATIENCE, SYS_DESCR_0};
use varbind_testkit::oid;
use varbind_testkit::peers::{Running, free_port, is_installed};

use crate::agent::{TlsAgent, ask, by_alternative_name, described, open, tsm};

fn agent(versions: TlsVersions) -> TlsAgent {
    TlsAgent::with(AgentLimits::default(), |it| it.versions = versions)
}

#[test]
fn our_own_sides_speak_it() {
    let agent = agent(TlsVersions::Legacy);
    let client = || agent.client(&agent.reader());
    let legacy = client().with_versions(TlsVersions::Legacy);
    assert_eq!(ask(agent.address, legacy, tsm()), Ok(described()));
    // Nobody who speaks better TLS is kept from it.
    assert_eq!(ask(agent.address, client(), tsm()), Ok(described()));
    assert_eq!(agent.statistics.accepts.value(), 2);
}

#[test]
fn strangers_are_refused_as_ever() {
    let agent = agent(TlsVersions::Legacy);
    let stranger = Authority::new("strangers").issue(&CertificateTemplate::client("reader"));
    let client = agent.client(&stranger).with_versions(TlsVersions::Legacy);
    ask(agent.address, client, tsm()).unwrap_err();
    // OpenSSL sends the alert before it tells the agent, which counts then.
    let deadline = Instant::now() + PATIENCE;
    let refused = &agent.statistics.invalid_client_certificates;
    while refused.value() == 0 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(refused.value(), 1);
    let server = ServerAuthentication {
        trust: Authority::new("mine").trust(),
        identity: PeerIdentity::Target,
    };
    let client = TlsClient::new(agent.reader().identity(), server);
    let client = client.with_versions(TlsVersions::Legacy);
    let error = ask(agent.address, client, tsm()).unwrap_err();
    assert!(error.contains("CN=authority"), "{error}");
    assert_eq!(agent.statistics.accepts.value(), 0);
}

#[test]
fn an_open_session_ends_when_its_rule_is_removed_and_outlives_other_changes() {
    let agent = agent(TlsVersions::Legacy);
    let client = agent.client(&agent.reader());
    let client = Arc::new(client.with_versions(TlsVersions::Legacy));
    let mut manager = open(agent.address, &client, tsm()).unwrap();
    let mut ask = || manager.get(&[oid(SYS_DESCR_0)]);
    ask().unwrap();
    let replace = |clients| {
        let mut server = TlsServer::new(agent.issued.identity(), clients);
        server.versions = TlsVersions::Legacy;
        server.statistics = Arc::clone(&agent.statistics);
        let replaced = agent.agent.agent.replace_tls(&server, agent.address);
        replaced.unwrap();
    };
    replace(by_alternative_name(&agent.authority));
    ask().unwrap();
    assert_eq!(agent.statistics.accepts.value(), 1);
    replace(ClientAuthentication::new(
        agent.authority.trust(),
        CertificateMap::default(),
    ));
    ask().unwrap_err();
    assert_eq!(agent.statistics.accepts.value(), 1);
}

#[cfg(feature = "experiments")]
#[test]
fn without_encryption_there_is_authentication_alone() {
    let agent = agent(TlsVersions::UnsafeIntegrityOnly);
    let client = || {
        let client = agent.client(&agent.reader());
        client.with_versions(TlsVersions::UnsafeIntegrityOnly)
    };
    let by_community = ask(agent.address, client(), ManagerOptions::v2c("x"));
    // The test agent lets those read who come without any protection.
    assert_eq!(by_community, Ok(described()));
    // A message that asks for privacy is refused (RFC 5591 5.2 (4)).
    ask(agent.address, client(), tsm()).unwrap_err();
    let default = agent.client(&agent.reader());
    ask(agent.address, default, tsm()).unwrap_err();
}

#[cfg(feature = "experiments")]
#[test]
fn the_same_suites_are_to_be_had_with_encryption() {
    let agent = agent(TlsVersions::Legacy);
    let client = agent.client(&agent.reader());
    let client = client.with_versions(TlsVersions::LegacyAes128);
    assert_eq!(ask(agent.address, client, tsm()), Ok(described()));
}

#[cfg(feature = "experiments")]
#[test]
fn encryption_is_left_out_where_both_sides_ask_for_it_alone() {
    use TlsVersions::{All, Legacy, LegacyAes128, Only12, Only13, UnsafeIntegrityOnly};
    let encrypting = [All, Only12, Only13, Legacy, LegacyAes128];
    let pairs =
        encrypting.map(|other| [(other, UnsafeIntegrityOnly), (UnsafeIntegrityOnly, other)]);
    for (of_agent, of_manager) in pairs.into_iter().flatten() {
        let agent = agent(of_agent);
        let client = agent.client(&agent.reader()).with_versions(of_manager);
        let answer = ask(agent.address, client, ManagerOptions::v2c("x"));
        answer.expect_err(&format!("agent: {of_agent}, manager: {of_manager}"));
        assert_eq!(agent.statistics.accepts.value(), 0);
    }
}

fn settings(authority: &Authority, own: (&str, &Issued), peer: (&str, &Issued)) -> Files {
    let files = Files::for_net_snmp(authority, own, peer);
    // The system's configuration of OpenSSL forbids TLS 1.0.
    let configuration = "openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\nsystem_default = default\n\
                         [default]\nMinProtocol = TLSv1\nCipherString = DEFAULT:@SECLEVEL=0\n";
    files.write("openssl.cnf", configuration);
    files
}

fn net_snmp(program: &str, settings: &Files) -> Command {
    let mut command = Command::new(program);
    command
        .env("SNMPCONFPATH", settings.directory())
        .env("SNMP_PERSISTENT_DIR", settings.directory())
        .env("OPENSSL_CONF", settings.path("openssl.cnf"));
    command
}

fn issue(authority: &Authority) -> (Issued, Issued) {
    let algorithm = RSA;
    (
        authority.issue(&CertificateTemplate::server().algorithm(algorithm)),
        authority.issue(&CertificateTemplate::client("reader").algorithm(algorithm)),
    )
}

#[test]
fn net_snmp_asks_our_agent() {
    if !is_installed("snmpget") {
        return;
    }
    let authority = Authority::with_algorithm("authority", RSA);
    let (server, manager) = issue(&authority);
    let agent = TlsAgent::with(AgentLimits::default(), |it| {
        it.versions = TlsVersions::Legacy;
        it.identity = server.identity();
        it.clients = Arc::new(by_alternative_name(&authority));
    });
    let settings = settings(&authority, ("manager", &manager), ("agent", &server));
    let output = net_snmp("snmpget", &settings)
        .args([
            "-On", "-m", "", "-v3", "-l", "authPriv", "-t", "20", "-r", "0",
        ])
        .args(["-T", "our_identity=manager", "-T", "their_identity=agent"])
        .args(["-T", "trust_cert=authority"])
        .arg(format!("tlstcp:{}", agent.address))
        .arg(SYS_DESCR_0)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(printed.contains(DESCRIPTION), "{printed} {errors}");
}

#[test]
fn our_manager_asks_snmpd() {
    if !is_installed("snmpd") {
        return;
    }
    let authority = Authority::with_algorithm("authority", RSA);
    let (server, manager) = issue(&authority);
    let settings = settings(&authority, ("agent", &server), ("manager", &manager));
    let fingerprint = manager.fingerprint().to_string();
    let hash = fingerprint.trim_start_matches("sha256:");
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let configuration = format!(
        "[snmp] localCert agent\n[snmp] trustCert authority\n\
         [snmpd]\nagentAddress tlstcp:{address}\ncertSecName 10 {hash} --sn reader\n\
         rouser -s tsm reader authPriv\nsysDescr {DESCRIPTION}\n"
    );
    let file = settings.path("agent.conf");
    fs::write(&file, configuration).unwrap();
    let snmpd = net_snmp("snmpd", &settings)
        .args(["-f", "-Le", "-C", "-c"])
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _snmpd = Running(snmpd.unwrap());
    let deadline = Instant::now() + PATIENCE;
    let known = ServerAuthentication {
        trust: authority.trust(),
        identity: PeerIdentity::Target,
    };
    let answer = loop {
        let client = TlsClient::new(manager.identity(), known.clone());
        let client = client.with_versions(TlsVersions::Legacy);
        match ask(address, client, tsm()) {
            // It does not listen yet.
            Err(error) if error.contains("refused: nothing") && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(20));
            }
            answer => break answer,
        }
    };
    assert_eq!(answer, Ok(described()));
}
