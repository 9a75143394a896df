//! Certificates, rules and lists that change, and what is revoked.

use std::fs;
use std::path::Path;

use varbind_testkit::peers::Running;

use super::{Home, SecureAgent, assert_services, text};
use crate::program::{Outcome, run, varbind};
#[test]
fn certificates_and_rules_are_read_again_while_sessions_stay() {
    let (mut agent, targets) = Home::new().agent(&["tls", "dtls"], "");
    let before = fs::read(agent.home.path("pki/agent-key.pem")).unwrap();
    let of = |agent: &SecureAgent| {
        let path = agent.home.path("pki/agent.pem");
        run(&["pki", "fingerprint", text(&path)])
            .output
            .trim_end()
            .to_owned()
    };
    let ask = |agent: &SecureAgent, fingerprint: &str| -> Vec<Option<i32>> {
        let words = ["get", "--peer-fingerprint", fingerprint];
        targets
            .iter()
            .map(|target| {
                agent
                    .manager(&[&words[..], &[target, "sysServices.0"]].concat())
                    .code
            })
            .collect()
    };
    let first = of(&agent);
    assert_eq!(ask(&agent, &first), [Some(0), Some(0)]);
    // What cannot be used changes nothing.
    fs::write(agent.home.path("pki/agent-key.pem"), "damaged").unwrap();
    agent.agent.reload("the old configuration stays in force");
    assert_eq!(ask(&agent, &first), [Some(0), Some(0)]);
    fs::write(agent.home.path("pki/agent-key.pem"), before).unwrap();
    agent
        .home
        .pki(&["issue", "agent", "localhost", "127.0.0.1", "--force"]);
    agent.agent.reload("the configuration was read again");
    assert_eq!(ask(&agent, &of(&agent)), [Some(0), Some(0)]);
    assert_eq!(ask(&agent, &first), [Some(4), Some(4)]);
}

#[test]
fn a_revoked_certificate_is_refused_in_both_roles() {
    let home = Home::new();
    let (agent, targets) = home.agent(&["tls", "dtls"], "");
    let pki = agent.home.path("pki");
    let list = pki.join("crl.pem");
    let with_list = |words: &[&str]| {
        let option = ["--revocation-list", text(&list)];
        agent.manager(&[words, &option].concat())
    };
    agent.home.pki(&["revoke"]);
    for target in &targets {
        assert_services(&with_list(&["get", target, "sysServices.0"]));
    }
    let certificate = pki.join("agent.pem");
    let reason = ["--reason", "key-compromise"];
    agent
        .home
        .pki(&[&["revoke", text(&certificate)][..], &reason].concat());
    for target in &targets {
        let outcome = with_list(&["get", target, "sysServices.0"]);
        assert_eq!(outcome.code, Some(4), "{outcome:?}");
        assert!(!outcome.errors.contains("trust its"), "{outcome:?}");
        for part in [
            "CN=localhost",
            "was revoked at",
            "its key is known",
            text(&list),
        ] {
            assert!(outcome.errors.contains(part), "{part}: {outcome:?}");
        }
        assert_services(&agent.manager(&["get", target, "sysServices.0"]));
        let doctor = with_list(&["doctor", target]);
        assert!(doctor.output.contains("was revoked at"), "{doctor:?}");
        assert!(!doctor.output.contains("--peer-fingerprint"), "{doctor:?}");
    }
}

/// Its standard error, line by line; the process ends with it.
struct Receiver {
    child: Running,
    errors: std::io::Lines<std::io::BufReader<std::process::ChildStderr>>,
}

impl Receiver {
    /// Over TLS and DTLS, with the agent's certificate.
    fn start(home: &Home, list: &Path) -> (Self, Vec<String>) {
        use std::io::BufRead;

        let pki = home.path("pki");
        let mut child = varbind(&["receive", "--listen", "tls:127.0.0.1:0"])
            .args(["--state", text(&home.path("receiver"))])
            .args([
                "--listen",
                "dtls:127.0.0.1:0",
                "--revocation-list",
                text(list),
            ])
            .env("VARBIND_CERTIFICATE", pki.join("agent.pem"))
            .env("VARBIND_TRUST", pki.join("ca.pem"))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let errors = std::io::BufReader::new(child.stderr.take().unwrap()).lines();
        let mut receiver = Self {
            child: Running(child),
            errors,
        };
        let addresses = [(); 2].map(|()| {
            let line = receiver.next_error();
            line.strip_prefix("listening on ").unwrap().to_owned()
        });
        (receiver, addresses.into())
    }

    fn next_error(&mut self) -> String {
        self.errors.next().unwrap().unwrap()
    }

    fn hang_up(&self) {
        self.child.signal("-HUP");
    }
}

#[test]
fn a_receiver_reads_certificates_and_lists_again_at_sighup() {
    let home = Home::new();
    home.pki(&["revoke"]);
    let pki = home.path("pki");
    let list = pki.join("crl.pem");
    let (mut receiver, targets) = Receiver::start(&home, &list);
    let inform = |target: &str| -> Outcome {
        varbind(&["inform", target, "", "SNMPv2-MIB::coldStart"])
            .env("VARBIND_CERTIFICATE", pki.join("manager.pem"))
            .env("VARBIND_TRUST", pki.join("ca.pem"))
            .output()
            .unwrap()
            .into()
    };
    for target in &targets {
        assert_eq!(inform(target).code, Some(0), "{:?}", inform(target));
    }
    let former = fs::read(&list).unwrap();
    fs::write(&list, "nothing").unwrap();
    receiver.hang_up();
    let told = receiver.next_error();
    assert!(told.contains("certificates and keys stay"), "{told}");
    assert!(told.contains("crl.pem"), "{told}");
    for target in &targets {
        assert_eq!(inform(target).code, Some(0));
    }
    fs::write(&list, former).unwrap();
    home.pki(&["revoke", text(&pki.join("manager.pem"))]);
    receiver.hang_up();
    let told = receiver.next_error();
    assert!(told.contains("were read again"), "{told}");
    for target in &targets {
        let outcome = inform(target);
        assert_ne!(outcome.code, Some(0), "{outcome:?}");
        assert!(outcome.errors.contains("revoked"), "{outcome:?}");
    }
}
