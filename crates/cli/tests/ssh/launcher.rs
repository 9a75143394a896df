//! The launcher without a server before it.

use std::io::{Read, Write};
use std::process::{Command, Output, Stdio};

use varbind::transport::ssh::SubsystemSocket;
use varbind_testkit::loopback::{DESCRIPTION, NAME_0, SYS_DESCR_0, TestAgent};
use varbind_testkit::message::Message;
use varbind_testkit::peers::skip;

const VARBIND: &str = env!("CARGO_BIN_EXE_varbind");

/// An agent that listens on a socket in a directory of its own.
pub(crate) struct Listening {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) agent: TestAgent,
}

impl Listening {
    pub(crate) fn new(root_names_users: bool) -> Self {
        let listening = Self {
            directory: tempfile::tempdir().unwrap(),
            agent: TestAgent::new(),
        };
        let socket = SubsystemSocket {
            path: listening.socket(),
            mode: 0o666,
            root_names_users,
        };
        listening.agent.agent.listen_subsystem(&socket).unwrap();
        listening
    }

    pub(crate) fn socket(&self) -> std::path::PathBuf {
        self.directory.path().join("socket")
    }

    fn launch(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new(VARBIND)
            .arg("ssh-subsystem")
            .arg("--socket")
            .arg(self.socket())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let _ = stdin.write_all(input);
        drop(stdin);
        child.wait_with_output().unwrap()
    }
}

fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skip("the user of the test is not root");
    }
    is_root
}

#[test]
fn requests_before_the_end_of_input_are_answered_behind_it() {
    if !is_root() {
        return;
    }
    let listening = Listening::new(false);
    let requests: Vec<u8> = (0..100)
        .flat_map(|id| Message::get(id, SYS_DESCR_0).encode())
        .collect();
    let output = listening.launch(&[], &requests);
    assert!(output.status.success(), "{output:?}");
    let mut rest = &output.stdout[..];
    for id in 0..100 {
        let (response, behind) = rest.split_at(2 + usize::from(rest[1]));
        let response = Message::decode(response);
        assert_eq!(
            (response.request_id, response.text().as_str()),
            (id, DESCRIPTION)
        );
        rest = behind;
    }
    assert!(rest.is_empty());
    // The user of this process may write.
    let output = listening.launch(&[], &Message::set_text(1, NAME_0, "root was here").encode());
    assert_eq!(Message::decode(&output.stdout).text(), "root was here");
}

#[test]
fn root_speaks_for_others_only_where_it_may() {
    if !is_root() {
        return;
    }
    let request = Message::get(1, SYS_DESCR_0).encode();
    let listening = Listening::new(true);
    let output = listening.launch(&["--user", "ops"], &request);
    assert_eq!(Message::decode(&output.stdout).text(), DESCRIPTION);
    // Somebody who may see nothing.
    let output = listening.launch(&["--user", "stranger"], &request);
    assert_ne!(Message::decode(&output.stdout).error_status, 0);
    let output = listening.launch(&["--user", "../ops"], &request);
    assert!(output.stdout.is_empty(), "{output:?}");
    let listening = Listening::new(false);
    let output = listening.launch(&["--user", "ops"], &request);
    assert!(output.stdout.is_empty(), "{output:?}");
}

#[test]
fn a_launcher_without_an_agent_says_so() {
    let listening = Listening::new(false);
    listening.agent.agent.close_subsystem(&listening.socket());
    assert!(!listening.socket().exists());
    let output = listening.launch(&[], &[]);
    assert_eq!(output.status.code(), Some(4));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("no agent can be reached at"), "{told}");
}

#[test]
fn a_session_that_the_agent_ends_ends_the_launcher() {
    if !is_root() {
        return;
    }
    let listening = Listening::new(false);
    let mut child = Command::new(VARBIND)
        .arg("ssh-subsystem")
        .arg("--socket")
        .arg(listening.socket())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"GET / HTTP/1.0").unwrap();
    let mut answer = Vec::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_end(&mut answer)
        .unwrap();
    assert!(answer.is_empty());
    assert!(child.wait().unwrap().success());
}
