//! TLS 1.0 with Net-SNMP, which has nothing newer over TCP: the feature `openssl-tls`.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use varbind_testkit::peers::{Running, command, free_port, is_installed};

use crate::program::{Outcome, varbind};
use crate::secure_transports::{Home, net_snmp_settings, text};

/// The system's configuration of OpenSSL forbids TLS 1.0.
const OPENSSL: &str = "openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\nsystem_default = default\n\
                       [default]\nMinProtocol = TLSv1\nCipherString = DEFAULT:@SECLEVEL=0\n";

fn net_snmp(name: &str, settings: &TempDir) -> Command {
    let file = settings.path().join("openssl.cnf");
    fs::write(&file, OPENSSL).unwrap();
    let mut command = command(name);
    command
        .env("SNMPCONFPATH", settings.path())
        .env("SNMP_PERSISTENT_DIR", settings.path())
        .env("OPENSSL_CONF", file)
        .stdin(Stdio::null());
    command
}

#[test]
fn an_agent_with_an_old_minimum_version_answers_net_snmp_and_everybody_else() {
    if !is_installed("snmpget") {
        return;
    }
    let home = Home::with_keys("rsa-2048");
    let settings = net_snmp_settings(&home.path("pki"), "manager");
    let (agent, targets) = home.agent(&["tls"], "[tls]\nminimum-version = \"1.0\"\n");
    let outcome: Outcome = net_snmp("snmpget", &settings)
        .args(["-On", "-m", "", "-v3", "-l", "authPriv"])
        .args(["-t", "20", "-r", "0", "-T", "our_identity=manager"])
        .args(["-T", "their_identity=agent", "-T", "trust_cert=ca"])
        .arg(targets[0].replace("tls:", "tlstcp:"))
        .arg("1.3.6.1.2.1.1.7.0")
        .output()
        .unwrap()
        .into();
    assert!(outcome.output.contains("INTEGER: 72"), "{outcome:?}");
    for options in [&[][..], &["--legacy-tls"]] {
        let words = [&["get"], options, &[&targets[0], "sysServices.0"]].concat();
        let outcome = agent.manager(&words);
        assert!(outcome.output.contains("INTEGER: 72"), "{outcome:?}");
    }
}

#[test]
fn encryption_is_left_out_for_the_laboratory_alone() {
    let help: Outcome = varbind(&["agent", "--help"]).output().unwrap().into();
    assert!(!help.output.contains("encryption"), "{help:?}");
    let home = Home::with_keys("ecdsa-p256");
    let pki = home.path("pki");
    let file = home.path("agent.toml");
    let state = home.path("state");
    let configuration = format!(
        "listen = [\"tls:127.0.0.1:0\"]\nstate-directory = {state:?}\n[tls]\nminimum-version = \"1.3\"\n\
         [[tls.map]]\ncertificate = \"pki/ca.pem\"\nto = \"common-name\"\n[[transport-user]]\nname = \"ops\"\n"
    );
    fs::write(&file, configuration).unwrap();
    let words = [
        "agent",
        "--config",
        text(&file),
        "--unsafe-tls-without-encryption",
    ];
    let mut agent = varbind(&words);
    let agent = agent.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut agent = Running(agent.unwrap());
    let line = |stream: &mut dyn Read| BufReader::new(stream).lines().next().unwrap().unwrap();
    let warning = line(agent.0.stderr.as_mut().unwrap());
    assert!(
        warning.contains("sessions over TLS are not encrypted"),
        "{warning}"
    );
    let listening = line(agent.0.stdout.as_mut().unwrap());
    let target = listening.strip_prefix("listening on ").unwrap();
    // Neither the usual manager nor one that takes old versions accepts that.
    for options in [&[][..], &["--legacy-tls"]] {
        let words = [&["get"], options, &[target, "sysServices.0"]].concat();
        let outcome = manager(&pki, &words);
        assert_eq!(outcome.code, Some(4), "{outcome:?}");
    }
}

fn manager(pki: &Path, words: &[&str]) -> Outcome {
    varbind(words)
        .env("VARBIND_CERTIFICATE", pki.join("manager.pem"))
        .env("VARBIND_TRUST", pki.join("ca.pem"))
        .output()
        .unwrap()
        .into()
}

#[test]
fn snmpd_is_asked_where_the_user_says_so() {
    if !is_installed("snmpd") {
        return;
    }
    let home = Home::with_keys("rsa-2048");
    let pki = home.path("pki");
    let settings = net_snmp_settings(&pki, "agent");
    let own = pki.join("manager.pem");
    let fingerprint = crate::program::run(&["pki", "fingerprint", text(&own), "--for", "net-snmp"]);
    let port = free_port();
    let configuration = format!(
        "[snmp] localCert agent\n[snmp] trustCert ca\n\
         [snmpd]\nagentAddress tlstcp:127.0.0.1:{port}\ncertSecName 10 {} --sn ops\n\
         rouser -s tsm ops authPriv\nsysServices 72\n",
        fingerprint.output.trim_end()
    );
    let file = settings.path().join("agent.conf");
    fs::write(&file, configuration).unwrap();
    let child = net_snmp("snmpd", &settings)
        .args(["-f", "-Le", "-C", "-c"])
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _snmpd = Running(child.unwrap());
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "snmpd does not start"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let target = format!("tls:127.0.0.1:{port}");
    let refused = manager(&pki, &["get", &target, "sysServices.0"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    let told = manager(&pki, &["doctor", &target]);
    assert!(told.output.contains("--legacy-tls"), "{told:?}");
    let outcome = manager(&pki, &["get", "--legacy-tls", &target, "sysServices.0"]);
    assert!(outcome.output.contains("INTEGER: 72"), "{outcome:?}");
    let found = manager(&pki, &["doctor", "--legacy-tls", &target]);
    assert_eq!(found.code, Some(0), "{found:?}");
    assert!(found.output.contains("get --legacy-tls tls:"), "{found:?}");
}
