//! Another implementation of SNMP over TLS and DTLS: SNMP4J as manager and as agent.
#![cfg(test)]

mod environment;

use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{ChildStdout, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use environment::{STORE_PASSWORD, Stores, class_path};
use tempfile::TempDir;
use varbind_testkit::peers::{Running, free_port, skip};

const SYS_DESCR: &str = "1.3.6.1.2.1.1.1.0";
const SYS_OBJECT_ID: &str = "1.3.6.1.2.1.1.2.0";

/// One Java at a time: several at once are slow to start where processors are few.
static TURN: Mutex<()> = Mutex::new(());

/// What both sides need: an authority, and a certificate for each of them.
struct Scene {
    _turn: MutexGuard<'static, ()>,
    directory: TempDir,
    class_path: String,
}

impl Scene {
    fn new(key_type: &str) -> Option<Self> {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let class_path = class_path()?;
        let directory = tempfile::tempdir().unwrap();
        for words in [
            &["init"][..],
            &["issue", "agent", "localhost", "127.0.0.1"],
            &["issue", "manager", "ops"],
        ] {
            let output = Command::new(program())
                .arg("pki")
                .args(words)
                .args(["--key-type", key_type, "--directory"])
                .arg(directory.path())
                .output()
                .unwrap();
            assert!(output.status.success(), "{output:?}");
        }
        Some(Self {
            _turn: turn,
            directory,
            class_path,
        })
    }

    fn path(&self, name: &str) -> String {
        self.directory
            .path()
            .join(name)
            .to_str()
            .unwrap()
            .to_owned()
    }

    /// SNMP4J, with the certificate of that name.
    fn peer(&self, stores: &Stores, properties: &[String], arguments: &[&str]) -> Command {
        let mut command = Command::new("java");
        let store = |name: &str, path: &Path| {
            [
                format!("-Djavax.net.ssl.{name}={}", path.display()),
                format!("-Djavax.net.ssl.{name}Password={STORE_PASSWORD}"),
            ]
        };
        command
            .args(store("keyStore", &stores.key))
            .args(store("trustStore", &stores.trust))
            .args(properties)
            .args(["-cp", &self.class_path, "Peer"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn stores(&self, name: &str) -> Option<Stores> {
        Stores::make(self.directory.path(), name)
            .map_err(|reason| skip(&format!("a test with SNMP4J: {reason}")))
            .ok()
    }
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_varbind")
}

/// A process that ends with its test, and what it writes.
fn start(command: &mut Command) -> (Running, Lines<BufReader<ChildStdout>>) {
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (Running(child), lines)
}

fn assert_success(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    text
}

fn our_agent_answers(transport: &str, key_type: &str, versions: Option<&str>) {
    let Some(scene) = Scene::new(key_type) else {
        return;
    };
    let Some(stores) = scene.stores("manager") else {
        return;
    };
    let configuration = format!(
        "listen = [\"{transport}:127.0.0.1:0\"]\nstate-directory = {:?}\n\
         [system]\ndescription = \"described to SNMP4J\"\n\
         [tls]\ncertificate = \"agent.pem\"\nkey = \"agent-key.pem\"\ntrust = [\"ca.pem\"]\n\
         [[tls.map]]\ncertificate = \"ca.pem\"\nto = \"common-name\"\n\
         [[transport-user]]\nname = \"ops\"\n",
        scene.path("state"),
    );
    std::fs::write(scene.path("agent.toml"), configuration).unwrap();
    let (_agent, mut lines) = start(
        Command::new(program())
            .args(["agent", "--config", &scene.path("agent.toml")])
            .stdin(Stdio::null())
            .stdout(Stdio::piped()),
    );
    let listening = lines.next().unwrap().unwrap();
    let (_, port) = listening.rsplit_once(':').unwrap();
    let mut properties = vec!["-Dpeer.agent=localhost".to_owned()];
    properties.extend(versions.map(|versions| format!("-Dpeer.versions={versions}")));
    let address = format!("127.0.0.1:{port}");
    let arguments = ["manager", transport, &address, SYS_DESCR, SYS_OBJECT_ID];
    let output = scene
        .peer(&stores, &properties, &arguments)
        .output()
        .unwrap();
    let text = assert_success(&output);
    assert!(
        text.contains(&format!("{SYS_DESCR} = described to SNMP4J")),
        "{text}"
    );
    assert!(text.contains(&format!("{SYS_OBJECT_ID} = ")), "{text}");
}

fn our_manager_asks(transport: &str, key_type: &str, versions: Option<&str>) {
    let Some(scene) = Scene::new(key_type) else {
        return;
    };
    let Some(stores) = scene.stores("agent") else {
        return;
    };
    let own = format!("127.0.0.1:{}", free_port());
    let properties: Vec<String> = versions
        .map(|versions| format!("-Dpeer.versions={versions}"))
        .into_iter()
        .collect();
    let mut command = scene.peer(&stores, &properties, &["agent", transport, &own]);
    let (_agent, mut lines) = start(&mut command);
    assert!(lines.next().unwrap().unwrap().starts_with("listening on "));
    let output = Command::new(program())
        .args([
            "get",
            "-On",
            "-t",
            "20",
            "--certificate",
            &scene.path("manager.pem"),
        ])
        .args(["--key", &scene.path("manager-key.pem")])
        .args(["--trust", &scene.path("ca.pem")])
        .args([&format!("{transport}:{own}"), SYS_DESCR])
        .output()
        .unwrap();
    let text = assert_success(&output);
    assert!(text.contains(&format!("SNMP4J has {SYS_DESCR}")), "{text}");
    // By the common name of our certificate.
    assert_eq!(lines.next().unwrap().unwrap(), "asked by ops");
}

#[test]
fn our_agent_answers_their_manager_over_tls_1_3() {
    our_agent_answers("tls", "ecdsa-p256", Some("TLSv1.3"));
}

#[test]
fn our_agent_answers_their_manager_over_tls_1_2() {
    our_agent_answers("tls", "rsa-2048", Some("TLSv1.2"));
}

#[test]
fn our_agent_answers_their_manager_over_dtls() {
    our_agent_answers("dtls", "ecdsa-p256", Some("DTLSv1.2"));
}

#[test]
fn our_agent_answers_their_manager_over_dtls_with_rsa() {
    our_agent_answers("dtls", "rsa-2048", Some("DTLSv1.2"));
}

#[test]
fn their_agent_answers_our_manager_over_tls_1_3() {
    our_manager_asks("tls", "ecdsa-p256", Some("TLSv1.3"));
}

#[test]
fn their_agent_answers_our_manager_over_tls_1_2() {
    our_manager_asks("tls", "rsa-2048", Some("TLSv1.2"));
}

#[test]
fn their_agent_answers_our_manager_over_dtls() {
    our_manager_asks("dtls", "ecdsa-p256", Some("DTLSv1.2"));
}

#[test]
fn their_agent_answers_our_manager_over_dtls_with_rsa() {
    our_manager_asks("dtls", "rsa-2048", Some("DTLSv1.2"));
}
