use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::process::{Child, Stdio};

use tempfile::TempDir;

use crate::program::{run, varbind};

/// `varbind agent` on a loopback port.
pub(crate) struct Agent {
    child: Child,
    pub(crate) target: String,
    _home: TempDir,
}

impl Agent {
    pub(crate) fn start() -> Self {
        Self::start_with("")
    }

    /// The same with more lines of configuration.
    pub(crate) fn start_with(lines: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("agent.toml");
        let state = directory.path().join("state");
        std::fs::write(&file, format!("state-directory = {state:?}\n{lines}")).unwrap();
        Self::start_in(directory)
    }

    /// The same with the configuration that is in the directory.
    pub(crate) fn start_in(directory: TempDir) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let target = format!("udp:{}", socket.local_addr().unwrap());
        drop(socket);
        let file = directory.path().join("agent.toml");
        let mut child = varbind(&[
            "agent",
            "--config",
            file.to_str().unwrap(),
            "--listen",
            &target,
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        assert_eq!(line, format!("listening on {target}\n"));
        Self {
            child,
            target,
            _home: directory,
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_manager_reads_the_agent_of_the_same_program() {
    let agent = Agent::start();
    let outcome = run(&["get", &agent.target, "sysServices.0"]);
    assert_eq!(
        outcome.output, "SNMPv2-MIB::sysServices.0 = INTEGER: 72\n",
        "{}",
        outcome.errors
    );
    let outcome = run(&["walk", "-Oqv", &agent.target, "ifDescr"]);
    assert!(
        outcome.output.lines().any(|line| line == "lo"),
        "{outcome:?}"
    );
    let outcome = run(&[
        "set",
        "-c",
        "private",
        "-t",
        "0.1",
        "-r",
        "0",
        &agent.target,
        "sysName.0",
        "s",
        "x",
    ]);
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
}

#[test]
fn a_configuration_that_is_wrong_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("agent.toml");
    std::fs::write(&file, "lisen = []\n").unwrap();
    let outcome = run(&["agent", "--config", file.to_str().unwrap()]);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.errors.contains("lisen"), "{}", outcome.errors);
}
