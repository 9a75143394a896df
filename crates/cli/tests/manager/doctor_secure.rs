//! The command doctor over TLS and DTLS.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Stdio};

use varbind_testkit::peers::{Running, free_port, skip};

use crate::program::{Outcome, run, varbind};
use crate::secure_transports::{Home, text};

#[track_caller]
pub(crate) fn assert_told(outcome: &Outcome, code: i32, parts: &[&str]) {
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    assert_eq!(outcome.errors, "");
    for part in parts {
        assert!(outcome.output.contains(part), "{part}: {}", outcome.output);
    }
}

#[test]
fn each_step_is_reported_where_all_is_well() {
    let (agent, targets) = Home::new().agent(&["tls", "dtls"], "");
    for (target, version) in targets.iter().zip([
        "it speaks TLS 1.2 and 1.3; refused: 1.0 and 1.1",
        "it speaks DTLS 1.2; refused: 1.0",
    ]) {
        let outcome = agent.manager(&["doctor", target]);
        let parts = [
            version,
            "ok  server          \"CN=localhost\" (DNS localhost, IP 127.0.0.1), valid until",
            "ok  trust           the authority \"CN=",
            "ok  name            127.0.0.1 is in the certificate",
            "ok  ours            \"CN=ops\"",
            "rules of the agent can name us ops (common-name)",
            "ok  accepted",
            "ok  engine ID       0x80",
            "ok  message size    65507 octets",
            "ok  sysUpTime",
            "ok  resumption",
        ];
        assert_told(&outcome, 0, &parts);
        assert!(!outcome.output.contains("no  "), "{outcome:?}");
        let line = outcome.output.lines().last().unwrap();
        let words: Vec<_> = line.split(' ').skip(1).collect();
        let works = agent.manager(&words);
        assert!(
            works.output.starts_with("SNMPv2-MIB::sysUpTime.0"),
            "{works:?}"
        );
    }
}

/// What `--json` says.
pub(crate) fn in_json(outcome: &Outcome) -> serde_json::Value {
    assert_eq!(outcome.errors, "");
    let document: serde_json::Value = serde_json::from_str(&outcome.output).unwrap();
    assert_eq!(document["schema"], 1);
    assert_eq!(document["exit_code"], outcome.code.unwrap());
    document
}

/// The verdict of a step.
pub(crate) fn verdict<'d>(document: &'d serde_json::Value, step: &str) -> &'d str {
    let steps = document["steps"].as_array().unwrap();
    let found = steps.iter().find(|it| it["step"] == step);
    found.map_or("none", |it| it["verdict"].as_str().unwrap())
}

#[test]
fn the_same_is_said_in_json() {
    let (agent, targets) = Home::new().agent(&["tls", "dtls", "udp", "tcp"], "");
    for target in &targets[..2] {
        let document = in_json(&agent.manager(&["doctor", "--json", target]));
        assert_eq!(document["target"], target.as_str());
        let steps = [
            "session",
            "server",
            "trust",
            "name",
            "ours",
            "accepted",
            "engine-id",
            "sysuptime",
        ];
        for step in steps {
            assert_eq!(verdict(&document, step), "ok", "{step}: {document}");
        }
        let command = format!("varbind get {target} sysUpTime.0");
        assert_eq!(document["command"], command);
        assert!(document["condition"].is_null() && document["error"].is_null());
        let server = &document["steps"].as_array().unwrap().iter();
        let server = server.clone().find(|it| it["step"] == "server").unwrap();
        let detail = server["details"][0]["text"].as_str().unwrap();
        assert!(detail.starts_with("sha256:"), "{server}");
    }
    for target in &targets[2..] {
        let document = in_json(&agent.manager(&["doctor", "--json", target]));
        assert_eq!(verdict(&document, "snmpv3"), "ok", "{document}");
        assert_eq!(verdict(&document, "user"), "open", "{document}");
    }
}

#[test]
fn mistakes_are_said_in_json_with_what_helps() {
    let (agent, targets) = Home::new().agent(&["tls"], "");
    let stranger = tempfile::tempdir().unwrap();
    let directory = text(stranger.path());
    run(&["pki", "init", "--directory", directory]);
    run(&["pki", "issue", "manager", "ops", "--directory", directory]);
    // Whom the agent does not know.
    let words = ["doctor", "--json", &targets[0]];
    let refused = agent.manager_with(&format!("{directory}/manager.pem"), &words);
    let document = in_json(&refused);
    assert_eq!(document["exit_code"], 4);
    assert_eq!(verdict(&document, "accepted"), "no", "{document}");
    let example = document["advice"][0]["example"].as_str().unwrap();
    assert!(example.starts_with("[[tls.map]]"), "{example}");
    assert!(document["command"].is_null());
    // Who is not known to us, for an authority of the same name.
    let outcome: Outcome = varbind(&words)
        .env("VARBIND_CERTIFICATE", agent.home.path("pki/manager.pem"))
        .env("VARBIND_TRUST", stranger.path().join("ca.pem"))
        .output()
        .unwrap()
        .into();
    let document = in_json(&outcome);
    assert_eq!(document["exit_code"], 4);
    assert_eq!(verdict(&document, "trust"), "no", "{document}");
    assert_eq!(verdict(&document, "sysuptime"), "ok", "{document}");
    let command = document["command"].as_str().unwrap();
    assert!(command.contains("--peer-fingerprint sha256:"), "{command}");
    let condition = document["condition"].as_str().unwrap();
    assert!(condition.contains("compare it there"), "{condition}");
    assert!(outcome.output.contains("with another key"), "{outcome:?}");
}

