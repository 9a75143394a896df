//! TLS and DTLS with the certificates that `varbind pki` makes.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use varbind_peers::{Running, skip};

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

/// An authority, an agent's certificate and a manager's, in the places where they are sought.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self::with_keys("ecdsa-p256")
    }

    /// The same with keys of another type.
    pub(crate) fn with_keys(kind: &str) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for words in [
            &["init"][..],
            &["issue", "agent", "localhost", "127.0.0.1"],
            &["issue", "manager", "ops"],
        ] {
            home.pki(&[words, &["--key-type", kind]].concat());
        }
        home
    }

    pub(crate) fn pki(&self, words: &[&str]) {
        let directory = self.path("pki");
        let directory = ["--directory", text(&directory)];
        let outcome = run(&[&["pki"], words, &directory].concat());
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// An agent over these transports, who gives managers access by their common names.
    pub(crate) fn agent(self, transports: &[&str], lines: &str) -> (SecureAgent, Vec<String>) {
        self.agent_on(transports, lines, transports.len())
    }

    /// The same where the lines make it listen on more, so that there are this many addresses.
    pub(crate) fn agent_on(
        self,
        transports: &[&str],
        lines: &str,
        addresses: usize,
    ) -> (SecureAgent, Vec<String>) {
        let listen: Vec<_> = transports
            .iter()
            .map(|transport| format!("\"{transport}:127.0.0.1:0\""))
            .collect();
        let text = format!(
            "listen = [{}]\nstate-directory = \"state\"\n{lines}\n[[tls.map]]\ncertificate = \"pki/ca.pem\"\nto = \"common-name\"\n\
             [[transport-user]]\nname = \"ops\"\naccess = \"read-write\"\nversions = [\"v1\", \"v2c\", \"v3\"]\n",
            listen.join(", ")
        )
        .replace("\"state\"", &format!("{:?}", self.path("state")));
        fs::write(self.path("agent.toml"), text).unwrap();
        let (agent, targets) = Agent::start_listening(&self.path("agent.toml"), addresses);
        (SecureAgent { home: self, agent }, targets)
    }
}

pub(crate) struct SecureAgent {
    pub(crate) home: Home,
    agent: Agent,
}

impl SecureAgent {
    /// The program with the manager's certificate.
    pub(crate) fn manager(&self, words: &[&str]) -> Outcome {
        self.manager_with("manager.pem", words)
    }

