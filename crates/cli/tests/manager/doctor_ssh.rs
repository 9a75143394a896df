//! The command doctor over SSH.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use varbind_testkit::peers::skip;

use crate::doctor_secure::{assert_told, in_json, verdict};
use crate::own_agent::Agent;
use crate::program::{Outcome, varbind};
use crate::secure_transports::text;

/// An agent over SSH, and keys of a host and of users.
struct OverSsh {
    directory: tempfile::TempDir,
    _agent: Agent,
    target: String,
}

impl OverSsh {
    /// `None` where no keys can be made.
    fn start() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for name in ["host", "key", "other"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f", text(&path(name))])
                .status();
            if !made.is_ok_and(|status| status.success()) {
                skip("ssh-keygen cannot be run");
                return None;
            }
        }
        fs::copy(path("key.pub"), path("authorized-keys")).unwrap();
        let state = path("state");
        let configuration = format!(
            "listen = [\"ssh:127.0.0.1:0\"]\nstate-directory = {state:?}\n[ssh]\nhost-keys = [\"host\"]\n\
             authorized-keys = [\"authorized-keys\"]\n[[transport-user]]\nname = \"ops\"\n"
        );
        fs::write(path("agent.toml"), configuration).unwrap();
        let (agent, mut targets) = Agent::start_listening(&path("agent.toml"), 1);
        Some(Self {
            directory,
            _agent: agent,
            target: targets.remove(0),
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn examine(&self, user: &str, key: &str, options: &[&str]) -> Outcome {
        let target = self.target.replace("ssh:", &format!("ssh:{user}@"));
        let (known_hosts, key) = (self.path("known-hosts"), self.path(key));
        let fixed = [
            "doctor",
            &target,
            "--known-hosts",
            text(&known_hosts),
            "--identity",
            text(&key),
        ];
        varbind(&[&fixed, options].concat())
            .env("HOME", self.directory.path())
            .env_remove("SSH_AUTH_SOCK")
            .stdin(Stdio::null())
            .output()
            .unwrap()
            .into()
    }
}

#[test]
fn ssh_is_reported_step_by_step() {
    let Some(ssh) = OverSsh::start() else { return };
    let unknown = ssh.examine("ops", "key", &[]);
    let parts = [
        "ok  SSH             SSH-2.0-varbind",
        "no  host key",
        "--accept-new-host-key",
    ];
    assert_told(&unknown, 4, &parts);
    let accepted = ssh.examine("ops", "key", &["--accept-new-host-key"]);
    assert_told(&accepted, 0, &["accepted now"]);
    let parts = [
        "key exchange mlkem768x25519-sha256",
        "known-hosts line 1",
        "ok  user ops",
        "ok  subsystem       snmp",
        "ok  sysUpTime",
        "varbind get --identity",
    ];
    assert_told(&ssh.examine("ops", "key", &[]), 0, &parts);
    let document = in_json(&ssh.examine("ops", "key", &["--json"]));
    for step in [
        "tcp",
        "ssh",
        "session",
        "host-key",
        "user",
        "subsystem",
        "sysuptime",
    ] {
        assert_eq!(verdict(&document, step), "ok", "{step}: {document}");
    }
    assert!(
        document.to_string().contains("\"subject\":\"ops\""),
        "{document}"
    );
    let refused = ssh.examine("ops", "other", &[]);
    assert_told(
        &refused,
        4,
        &["): refused", "no  user ops        all is refused"],
    );
    let missing = ssh.examine("ops", "nope", &[]);
    assert_told(
        &missing,
        1,
        &["no  identity        --identity", "no such file"],
    );
    let nothing = ssh.examine("eve", "key", &[]);
    assert_told(&nothing, 2, &["authorizationError", "name = \"eve\""]);
    let known_hosts = ssh.path("known-hosts");
    let line = fs::read_to_string(&known_hosts).unwrap();
    let (host, _) = line.split_once(' ').unwrap();
    let other = fs::read_to_string(ssh.path("other.pub")).unwrap();
    fs::write(&known_hosts, format!("{host} {other}")).unwrap();
    let parts = ["it has changed", "known-hosts line 1 says SHA256:"];
    assert_told(&ssh.examine("ops", "key", &[]), 4, &parts);
}
