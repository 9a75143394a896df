//! Notifications over SSH: `varbind trap` and `varbind inform`, and those of the agent, to `varbind receive`.

use std::fs;
use std::path::Path;

use crate::program::{Listener, Outcome, run, varbind};
use varbind_testkit::ssh::Files;

/// `varbind receive` over SSH, to which the user `ops` may log in.
struct Receiver {
    files: Files,
    listener: Listener,
    /// Its address, without the transport.
    address: String,
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

impl Receiver {
    fn start(more: &[&str]) -> Self {
        let files = Files::new();
        let authorized_keys = format!("{}/%u", files.path("authorized_keys").display());
        let host_key = files.path("host_key");
        let state = files.path("receiver-state");
        let words = [
            &[
                "receive",
                "--json",
                "--state",
                text(&state),
                "--listen",
                "ssh:127.0.0.1:0",
                "--host-key",
                text(&host_key),
                "--authorized-keys",
                &authorized_keys,
            ],
            more,
        ];
        let mut command = varbind(&files.path(""), &words.concat());
        // Who was refused is told.
        command.env("VARBIND_LOG", "info");
        let mut listener = Listener::start(&mut command);
        let line = listener.wait_for_error("listening on ");
        let address = line.trim_end().strip_prefix("listening on ssh:").unwrap();
        Self {
            address: address.to_owned(),
            files,
            listener,
        }
    }

    fn send(&self, command: &str, options: &[&str], user: &str) -> Outcome {
        let (known_hosts, key) = (self.files.path("known_hosts"), self.files.path("id_ops"));
        let target = format!("ssh:{user}@{}", self.address);
        let words = [
            &[command],
            options,
            &["--known-hosts", text(&known_hosts)],
            &["--identity", text(&key), &target],
            &["4711", "IF-MIB::linkDown", "ifIndex.7", "i", "7"],
        ];
        run(&self.files.path(""), &words.concat())
    }
}

#[test]
fn traps_and_informs_of_the_command_line_arrive_with_who_has_logged_in() {
    let mut receiver = Receiver::start(&[]);
    let unknown = receiver.send("trap", &[], "ops");
    assert_eq!(unknown.code, Some(4), "{unknown:?}");
    assert!(unknown.errors.contains("is not known"), "{unknown:?}");
    for (command, options, version) in [
        ("trap", &["--accept-new-host-key"][..], "v3"),
        ("inform", &[], "v3"),
        ("trap", &["-v", "2c"], "v2c"),
        ("inform", &["-v", "2c"], "v2c"),
    ] {
        let sent = receiver.send(command, options, "ops");
        assert_eq!(sent.code, Some(0), "{command} {version}: {sent:?}");
        let arrived = receiver.listener.next_json();
        for (field, value) in [
            ("transport", "ssh"),
            ("version", version),
            ("kind", command),
            ("security_name", "ops"),
            ("notification", "IF-MIB::linkDown"),
        ] {
            assert_eq!(arrived[field], value, "{arrived}");
        }
        assert_eq!(arrived["up_time"], 4711);
    }
}

#[test]
fn a_refused_login_is_reported_to_sender_and_receiver() {
    let mut receiver = Receiver::start(&[]);
    let refused = receiver.send("inform", &["--accept-new-host-key"], "eve");
    assert_eq!(refused.code, Some(4), "{refused:?}");
    let told = "authentication as user eve was refused";
    assert!(refused.errors.contains(told), "{refused:?}");
    let log = receiver.listener.wait_for_error("authentication failed");
    assert!(
        log.contains("user \"eve\" with key SHA256:") && log.contains("no file of authorized keys"),
        "{log}"
    );
}

#[test]
fn only_the_notifications_of_a_user_are_taken_where_it_is_said() {
    let mut receiver = Receiver::start(&["--from-user", "watcher"]);
    let key = fs::read_to_string(receiver.files.path("authorized_keys/ops")).unwrap();
    receiver.files.authorize("watcher", &key);
    for user in ["ops", "watcher"] {
        let sent = receiver.send("inform", &["--accept-new-host-key"], user);
        assert_eq!(sent.code, Some(0), "{sent:?}");
    }
    assert_eq!(receiver.listener.next_json()["security_name"], "watcher");
}

#[test]
fn a_receiver_needs_a_host_key() {
    let home = tempfile::tempdir().unwrap();
    let outcome = run(home.path(), &["receive", "--listen", "ssh:127.0.0.1:0"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.errors.contains("--host-key"), "{outcome:?}");
    let missing = ["receive", "--listen", "ssh:127.0.0.1:0", "--host-key", "x"];
    let outcome = run(home.path(), &missing);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
}

#[test]
fn the_agent_logs_in_at_its_targets() {
    let mut receiver = Receiver::start(&[]);
    // The receiver's host is made known by a first trap.
    let sent = receiver.send("trap", &["--accept-new-host-key"], "ops");
    assert_eq!(sent.code, Some(0), "{sent:?}");
    receiver.listener.next_json();
    let files = &receiver.files;
    let target = |user: &str, kind: &str| {
        let address = format!("ssh:{user}@{}", receiver.address);
        format!("[[notification-target]]\naddress = {address:?}\nkind = {kind:?}\n")
    };
    let configuration = format!(
        "listen = []\ncommunity = []\nstate-directory = {:?}\n[ssh]\nidentity = [\"id_ops\"]\nknown-hosts = [\"known_hosts\"]\n{}{}",
        files.path("state"),
        target("ops", "inform"),
        target("eve", "inform"),
    );
    let file = files.path("agent.toml");
    fs::write(&file, configuration).unwrap();
    let mut command = varbind(&files.path(""), &["agent", "--config", text(&file)]);
    let mut agent = Listener::start(command.env("VARBIND_LOG", "info"));
    let arrived = receiver.listener.next_json();
    assert_eq!(
        (&arrived["notification"], &arrived["kind"]),
        (&"SNMPv2-MIB::coldStart".into(), &"inform".into())
    );
    assert_eq!(arrived["security_name"], "ops");
    // The agent says whom it cannot reach, and why.
    let log = agent.wait_for_error("eve@");
    assert!(
        log.contains("authentication as user eve was refused"),
        "{log}"
    );
}
