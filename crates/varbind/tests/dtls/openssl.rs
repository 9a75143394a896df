//! OpenSSL's s_client against our agent, and our manager's sessions against its s_server.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;

use varbind::codec::ber::Writer;
use varbind::codec::message::{CommunityMessage, Version};
use varbind::codec::pdu::PduType;
use varbind::codec::smi::ValueRef;
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::dtls::Counted;
use varbind_testkit::certificates::{Authority, CertificateTemplate, ECDSA, Files, RSA};
use varbind_testkit::loopback::{PATIENCE, SYS_DESCR_0};
use varbind_testkit::oid;
use varbind_testkit::peers::{free_port, is_installed};

use crate::fixture::processes::Process;
use crate::fixture::{DESCRIPTION, TestAgent, client, options, target};

/// A GetRequest of SNMPv2c, which over DTLS is in the name of who has the certificate.
fn get_request() -> Vec<u8> {
    let mut buffer = vec![0; 500];
    let mut writer = Writer::new(&mut buffer, CommunityMessage::HEADROOM).unwrap();
    let name = oid(SYS_DESCR_0);
    writer.append_var_bind(name.arcs(), ValueRef::Null).unwrap();
    writer.prepend_pdu(PduType::GetRequest, 1, 0, 0).unwrap();
    writer.prepend_community_header(Version::V2c, b"").unwrap();
    writer.written().to_vec()
}

pub(crate) fn s_client(agent: &TestAgent, files: &Files, name: &str, options: &[&str]) -> Command {
    let mut command = Command::new("openssl");
    command
        .args(["s_client", "-dtls1_2", "-quiet", "-connect"])
        .arg(agent.address.to_string())
        .arg("-cert")
        .arg(files.path(&format!("{name}.pem")))
        .arg("-key")
        .arg(files.path(&format!("{name}.key")))
        .arg("-CAfile")
        .arg(files.path("ca.pem"))
        .args(["-verify_return_error"])
        .args(options);
    command
}

#[test]
fn s_client_asks_the_agent() {
    if !is_installed("openssl") {
        return;
    }
    for algorithm in [ECDSA, RSA] {
        let authority = Authority::with_algorithm("authority", algorithm);
        let (agent, manager) = (
            authority.issue_host("agent"),
            authority.issue_host("manager"),
        );
        let files = Files::with_certificates(&authority, &[("manager", &manager)]);
        let agent = TestAgent::new(&authority, &agent.identity());
        for options in [
            &[][..],
            &["-mtu", "400"],
            &["-cipher", "ECDHE+CHACHA20"],
            &["-groups", "P-256:P-384"],
        ] {
            let mut client = Process::start(&mut s_client(&agent, &files, "manager", options));
            client.write(&get_request());
            client.await_output(DESCRIPTION.as_bytes());
        }
    }
}

#[test]
fn s_client_is_refused_what_is_weak() {
    if !is_installed("openssl") {
        return;
    }
    let authority = Authority::with_algorithm("authority", RSA);
    let (agent, manager) = (
        authority.issue_host("agent"),
        authority.issue_host("manager"),
    );
    let files = Files::with_certificates(&authority, &[("manager", &manager)]);
    let agent = TestAgent::new(&authority, &agent.identity());
    for (options, told) in [
        (
            &["-cipher", "AES128-SHA@SECLEVEL=0"][..],
            "handshake failure",
        ),
        (
            &["-cipher", "ECDHE-RSA-AES128-SHA@SECLEVEL=0"],
            "handshake failure",
        ),
        (&["-cipher", "AES128-GCM-SHA256"], "handshake failure"),
        (&["-cipher", "NULL-SHA256@SECLEVEL=0"], "handshake failure"),
    ] {
        let client = Process::start(&mut s_client(&agent, &files, "manager", options));
        client.await_output(told.as_bytes());
    }
    let mut old = Command::new("openssl");
    old.args([
        "s_client",
        "-dtls1",
        "-cipher",
        "ALL@SECLEVEL=0",
        "-connect",
    ])
    .arg(agent.address.to_string());
    Process::start(&mut old).await_output(b"protocol version");
}

#[test]
fn s_client_gets_an_alert_about_its_certificate() {
    if !is_installed("openssl") {
        return;
    }
    let authority = Authority::new("authority");
    let agent = authority.issue_host("agent");
    let other = Authority::new("authority").issue_host("manager");
    let expired = authority.issue(&CertificateTemplate::host("manager").years(2020, 2021));
    let early = authority.issue(&CertificateTemplate::host("manager").years(2080, 2090));
    // Longer than a name of access control may be.
    let unmapped = authority.issue_host(&"m".repeat(40));
    let files = Files::with_certificates(
        &authority,
        &[
            ("other", &other),
            ("expired", &expired),
            ("early", &early),
            ("unmapped", &unmapped),
        ],
    );
    let agent = TestAgent::new(&authority, &agent.identity());
    for (name, told) in [
        ("other", "unknown ca"),
        ("expired", "certificate expired"),
        ("early", "certificate expired"),
        ("unmapped", "certificate unknown"),
    ] {
        let client = Process::start(&mut s_client(&agent, &files, name, &[]));
        client.await_output(told.as_bytes());
    }
    let mut without = Command::new("openssl");
    without
        .args(["s_client", "-dtls1_2", "-connect"])
        .arg(agent.address.to_string());
    Process::start(&mut without).await_output(b"handshake failure");
    let counters = &agent.server.statistics;
    assert_eq!(counters.invalid_client_certificates.value(), 5);
    assert_eq!(counters.accepts.value(), 0);
}

