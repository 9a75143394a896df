//! The commands, with certificates that are found or named.

use std::fs;

use varbind_testkit::peers::skip;

use super::{Home, assert_services, net_snmp_settings, text};
use crate::own_agent::Agent;
use crate::program::{Outcome, run, varbind};
#[test]
fn what_varbind_pki_made_is_found_without_options() {
    use std::process::Command;

    let home = tempfile::tempdir().unwrap();
    // Not as the superuser, whose directory is that of the system.
    let as_user = |words: &[&str]| -> Option<Outcome> {
        let output = Command::new("unshare")
            .args(["-U", env!("CARGO_BIN_EXE_varbind")])
            .args(words)
            .env("XDG_CONFIG_HOME", home.path())
            .env_remove("VARBIND_CERTIFICATE")
            .env_remove("VARBIND_KEY")
            .env_remove("VARBIND_TRUST")
            .output();
        output.ok().map(Outcome::from)
    };
    for words in [
        &["pki", "init"][..],
        &["pki", "issue", "agent", "localhost"],
        &["pki", "issue", "manager", "ops"],
    ] {
        match as_user(words) {
            Some(outcome) if outcome.errors.contains("unshare") => {
                skip("no user namespace can be made");
                return;
            }
            None => {
                skip("unshare cannot be run");
                return;
            }
            Some(outcome) => assert_eq!(outcome.code, Some(0), "{outcome:?}"),
        }
    }
    let configuration = home.path().join("varbind/agent.toml");
    let state = home.path().join("state");
    let text = format!(
        "listen = [\"tls:127.0.0.1:0\"]\nstate-directory = {state:?}\n[[tls.map]]\ncertificate = \"pki/ca.pem\"\n\
         to = \"common-name\"\n[[transport-user]]\nname = \"ops\"\n"
    );
    fs::write(&configuration, text).unwrap();
    let (_agent, targets) = Agent::start_listening(&configuration, 1);
    let target = targets[0].replace("127.0.0.1", "localhost");
    let outcome = as_user(&["get", &target, "sysServices.0"]).unwrap();
    assert_services(&outcome);
}

#[test]
fn every_version_works_over_tls_and_dtls() {
    let (agent, targets) = Home::new().agent(&["tls", "dtls"], "");
    for target in &targets {
        assert_services(&agent.manager(&["get", target, "sysServices.0"]));
        for version in ["-v1", "-v2c", "-v3"] {
            assert_services(&agent.manager(&["get", version, target, "sysServices.0"]));
        }
        let set = agent.manager(&["set", target, "sysName.0", "s", "here"]);
        assert_eq!(
            set.output, "SNMPv2-MIB::sysName.0 = STRING: here\n",
            "{set:?}"
        );
        let walk = agent.manager(&["walk", "-Oqv", target, "ifDescr"]);
        assert!(walk.output.lines().any(|line| line == "lo"), "{walk:?}");
    }
}

#[test]
fn users_of_the_user_based_model_work_over_tls() {
    let user = "[[user]]\nname = \"alice\"\nauthentication = { protocol = \"SHA-256\", password = \"a password of hers\" }\n\
                privacy = { protocol = \"AES\", password = \"a password of hers\" }\n";
    let (agent, targets) = Home::new().agent(&["tls"], user);
    let words = [
        "-v3",
        "-u",
        "alice",
        "-A",
        "a password of hers",
        "-X",
        "a password of hers",
    ];
    let outcome = agent.manager(&[&["get"], &words[..], &[&targets[0], "sysServices.0"]].concat());
    assert_services(&outcome);
}

#[test]
fn the_words_of_net_snmp_are_understood() {
    let (agent, targets) = Home::new().agent(&["tls"], "");
    let path = |name: &str| text(&agent.home.path("pki").join(name)).to_owned();
    let own = format!("our_identity={}", path("manager.pem"));
    let fingerprint = run(&[
        "pki",
        "fingerprint",
        &path("agent.pem"),
        "--for",
        "net-snmp",
    ])
    .output;
    for peer in [
        format!("trust_cert={},their_hostname=localhost", path("ca.pem")),
        format!("their_identity={}", fingerprint.trim_end()),
        format!("their_identity={}", path("agent.pem")),
    ] {
        let outcome = run(&["get", "-T", &own, "-T", &peer, &targets[0], "sysServices.0"]);
        assert_services(&outcome);
    }
}

