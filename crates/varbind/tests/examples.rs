//! The examples, against each other.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what the tests build on fails as they do"
)]

use std::env;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use varbind::blocking::Client;
use varbind::codec::message::{ScopedPduData, V3Message};
use varbind_testkit::loopback::PATIENCE;

/// An example, which `cargo test` without the name of a test builds too.
fn example(name: &str) -> Command {
    let mut path: PathBuf = env::current_exe().unwrap();
    path.pop();
    path.pop();
    let path = path.join("examples").join(name);
    assert!(
        path.is_file(),
        "{}: build it by cargo build -p varbind --examples",
        path.display()
    );
    Command::new(path)
}

fn run(name: &str, arguments: &[&str]) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = example(name).args(arguments).output().unwrap();
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{name}: {status}: {stderr}");
    assert_eq!(stderr, "", "{name}");
    String::from_utf8(stdout).unwrap()
}

/// The example `minimal_agent`, which ends with its standard input.
struct MinimalAgent {
    process: Child,
    /// Without the transport.
    address: String,
}

impl MinimalAgent {
    fn start() -> Self {
        let mut process = example("minimal_agent")
            .arg("udp:127.0.0.1:0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.trim().strip_prefix("listening on udp:").unwrap();
        Self {
            process,
            address: address.to_owned(),
        }
    }

    fn end(mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success());
    }
}

#[test]
fn minimal_agent_answers_and_ends_with_its_standard_input() {
    let agent = MinimalAgent::start();
    let target = Client::new().unwrap().target(&agent.address).unwrap();
    let name: String = target
        .community("public")
        .get("1.3.6.1.2.1.1.5.0")
        .unwrap()
        .try_into()
        .unwrap();
    assert_eq!(name, "minimal");
    agent.end();
}

#[test]
fn many_agents_asks_each_of_several() {
    let agents = [MinimalAgent::start(), MinimalAgent::start()];
    let addresses = agents.each_ref().map(|agent| agent.address.as_str());
    let said = run("many_agents", &addresses);
    for address in addresses {
        assert!(said.contains(&format!("{address}: minimal\n")), "{said}");
    }
    agents.into_iter().for_each(MinimalAgent::end);
}

#[test]
fn trap_load_sends_encrypted_messages_of_version_3() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(PATIENCE)).unwrap();
    let address = receiver.local_addr().unwrap().to_string();
    let said = run("trap_load", &[&address, "100", "0.1"]);
    assert!(said.starts_with("10 traps"), "{said}");
    for _ in 0..10 {
        let mut message = [0; 1472];
        let length = receiver.recv(&mut message).unwrap();
        let read = V3Message::decode(&message[..length]).unwrap();
        assert!(matches!(read.data, ScopedPduData::Encrypted(_)), "{read:?}");
    }
}