#[test]
fn an_unreachable_agent_fails_a_step_over_every_transport() {
    use socket2::{Domain, Socket, Type};

    // A port that nobody else can have, of TCP at least.
    let held = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    held.bind(&any.into()).unwrap();
    let address = held.local_addr().unwrap().as_socket().unwrap();
    let port = address.port();
    let home = Home::new();
    for (transport, step) in [
        ("udp", "snmpv3"),
        ("tcp", "snmpv3"),
        ("tls", "tcp"),
        ("dtls", "dtls"),
        ("ssh", "tcp"),
    ] {
        let target = format!("{transport}:127.0.0.1:{port}");
        let outcome: Outcome = varbind(&["doctor", "--json", "-t", "10", "-r", "0", &target])
            .env("VARBIND_CERTIFICATE", home.path("pki/manager.pem"))
            .env("VARBIND_TRUST", home.path("pki/ca.pem"))
            .output()
            .unwrap()
            .into();
        let document = in_json(&outcome);
        assert_eq!(document["exit_code"], 4, "{target}: {document}");
        assert_eq!(verdict(&document, step), "no", "{target}: {document}");
        assert!(
            document.to_string().contains("nothing listens"),
            "{document}"
        );
    }
}

#[test]
fn a_certificate_that_is_missing_is_reported_after_what_can_be_seen_without_it() {
    let (agent, targets) = Home::new().agent(&["tls"], "");
    let missing = agent.manager_with("missing.pem", &["doctor", &targets[0]]);
    assert_told(
        &missing,
        1,
        &["ok  TLS", "no  ours", "missing.pem", "--certificate"],
    );
}

#[test]
fn a_user_is_looked_at_over_the_secure_transport() {
    let user = "[[user]]\nname = \"alice\"\nlevel = \"authNoPriv\"\n\
                authentication = { protocol = \"SHA-256\", password = \"a password of hers\" }\n";
    let (agent, targets) = Home::new().agent(&["tls"], user);
    let words = [
        "doctor",
        &targets[0],
        "-u",
        "alice",
        "-A",
        "a password of hers",
    ];
    let outcome = agent.manager(&words);
    let line = format!(
        "varbind get -v3 -u alice -l authNoPriv -a SHA-256 {} sysUpTime.0",
        targets[0]
    );
    let parts = [
        "ok  server",
        "ok  user alice",
        "ok  authentication  SHA-256",
        &line,
    ];
    assert_told(&outcome, 0, &parts);
}

#[test]
fn an_agent_that_is_not_trusted_is_examined_and_the_option_told() {
    let (agent, targets) = Home::new().agent(&["tls", "dtls"], "");
    let fingerprint = run(&[
        "pki",
        "fingerprint",
        text(&agent.home.path("pki/agent.pem")),
    ])
    .output;
    let option = format!(
        "varbind get --trust {{}} --peer-fingerprint {}",
        fingerprint.trim_end()
    );
    let stranger = tempfile::tempdir().unwrap();
    run(&["pki", "init", "--directory", text(stranger.path())]);
    let trust = stranger.path().join("ca.pem");
    let option = option.replace("{}", text(&trust));
    for target in &targets {
        let outcome = agent.manager(&["doctor", "--trust", text(&trust), target]);
        assert_told(&outcome, 4, &["no  trust", "ok  sysUpTime", &option]);
        let outcome = agent.manager(&["doctor", "--peer-name", "router", target]);
        let parts = [
            "no  name            router is expected",
            "--peer-name localhost",
        ];
        assert_told(&outcome, 4, &parts);
    }
}

#[test]
fn what_the_agent_lacks_is_reported() {
    let (agent, targets) = Home::new().agent(&["tls", "dtls"], "");
    let stranger = tempfile::tempdir().unwrap();
    let directory = text(stranger.path());
    run(&["pki", "init", "--directory", directory]);
    run(&["pki", "issue", "manager", "ops", "--directory", directory]);
    let certificate = stranger.path().join("manager.pem");
    let fingerprint = run(&["pki", "fingerprint", text(&certificate)]).output;
    let line = format!(
        "[[tls.map]]\nfingerprint = \"{}\"\nname = \"ops\"",
        fingerprint.trim_end()
    );
    let eve = agent.home.path("eve");
    agent
        .home
        .pki(&["issue", "manager", "eve", "--output", text(&eve)]);
    for target in &targets {
        let refused = agent.manager_with(text(&certificate), &["doctor", target]);
        assert_told(&refused, 4, &["no  accepted", &line]);
        assert!(!refused.output.contains("varbind get"), "{refused:?}");
        let nothing = agent.manager_with(text(&eve.join("manager.pem")), &["doctor", target]);
        let parts = [
            "ok  accepted",
            "no  sysUpTime       authorizationError",
            "[[transport-user]]\nname = \"eve\"",
        ];
        assert_told(&nothing, 2, &parts);
    }
}