#[test]
fn net_snmp_uses_the_certificates_and_fingerprints_of_varbind_pki() {
    use std::process::Command;

    if Command::new("snmpget").arg("-V").output().is_err() {
        skip("snmpget cannot be run");
        return;
    }
    let (agent, targets) = Home::new().agent(&["dtls"], "");
    let pki = agent.home.path("pki");
    let settings = net_snmp_settings(&pki, "manager");
    let fingerprint = |name: &str| {
        let path = pki.join(name);
        let words = ["pki", "fingerprint", text(&path), "--for", "net-snmp"];
        run(&words).output.trim_end().to_owned()
    };
    for their_identity in ["agent".to_owned(), fingerprint("agent.pem")] {
        let outcome: Outcome = Command::new("snmpget")
            .args([
                "-On", "-m", "", "-v3", "-l", "authPriv", "-t", "10", "-r", "0",
            ])
            .args(["-T", "our_identity=manager", "-T", "trust_cert=ca"])
            .args(["-T", &format!("their_identity={their_identity}")])
            .arg(targets[0].replace("dtls:", "dtlsudp:"))
            .arg("1.3.6.1.2.1.1.7.0")
            .env("SNMPCONFPATH", settings.path())
            .env("SNMP_PERSISTENT_DIR", settings.path())
            .output()
            .unwrap()
            .into();
        assert!(outcome.output.contains("INTEGER: 72"), "{outcome:?}");
    }
}

#[test]
fn notifications_go_over_tls_and_dtls() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    let home = Home::new();
    let pki = home.path("pki");
    let state = home.path("receiver");
    let mut receiver = varbind(&[
        "receive",
        "--state",
        text(&state),
        "--listen",
        "tls:127.0.0.1:0",
        "--listen",
        "dtls:127.0.0.1:0",
        "--count",
        "4",
    ])
    .env("VARBIND_CERTIFICATE", pki.join("agent.pem"))
    .env("VARBIND_TRUST", pki.join("ca.pem"))
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    let mut told = BufReader::new(receiver.stderr.take().unwrap());
    for _ in 0..2 {
        let mut line = String::new();
        told.read_line(&mut line).unwrap();
        let target = line.trim_end().strip_prefix("listening on ").unwrap();
        for command in ["trap", "inform"] {
            let sent: Outcome = varbind(&[
                command,
                target,
                "",
                "IF-MIB::linkDown",
                "ifIndex.7",
                "i",
                "7",
            ])
            .env("VARBIND_CERTIFICATE", pki.join("manager.pem"))
            .env("VARBIND_TRUST", pki.join("ca.pem"))
            .output()
            .unwrap()
            .into();
            assert_eq!(sent.code, Some(0), "{target} {command}: {sent:?}");
        }
    }
    let outcome: Outcome = receiver.wait_with_output().unwrap().into();
    assert_eq!(outcome.output.matches("linkDown").count(), 4, "{outcome:?}");
}

/// Without an option, a receiver shows the certificate that was issued for its host.
#[test]
fn a_receiver_shows_the_certificate_of_its_host() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    let home = Home::new();
    let configuration = home.path("varbind");
    fs::create_dir(&configuration).unwrap();
    fs::rename(home.path("pki"), configuration.join("pki")).unwrap();
    let pki = configuration.join("pki");
    let state = home.path("receiver");
    let words = [
        "receive",
        "--state",
        text(&state),
        "--listen",
        "tls:127.0.0.1:0",
    ];
    let unprivileged = |words: &[&str]| {
        let program = varbind(words);
        // The superuser has another directory.
        let mut command = Command::new("unshare");
        command
            .args(["--user", "--map-user=1000"])
            .arg(program.get_program())
            .args(program.get_args())
            .env_remove("VARBIND_CERTIFICATE")
            .env_remove("VARBIND_TRUST")
            .env_remove("VARBIND_LOG")
            .env("XDG_CONFIG_HOME", home.path(""));
        command
    };
    let probe = Command::new("unshare")
        .args(["--user", "--map-user=1000", "true"])
        .output();
    if !probe.is_ok_and(|output| output.status.success()) {
        return skip("unshare: no namespace of users can be made");
    }
    let mut receiver = unprivileged(&words[..])
        .args(["--count", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut told = BufReader::new(receiver.stderr.take().unwrap());
    told.read_line(&mut line).unwrap();
    let target = line.trim_end().strip_prefix("listening on ").expect(&line);
    let sent: Outcome = unprivileged(&["inform", target, "", "SNMPv2-MIB::coldStart"])
        .output()
        .unwrap()
        .into();
    assert_eq!(sent.code, Some(0), "{sent:?}");
    let outcome: Outcome = receiver.wait_with_output().unwrap().into();
    assert!(outcome.output.contains("coldStart"), "{outcome:?}");
    fs::remove_file(pki.join("agent.pem")).unwrap();
    let outcome: Outcome = unprivileged(&words[..]).output().unwrap().into();
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let advice = "varbind pki issue agent ";
    assert!(outcome.errors.contains(advice), "{outcome:?}");
}
