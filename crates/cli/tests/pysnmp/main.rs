//! Another implementation's opinion: pysnmp as manager, agent and sender of notifications, with every user that
//! SNMPv3's protocols allow.
#![cfg(test)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::time::Duration;

use varbind::clock::Clock;
use varbind::engine::applications::notification_receiver::{
    NotificationKind, NotificationUser, ReceiverConfiguration,
};
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::SecurityName;
use varbind::engine::security::usm::{
    AuthenticationProtocol, Credentials, KeyExtension, LocalEngine, Password, PrivacyProtocol,
};
use varbind::notification::{NotificationReceiver, ReceiverLimits};
use varbind::transport::Transport;
use varbind_testkit::peers::{Running, free_port};

/// What is installed, from the Python package index.
const PACKAGES: [&str; 2] = ["pysnmp==7.1.30", "cryptography==50.0.2"];
const PASSWORD: &str = "maplesyrup";
const OTHER_PASSWORD: &str = "apple sauce";
const PATIENCE: Duration = Duration::from_secs(10);
/// Of the agent's configuration, the command line and the library.
const AUTHENTICATION: [(&str, AuthenticationProtocol); 6] = [
    ("MD5", AuthenticationProtocol::Md5),
    ("SHA", AuthenticationProtocol::Sha1),
    ("SHA-224", AuthenticationProtocol::Sha224),
    ("SHA-256", AuthenticationProtocol::Sha256),
    ("SHA-384", AuthenticationProtocol::Sha384),
    ("SHA-512", AuthenticationProtocol::Sha512),
];
const PRIVACY: [(&str, &str, PrivacyProtocol); 6] = [
    ("DES", "DES", PrivacyProtocol::Des),
    ("AES", "AES", PrivacyProtocol::Aes128),
    (
        "AES-192",
        "AES-192",
        PrivacyProtocol::Aes192(KeyExtension::Blumenthal),
    ),
    (
        "AES-256",
        "AES-256",
        PrivacyProtocol::Aes256(KeyExtension::Blumenthal),
    ),
    (
        "AES-192-Reeder",
        "AES-192-C",
        PrivacyProtocol::Aes192(KeyExtension::Reeder),
    ),
    (
        "AES-256-Reeder",
        "AES-256-C",
        PrivacyProtocol::Aes256(KeyExtension::Reeder),
    ),
];
/// Of them, one without protocols, one for each way to authenticate, and one for each pair of protocols.
const USERS: usize = 1 + AUTHENTICATION.len() + AUTHENTICATION.len() * PRIVACY.len();

type Protocols = (
    Option<usize>, // of AUTHENTICATION
    Option<usize>, // of PRIVACY
);

/// The names and protocols of all users.
fn users() -> Vec<(String, Protocols)> {
    let mut users = vec![("guest".to_owned(), (None, None))];
    for (first, (authentication, _)) in AUTHENTICATION.iter().enumerate() {
        users.push(((*authentication).to_owned(), (Some(first), None)));
        for (second, (privacy, ..)) in PRIVACY.iter().enumerate() {
            let name = format!("{authentication}_{privacy}");
            users.push((name, (Some(first), Some(second))));
        }
    }
    assert_eq!(users.len(), USERS);
    users
}

/// Runs the peer to its end; returns what it tells.
/// The Python interpreter that has pysnmp; `None`, told as a skip, where it cannot be installed.
fn python() -> Option<PathBuf> {
    varbind_testkit::peers::python(Path::new(env!("CARGO_TARGET_TMPDIR")), &PACKAGES)
}