#[test]
fn an_expired_certificate_of_ours_is_to_be_renewed() {
    if !varbind_testkit::peers::is_installed("openssl") {
        return;
    }
    let (agent, targets) = Home::new().agent(&["tls", "dtls"], "");
    let expired = agent.home.path("expired");
    agent
        .home
        .pki(&["issue", "manager", "ops", "--output", text(&expired)]);
    let certificate = expired.join("manager.pem");
    let again = Command::new("openssl")
        .args(["x509", "-days", "-1", "-in", text(&certificate), "-signkey"])
        .args([
            text(&expired.join("manager-key.pem")),
            "-out",
            text(&certificate),
        ])
        .output()
        .unwrap();
    assert!(again.status.success(), "{again:?}");
    for target in &targets {
        let outcome = agent.manager_with(text(&certificate), &["doctor", target]);
        let renewal = format!("varbind pki renew {}", text(&certificate));
        assert_told(&outcome, 4, &["no  ours", "has expired", &renewal]);
        assert!(!outcome.output.contains("[[tls.map]]"), "{outcome:?}");
        let words = ["get", target, "sysServices.0"];
        let outcome = agent.manager_with(text(&certificate), &words);
        assert_eq!(outcome.code, Some(4), "{outcome:?}");
        assert!(outcome.errors.contains(&renewal), "{outcome:?}");
    }
}

#[test]
fn the_version_of_the_options_is_examined() {
    let watcher = "[[transport-user]]\nname = \"watcher\"\n";
    let (agent, targets) = Home::new().agent(&["tls", "dtls"], watcher);
    let directory = agent.home.path("watcher");
    let issue = ["issue", "manager", "watcher", "--output", text(&directory)];
    agent.home.pki(&issue);
    let watcher = directory.join("manager.pem");
    for target in &targets {
        for version in ["-v1", "-v2c"] {
            let found = agent.manager(&["doctor", version, target]);
            let line = format!("\nvarbind get {version} {target} sysUpTime.0\n");
            assert_told(&found, 0, &["ok  sysUpTime", &line]);
        }
        let refused = agent.manager_with(text(&watcher), &["doctor", "-v2c", target]);
        let parts = [
            "no  sysUpTime       authorizationError",
            "no access in SNMPv2c",
            "name = \"watcher\"\nversions = [\"v2c\", \"v3\"]",
        ];
        assert_told(&refused, 2, &parts);
        let allowed = agent.manager_with(text(&watcher), &["doctor", target]);
        assert_told(&allowed, 0, &["(SNMPv3)"]);
    }
}

#[test]
fn other_services_are_distinguished_from_agents() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = nobody.local_addr().unwrap().port();
    drop(nobody);
    for transport in ["tls", "dtls", "ssh"] {
        let outcome = run(&["doctor", &format!("{transport}:127.0.0.1:{port}")]);
        assert_told(&outcome, 4, &["nothing listens at 127.0.0.1"]);
    }
    let port = greets(b"220 mail.example ESMTP\r\n");
    for (transport, told) in [
        ("tls", "the response is not TLS"),
        ("ssh", "not from an SSH server"),
    ] {
        let outcome = run(&["doctor", &format!("{transport}:127.0.0.1:{port}")]);
        assert_told(&outcome, 4, &[told, "\"220 mail.example ESMTP\""]);
    }
    let port = greets(b"SSH-2.0-OpenSSH_9.9\r\n");
    let outcome = run(&["doctor", &format!("tls:127.0.0.1:{port}")]);
    let told = format!("an SSH server answers here; use ssh:127.0.0.1:{port}");
    assert_told(&outcome, 4, &[&told]);
}

/// The port of a service that speaks first.
fn greets(greeting: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.write_all(greeting);
            let _ = stream.read(&mut [0; 512]);
        }
    });
    port
}

#[test]
fn a_server_with_nothing_but_an_old_version_is_reported() {
    let home = Home::new();
    let pki = home.path("pki");
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let server = Command::new("openssl")
        .args([
            "s_server",
            "-quiet",
            "-tls1",
            "-cipher",
            "ALL@SECLEVEL=0",
            "-accept",
        ])
        .arg(address.to_string())
        .arg("-cert")
        .arg(pki.join("agent.pem"))
        .arg("-key")
        .arg(pki.join("agent-key.pem"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(server) = server else {
        skip("openssl cannot be run");
        return;
    };
    let mut server = Running(server);
    while std::net::TcpStream::connect(address).is_err() {
        if server.0.try_wait().unwrap().is_some() {
            skip("this openssl has no TLS 1.0");
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let outcome = run(&["doctor", &format!("tls:{address}")]);
    let parts = [
        "no  TLS             it speaks TLS 1.0; refused: 1.1, 1.2 and 1.3",
        "Net-SNMP up to 5.9.4",
    ];
    assert_told(&outcome, 4, &parts);
}