    pub(crate) fn manager_with(&self, certificate: &str, words: &[&str]) -> Outcome {
        let pki = self.home.path("pki");
        varbind(words)
            .env("VARBIND_CERTIFICATE", pki.join(certificate))
            .env("VARBIND_TRUST", pki.join("ca.pem"))
            .output()
            .unwrap()
            .into()
    }
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn assert_services(outcome: &Outcome) {
    assert_eq!(
        outcome.output, "SNMPv2-MIB::sysServices.0 = INTEGER: 72\n",
        "{outcome:?}"
    );
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
fn an_agent_that_is_not_the_one_meant_is_refused() {
    let (agent, targets) = Home::new().agent(&["tls", "dtls"], "");
    agent.home.pki(&[
        "issue",
        "agent",
        "other",
        "--output",
        text(&agent.home.path("other")),
    ]);
    let other = agent.home.path("other/agent.pem");
    let other = run(&["pki", "fingerprint", text(&other)]).output;
    for target in &targets {
        for (option, part) in [
            (["--peer-name", "router"], "is not that of router"),
            (["--peer-fingerprint", other.trim_end()], "sha256:"),
        ] {
            let outcome =
                agent.manager(&[&["get"], &option[..], &[target, "sysServices.0"]].concat());
            assert_eq!(outcome.code, Some(4), "{target}: {outcome:?}");
            assert!(outcome.errors.contains(part), "{target}: {outcome:?}");
        }
        let any = agent.manager(&["get", "--peer-name", "*", target, "sysServices.0"]);
        assert_services(&any);
    }
}

#[test]
fn managers_without_a_name_or_access_get_nothing() {
    let (agent, targets) = Home::new().agent(&["tls", "dtls"], "");
    let stranger = tempfile::tempdir().unwrap();
    let directory = text(stranger.path());
    run(&["pki", "init", "--directory", directory]);
    run(&["pki", "issue", "manager", "ops", "--directory", directory]);
    let eve = agent.home.path("eve");
    agent
        .home
        .pki(&["issue", "manager", "eve", "--output", text(&eve)]);
    for target in &targets {
        let words = ["get", target, "sysServices.0"];
        let refused = agent.manager_with(&format!("{directory}/manager.pem"), &words);
        assert_eq!(refused.code, Some(4), "{target}: {refused:?}");
        let nothing = agent.manager_with(&format!("{}/manager.pem", text(&eve)), &words);
        assert_eq!(nothing.code, Some(2), "{target}: {nothing:?}");
        assert!(nothing.errors.contains("authorizationError"), "{nothing:?}");
    }
}

#[test]
fn without_a_certificate_it_is_told_how_to_get_one() {
    let empty = tempfile::tempdir().unwrap();
    let ask = |options: &[&str]| -> Outcome {
        varbind(&[&["get"], options, &["tls:127.0.0.1:1", "sysServices.0"]].concat())
            .env("XDG_CONFIG_HOME", empty.path())
            .output()
            .unwrap()
            .into()
    };
    let fingerprint = format!("sha256:{}", "0".repeat(64));
    let outcome = ask(&["--peer-fingerprint", &fingerprint]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.errors.contains("varbind pki issue"), "{outcome:?}");
    let outcome = ask(&[]);
    assert!(outcome.errors.contains("--trust"), "{outcome:?}");
    let outcome = ask(&["--peer-fingerprint", "12"]);
    assert!(outcome.errors.contains("32 octets"), "{outcome:?}");
}

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
    agent.agent.reload("the former configuration stays");
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
fn notifications_go_over_tls_and_dtls() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    let home = Home::new();
    let pki = home.path("pki");
    let mut receiver = varbind(&[
        "receive",
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

#[test]
fn ssh_works_with_keys_and_known_hosts() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    for name in ["host", "key", "other"] {
        let made = std::process::Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f", text(&path(name))])
            .status();
        if !made.is_ok_and(|status| status.success()) {
            skip("ssh-keygen cannot be run");
            return;
        }
    }
    fs::copy(path("key.pub"), path("authorized-keys")).unwrap();
    fs::write(
        path("agent.toml"),
        format!(
            "listen = [\"ssh:127.0.0.1:0\"]\nstate-directory = {:?}\n[ssh]\nhost-keys = [\"host\"]\nauthorized-keys = [\"authorized-keys\"]\n\
             [[transport-user]]\nname = \"ops\"\naccess = \"read-write\"\n",
            path("state")
        ),
    )
    .unwrap();
    let (mut agent, targets) = Agent::start_listening(&path("agent.toml"), 1);
    let target = targets[0].replace("ssh:", "ssh:ops@");
    let (known_hosts, key) = (path("known-hosts"), path("key"));
    let options = [
        "--known-hosts",
        text(&known_hosts),
        "--identity",
        text(&key),
    ];
    let ask = |words: &[&str]| {
        varbind(&[words, &options[..], &[&target, "sysServices.0"]].concat())
            .env("HOME", directory.path())
            .env_remove("SSH_AUTH_SOCK")
            .output()
            .unwrap()
            .into()
    };
    let unknown: Outcome = ask(&["get"]);
    assert_eq!(unknown.code, Some(4), "{unknown:?}");
    assert!(unknown.errors.contains("is not known"), "{unknown:?}");
    assert_services(&ask(&["get", "--accept-new-host-key"]));
    assert_services(&ask(&["get"]));
    // Keys are read again, without a restart.
    fs::copy(path("other.pub"), path("authorized-keys")).unwrap();
    agent.reload("the configuration was read again");
    let refused: Outcome = ask(&["get"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.errors.contains("was refused"), "{refused:?}");
    fs::copy(path("key.pub"), path("authorized-keys")).unwrap();
    // Another host key is one that has changed.
    fs::copy(path("other"), path("host")).unwrap();
    agent.reload("the configuration was read again");
    let changed: Outcome = ask(&["get", "--accept-new-host-key"]);
    assert_eq!(changed.code, Some(4), "{changed:?}");
    assert!(changed.errors.contains("changed"), "{changed:?}");
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
    assert!(
        told.contains("the former certificates and keys stay"),
        "{told}"
    );
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

/// A directory of settings in which Net-SNMP finds certificates, and the key of one of them.
pub(crate) fn net_snmp_settings(pki: &Path, own: &str) -> TempDir {
    let settings = tempfile::tempdir().unwrap();
    for (from, directory, to) in [
        (format!("{own}-key.pem"), "private", format!("{own}.key")),
        ("manager.pem".to_owned(), "certs", "manager.crt".to_owned()),
        ("agent.pem".to_owned(), "certs", "agent.crt".to_owned()),
        ("ca.pem".to_owned(), "ca-certs", "ca.crt".to_owned()),
    ] {
        let directory = settings.path().join("tls").join(directory);
        fs::create_dir_all(&directory).unwrap();
        fs::copy(pki.join(from), directory.join(to)).unwrap();
    }
    fs::write(settings.path().join("snmp.conf"), "defSecurityModel tsm\n").unwrap();
    settings
}
