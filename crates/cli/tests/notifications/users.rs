//! Many users of SNMPv3, by options and by a file, and an engine that outlives the receiver.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use varbind_testkit::peers::is_installed;

use crate::program::{Receive, count, run, succeed};

/// Files with passwords of two users.
struct Passwords(TempDir);

const SECRETS: [(&str, &str); 2] = [("ops", "maplesyrup"), ("watcher", "apple sauce")];

impl Passwords {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (user, password) in SECRETS {
            fs::write(directory.path().join(user), format!("{password}\n")).unwrap();
        }
        Self(directory)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

/// Sends with a user's password for both, and what is said beside it.
fn send(command: &str, receive: &Receive, user: (&str, &str), more: &[&str]) -> Option<i32> {
    let (name, password) = user;
    let (target, protocols) = (&*receive.address, ["-a", "SHA-256", "-x", "AES"]);
    let words = [
        &[command, "-v3", "-u", name, "-A", password, "-X", password][..],
        &protocols,
        &["-t", "3", "-r", "1"],
        more,
        &[target, "", "coldStart"],
    ];
    run(&words.concat()).0
}

#[track_caller]
fn assert_both_are_received(receive: &Receive) {
    for user in SECRETS {
        for command in ["trap", "inform"] {
            assert_eq!(send(command, receive, user, &[]), Some(0), "{user:?}");
            let json = receive.next_json();
            assert_eq!(
                (&json["kind"], &json["security_name"]),
                (&command.into(), &user.0.into())
            );
        }
    }
    // Not with the password of the other.
    assert_ne!(send("inform", receive, ("ops", SECRETS[1].1), &[]), Some(0));
}

#[test]
fn several_users_are_given_by_options() {
    let passwords = Passwords::new();
    let describe = |name: &str| {
        let file = passwords.path(name);
        format!("name={name},auth=SHA-256,auth-file={file},priv=AES,priv-file={file}")
    };
    let (ops, watcher) = (describe("ops"), describe("watcher"));
    let receive = Receive::start(&["--json", "-u", &ops, "-u", &watcher]);
    assert_both_are_received(&receive);
    let arguments = fs::read(format!("/proc/{}/cmdline", receive.child.0.id())).unwrap();
    let arguments = String::from_utf8(arguments).unwrap();
    assert!(!arguments.contains(SECRETS[0].1), "{arguments}");
    let (_, error) = run(&["receive", "-u", "one", "-u", "two"]);
    assert!(error.contains("name=NAME"), "{error}");
    let (code, error) = run(&["receive", "-u", &ops, "-u", &ops]);
    assert_eq!(code, Some(1));
    assert!(error.contains("ops is there twice"), "{error}");
}

fn configure(file: &Path, users: &[&str]) {
    let mut text = String::from("format = \"json\"\n[[community]]\nname = \"traps\"\n");
    for user in users {
        text += &format!(
            "[[user]]\nname = \"{user}\"\n\
             authentication = {{ protocol = \"SHA-256\", password-file = \"{user}\" }}\n\
             privacy = {{ protocol = \"AES\", password-file = \"{user}\" }}\n"
        );
    }
    fs::write(file, text).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn several_users_are_in_a_file_that_is_read_again() {
    let passwords = Passwords::new();
    let file = passwords.0.path().join("receive.toml");
    configure(&file, &["ops"]);
    let receive = Receive::start(&["--config", file.to_str().unwrap()]);
    assert_ne!(send("inform", &receive, SECRETS[1], &[]), Some(0));
    configure(&file, &["ops", "watcher"]);
    receive.child.signal("-HUP");
    receive.await_error("were read again");
    assert_both_are_received(&receive);
    succeed(&["inform", "-c", "traps", &receive.address, "", "warmStart"]);
    assert_eq!(receive.next_json()["security_name"], "community-1");
    // What cannot be read leaves all as it was.
    fs::write(&file, "[[user]]\nname = 7\n").unwrap();
    receive.child.signal("-HUP");
    let error = receive.await_error("the old configuration");
    assert!(error.contains("line 2: invalid type"), "{error}");
    assert_both_are_received(&receive);
    let (_, summary) = receive.stop("-TERM");
    assert_eq!(count(&summary, "delivered"), 9, "{summary}");
}

#[test]
fn one_name_is_another_user_at_another_engine() {
    let passwords = Passwords::new();
    let describe = |file: &str, engine: &str| {
        let file = passwords.path(file);
        format!("name=ops,auth=SHA-256,auth-file={file},priv=AES,priv-file={file},engine={engine}")
    };
    let engines = ["80000000046f6e65", "800000000474776f"];
    let (first, second) = (describe("ops", engines[0]), describe("watcher", engines[1]));
    let receive = Receive::start(&["--json", "-u", &first, "-u", &second]);
    for (engine, (_, password)) in engines.iter().zip(SECRETS) {
        assert_eq!(
            send("trap", &receive, ("ops", password), &["-e", engine]),
            Some(0)
        );
        assert_eq!(receive.next_json()["security_name"], "ops");
    }
    send("trap", &receive, ("ops", SECRETS[1].1), &["-e", engines[0]]);
    succeed(&["inform", &receive.address, "", "warmStart"]);
    assert_eq!(receive.next_json()["notification"], "SNMPv2-MIB::warmStart");
    let (_, summary) = receive.stop("-TERM");
    assert_eq!(count(&summary, "security"), 1, "{summary}");
}

fn kept(state: &Path) -> (String, u32) {
    let text = fs::read_to_string(state.join("engine")).unwrap();
    let field = |name: &str| {
        let mut lines = text.lines();
        let found = lines.find_map(|line| line.strip_prefix(name));
        found.expect("a field").trim().to_owned()
    };
    (field("id"), field("boots").parse().unwrap())
}

/// A sender that goes on running knows the engine that it has discovered, and no other.
#[test]
fn a_restarted_receiver_is_the_engine_that_senders_know() {
    let passwords = Passwords::new();
    let state = passwords.0.path().join("state");
    let file = passwords.path("ops");
    let ops = format!("name=ops,auth=SHA-256,auth-file={file},priv=AES,priv-file={file}");
    let arguments = ["--json", "-u", &ops, "--state", state.to_str().unwrap()];
    let receive = Receive::start(&arguments);
    let mut session = sessions::Session::open(&receive.address, SECRETS[0]);
    assert!(session.inform());
    assert_eq!(receive.next_json()["kind"], "inform");
    let (id, boots) = kept(&state);
    let address = receive.address.clone();
    receive.stop("-TERM");
    let receive = Receive::start_at(&address, &arguments);
    assert_eq!(kept(&state), (id.clone(), boots + 1));
    assert!(session.inform(), "the session ended with the receiver");
    assert_eq!(receive.next_json()["kind"], "inform");
    if is_installed("snmpinform") {
        let output = std::process::Command::new("snmpinform")
            .args([
                "-v3", "-u", "ops", "-l", "authPriv", "-a", "SHA-256", "-x", "AES",
            ])
            .args(["-A", SECRETS[0].1, "-X", SECRETS[0].1, "-m", "", "-r", "1"])
            .args(["-e", &id, &address, "77", "1.3.6.1.6.3.1.1.5.1"])
            .env("SNMPCONFPATH", "/nonexistent")
            .env("SNMP_PERSISTENT_DIR", state.join("net-snmp"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    // Two receivers cannot be one engine.
    let second = run(&[&["receive", "--listen", "udp:127.0.0.1:0"][..], &arguments].concat());
    assert_eq!(second.0, Some(1));
    assert!(second.1.contains("another receiver"), "{}", second.1);
    let json: Value = receive.next_json();
    assert_eq!(json["kind"], "inform");
}

/// A sender in this process, which keeps what it knows of the receiver.
mod sessions {
    use std::sync::Arc;

    use varbind::blocking::NotificationTarget;
    use varbind::clock::Clock;
    use varbind::engine::applications::command_generator::{
        MessageProcessing, RetryPolicy, V3Parameters,
    };
    use varbind::engine::applications::notification::Notification;
    use varbind::engine::applications::notification_originator::OriginatorEvent;
    use varbind::engine::applications::notification_receiver::NotificationKind;
    use varbind::engine::engine_id::EngineId;
    use varbind::engine::security::SecurityName;
    use varbind::engine::security::usm::{
        AuthenticationProtocol, Credentials, LocalEngine, Password, PrivacyProtocol,
    };
    use varbind::notification::{Progress, TargetOptions};

    pub(super) struct Session(NotificationTarget);

    impl Session {
        pub(super) fn open(address: &str, (name, password): (&str, &str)) -> Self {
            let password = Password::new(password.as_bytes()).unwrap();
            let credentials = Credentials::auth_priv(
                AuthenticationProtocol::Sha256,
                &password,
                PrivacyProtocol::Aes128,
                &password,
            );
            let parameters = V3Parameters::user(SecurityName::new(name), credentials).unwrap();
            let processing = MessageProcessing::V3(Box::new(parameters));
            let mut options = TargetOptions::new(NotificationKind::Inform, processing);
            options.originator.retry = RetryPolicy::Fixed {
                timeout: std::time::Duration::from_secs(1),
                retries: 20,
            };
            let clock = Clock::start();
            let id = EngineId::new(b"\x80\0\0\0\x04sender").unwrap();
            options.originator.engine = Some(Arc::new(LocalEngine::new(id, 1, clock.now(), 1)));
            let address = format!("udp:{address}").parse().unwrap();
            let mut target = NotificationTarget::new(address, options, clock).unwrap();
            target.connect().unwrap();
            Self(target)
        }

        pub(super) fn inform(&mut self) -> bool {
            let name = "1.3.6.1.6.3.1.1.5.1".parse().unwrap();
            self.0
                .send(&Notification::new(7, name, Vec::new()))
                .unwrap();
            matches!(
                self.0.progress(),
                Progress::Event(OriginatorEvent::Acknowledged { .. })
            )
        }
    }
}