/// RFC 5590 5.2, tmSameSecurity
#[test]
fn a_session_that_s_client_resumes_with_another_certificate_keeps_its_identity() {
    if !is_installed("openssl") {
        return;
    }
    let authority = Authority::new("authority");
    // Who has a name, but no access, and who has both.
    let (guest, manager) = (
        authority.issue_host("guest"),
        authority.issue_host("manager"),
    );
    let files = Files::with_certificates(&authority, &[("guest", &guest), ("manager", &manager)]);
    let agent = TestAgent::new(&authority, &authority.issue_host("agent").identity());
    let kept = files.path("session");
    let kept = kept.to_str().unwrap();
    let mut first = Process::start(&mut s_client(&agent, &files, "guest", &["-sess_out", kept]));
    first.write(&get_request());
    let deadline = std::time::Instant::now() + PATIENCE;
    while std::fs::metadata(kept).map_or(0, |it| it.len()) == 0 {
        assert!(std::time::Instant::now() < deadline, "no session is kept");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    first.kill();
    let mut second = Process::start(&mut s_client(
        &agent,
        &files,
        "manager",
        &["-sess_in", kept],
    ));
    second.write(&get_request());
    let resumed = || {
        let statistics = agent.agent.dtls_statistics(agent.address).unwrap();
        statistics.counted(Counted::SessionsResumed)
    };
    while resumed() == 0 {
        assert!(std::time::Instant::now() < deadline, "nothing is resumed");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // In a session of its own the manager is who it is.
    let mut own = Process::start(&mut s_client(&agent, &files, "manager", &[]));
    own.write(&get_request());
    own.await_output(DESCRIPTION.as_bytes());
    assert!(!second.has_output(DESCRIPTION.as_bytes()));
}

#[test]
fn s_client_may_not_renegotiate() {
    if !is_installed("openssl") {
        return;
    }
    let authority = Authority::new("authority");
    let (agent, manager) = (
        authority.issue_host("agent"),
        authority.issue_host("manager"),
    );
    let files = Files::with_certificates(&authority, &[("manager", &manager)]);
    let agent = TestAgent::new(&authority, &agent.identity());
    let mut command = Command::new("openssl");
    command
        .args(["s_client", "-dtls1_2", "-connect"])
        .arg(agent.address.to_string())
        .arg("-cert")
        .arg(files.path("manager.pem"))
        .arg("-key")
        .arg(files.path("manager.key"));
    let mut client = Process::start(&mut command);
    client.await_output(b"Verify return code");
    client.write(b"R\n");
    client.await_output(b"no renegotiation");
}

fn s_server(files: &Files, address: &str, options: &[&str]) -> Command {
    let mut command = Command::new("openssl");
    command
        .args(["s_server", "-dtls1_2", "-accept", address, "-cert"])
        .arg(files.path("agent.pem"))
        .arg("-key")
        .arg(files.path("agent.key"))
        .arg("-CAfile")
        .arg(files.path("ca.pem"))
        .args(["-Verify", "3", "-verify_return_error", "-mtu", "1400"])
        .args(options);
    command
}

#[test]
fn the_manager_opens_a_session_with_s_server() {
    if !is_installed("openssl") {
        return;
    }
    for algorithm in [ECDSA, RSA] {
        let authority = Authority::with_algorithm("authority", algorithm);
        let (agent, manager) = (
            authority.issue_host("agent"),
            authority.issue_host("manager"),
        );
        let files = Files::with_certificates(&authority, &[("agent", &agent)]);
        for options in [&[][..], &["-listen"]] {
            let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
            let server = Process::start(&mut s_server(&files, &address.to_string(), options));
            server.await_output(b"ACCEPT");
            let client = Arc::new(client(&authority, &manager.identity()));
            let options = ManagerOptions {
                processing: ManagerOptions::v2c("a telling community").processing,
                ..crate::fixture::options(&client)
            };
            let mut manager = Manager::open(&target(address), options).unwrap();
            let asking = std::thread::spawn(move || drop(manager.get(&[oid(SYS_DESCR_0)])));
            server.await_output(b"a telling community");
            drop(server);
            let _ = asking.join();
        }
    }
}

#[test]
fn the_manager_says_why_it_does_not_trust_s_server() {
    if !is_installed("openssl") {
        return;
    }
    let authority = Authority::new("authority");
    let (agent, manager) = (
        authority.issue_host("agent"),
        authority.issue_host("manager"),
    );
    let files = Files::with_certificates(&authority, &[("agent", &agent)]);
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let server = Process::start(&mut s_server(&files, &address.to_string(), &[]));
    server.await_output(b"ACCEPT");
    let stranger = Authority::new("authority");
    let client = Arc::new(client(&stranger, &manager.identity()));
    let error = Manager::open(&target(address), options(&client)).unwrap_err();
    let error = error.to_string();
    let fingerprint = agent.fingerprint().to_string();
    assert!(error.contains("not trusted"), "{error}");
    assert!(error.contains(&fingerprint), "{error}");
    server.await_output(b"unknown ca");
}