fn run_peer(python: &Path, role: &str, port: u16) -> Vec<String> {
    let output = peer(python, role, port).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn peer(python: &Path, role: &str, port: u16) -> Command {
    let mut command = Command::new(python);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pysnmp/peer.py");
    command
        .args([script, role, &port.to_string()])
        // Where it keeps snmpEngineBoots.
        .env("TMPDIR", env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    command
}

#[track_caller]
fn assert_all_right(lines: &[String], count: usize) {
    let wrong: Vec<_> = lines.iter().filter(|line| !line.ends_with(" ok")).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(lines.len(), count);
}

#[test]
fn our_agent_answers_their_manager() {
    let Some(python) = python() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join("state");
    let mut text = format!("state-directory = {state:?}\nlisten = [\"udp:127.0.0.1:0\"]\n");
    for (name, (authentication, privacy)) in users() {
        text += &format!("[[user]]\nname = {name:?}\naccess = \"read-write\"\n");
        text += match (authentication, privacy) {
            (None, _) => "level = \"noAuthNoPriv\"\n",
            (_, None) => "level = \"authNoPriv\"\n",
            _ => "",
        };
        if let Some(at) = authentication {
            let protocol = AUTHENTICATION[at].0;
            text += &format!(
                "authentication = {{ protocol = {protocol:?}, password = {PASSWORD:?} }}\n"
            );
        }
        if let Some(at) = privacy {
            let protocol = PRIVACY[at].0;
            text += &format!(
                "privacy = {{ protocol = {protocol:?}, password = {OTHER_PASSWORD:?} }}\n"
            );
        }
    }
    let file = home.path().join("agent.toml");
    std::fs::write(&file, text).unwrap();
    let agent = Command::new(env!("CARGO_BIN_EXE_varbind"))
        .args(["agent", "--config", file.to_str().unwrap()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut agent = Running(agent);
    let mut line = String::new();
    let output = agent.0.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut line).unwrap();
    let (_, port) = line.trim_end().rsplit_once(':').unwrap();
    let lines = run_peer(&python, "manage", port.parse().unwrap());
    // A Set and a Get of each user, and a walk.
    assert_all_right(&lines, 2 * USERS + 1);
}

#[test]
fn our_receiver_takes_their_traps_and_informs() {
    let Some(python) = python() else {
        return;
    };
    let password = Password::new(PASSWORD.as_bytes()).unwrap();
    let other = Password::new(OTHER_PASSWORD.as_bytes()).unwrap();
    let known = users()
        .into_iter()
        .map(|(name, (authentication, privacy))| {
            let credentials = match (authentication, privacy) {
                (Some(first), Some(second)) => Credentials::auth_priv(
                    AUTHENTICATION[first].1,
                    &password,
                    PRIVACY[second].2,
                    &other,
                ),
                (Some(first), None) => {
                    Credentials::auth_no_priv(AUTHENTICATION[first].1, &password)
                }
                (None, _) => Credentials::NoAuthNoPriv,
            };
            NotificationUser::new(SecurityName::new(name), credentials).unwrap()
        });
    let engine_id = EngineId::new(b"\x80\0\0\0\x04receiver").unwrap();
    let clock = Clock::start();
    let configuration = ReceiverConfiguration {
        users: known.collect(),
        engine: Some(LocalEngine::new(engine_id, 1, clock.now(), 1).into()),
        ..ReceiverConfiguration::default()
    };
    let (receiver, notifications) =
        NotificationReceiver::start(configuration, ReceiverLimits::default(), clock);
    let address = receiver
        .listen(Transport::Udp, "127.0.0.1:0".parse().unwrap())
        .unwrap();
    // It takes what comes while the peer waits for acknowledgements.
    let received = std::thread::spawn(move || {
        let mut received = Vec::new();
        while received.len() < 2 * USERS {
            let next = notifications.next_within(PATIENCE).unwrap();
            received.push(next.expect("a notification").deliver());
        }
        received
    });
    assert_all_right(&run_peer(&python, "notify", address.port()), 2 * USERS);
    let mut received = received.join().unwrap().into_iter();
    for (name, _) in users() {
        for (kind, word) in [
            (NotificationKind::Trap, "trap"),
            (NotificationKind::Inform, "inform"),
        ] {
            let arrived = received.next().unwrap();
            assert_eq!(arrived.kind, kind, "{name}");
            assert_eq!(arrived.security_name.as_str(), name);
            let values = &arrived.notification.var_binds;
            let said = format!("{word} of {name}").into_bytes();
            assert!(
                values
                    .iter()
                    .any(|object| object.value
                        == varbind::codec::smi::Value::OctetString(said.clone())),
                "{values:?}"
            );
        }
    }
}

/// Their agent, which ends when its standard input does.
struct TheirAgent {
    _process: Running,
    input: Option<ChildStdin>,
    target: String,
}

impl TheirAgent {
    fn start(python: &Path) -> Self {
        let port = free_port();
        let mut process = peer(python, "agent", port)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take();
        let mut line = String::new();
        let output = process.stdout.take().unwrap();
        let process = Running(process);
        BufReader::new(output).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Self {
            _process: process,
            input,
            target: format!("udp:127.0.0.1:{port}"),
        }
    }

    #[track_caller]
    fn ask(&self, command: &str, user: &[&str], names: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_varbind"))
            .args([command, "-v", "3"])
            .args(user)
            .arg(&self.target)
            .args(names)
            .env("MIBDIRS", "")
            .env_remove("VARBIND_LOG")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{user:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for TheirAgent {
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take() {
            let _ = input.flush();
        }
    }
}

#[test]
fn our_manager_asks_their_agent() {
    let Some(python) = python() else {
        return;
    };
    let agent = TheirAgent::start(&python);
    for (name, (authentication, privacy)) in users() {
        let mut user = vec!["-u", &name];
        if let Some(at) = authentication {
            user.extend(["-a", AUTHENTICATION[at].0, "-A", PASSWORD]);
        }
        if let Some(at) = privacy {
            user.extend(["-x", PRIVACY[at].1, "-X", OTHER_PASSWORD]);
        }
        user.extend(match (authentication, privacy) {
            (None, _) => ["-l", "noAuthNoPriv"],
            (_, None) => ["-l", "authNoPriv"],
            _ => ["-l", "authPriv"],
        });
        let said = format!("SNMPv2-MIB::sysContact.0 = STRING: {name}\n");
        let set = agent.ask("set", &user, &["sysContact.0", "s", &name]);
        assert_eq!(set, said);
        assert_eq!(agent.ask("get", &user, &["sysContact.0"]), said);
    }
    let walk = agent.ask("walk", &["-u", "guest", "-l", "noAuthNoPriv"], &["system"]);
    assert!(walk.lines().count() > 6, "{walk}");
    assert!(walk.contains("sysServices.0"), "{walk}");
}
