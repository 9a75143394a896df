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
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use varbind::blocking::{Client, NotificationTarget};
use varbind::clock::Clock;
use varbind::codec::message::{ScopedPduData, V3Message};
use varbind::engine::applications::command_generator::MessageProcessing;
use varbind::engine::applications::notification::Notification;
use varbind::engine::applications::notification_originator::OriginatorEvent;
use varbind::engine::applications::notification_receiver::NotificationKind;
use varbind::notification::{Progress, TargetOptions};
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

/// An example that listens on the address in its argument, says where, and ends with its standard input or with the test.
struct Running {
    process: Child,
    output: BufReader<ChildStdout>,
    /// Without the transport.
    address: String,
}

impl Running {
    fn start(name: &str) -> Self {
        let mut process = example(name)
            .arg("udp:127.0.0.1:0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let line = line(&mut output);
        let address = line.strip_prefix("listening on udp:").unwrap();
        Self {
            process,
            output,
            address: address.to_owned(),
        }
    }

    fn end(mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn line(output: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    line.trim().to_owned()
}

#[test]
fn minimal_agent_answers_and_ends_with_its_standard_input() {
    let agent = Running::start("minimal_agent");
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
    let agents = [(); 2].map(|()| Running::start("minimal_agent"));
    let addresses = agents.each_ref().map(|agent| agent.address.as_str());
    let said = run("many_agents", &addresses);
    for address in addresses {
        assert!(said.contains(&format!("{address}: minimal\n")), "{said}");
    }
    agents.into_iter().for_each(Running::end);
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

#[test]
fn receiver_acknowledges_and_prints_what_arrives() {
    let mut receiver = Running::start("receiver");
    let community = b"public".to_vec();
    let processing = MessageProcessing::V2c { community };
    let options = TargetOptions::new(NotificationKind::Inform, processing);
    let address = format!("udp:{}", receiver.address).parse().unwrap();
    let mut target = NotificationTarget::new(address, options, Clock::start()).unwrap();
    let link_down = "1.3.6.1.6.3.1.1.5.3";
    let notification = Notification::new(7, link_down.parse().unwrap(), Vec::new());
    target.connect().unwrap();
    target.send(&notification).unwrap();
    let progress = target.progress();
    assert!(
        matches!(
            progress,
            Progress::Event(OriginatorEvent::Acknowledged { .. })
        ),
        "{progress:?}"
    );
    let line = line(&mut receiver.output);
    assert!(line.starts_with("127.0.0.1:"), "{line}");
    assert!(line.ends_with(link_down), "{line}");
}
