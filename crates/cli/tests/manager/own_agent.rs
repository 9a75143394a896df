use std::io::{BufRead, BufReader, Read};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{ChildStderr, Stdio};

use tempfile::TempDir;
use varbind_testkit::peers::Running;

use crate::program::{run, varbind};

/// `varbind agent` on a loopback port.
pub(crate) struct Agent {
    child: Running,
    pub(crate) target: String,
    log: Option<BufReader<ChildStderr>>,
    _home: Option<TempDir>,
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
            child: Running(child),
            target,
            log: None,
            _home: Some(directory),
        }
    }

    /// The same where its configuration says, which is on this many addresses.
    pub(crate) fn start_listening(configuration: &Path, addresses: usize) -> (Self, Vec<String>) {
        let mut child = varbind(&["agent", "--config", configuration.to_str().unwrap()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let output = BufReader::new(child.stdout.take().unwrap());
        let targets: Vec<_> = output
            .lines()
            .take(addresses)
            .map(|line| {
                line.unwrap()
                    .strip_prefix("listening on ")
                    .unwrap()
                    .to_owned()
            })
            .collect();
        if targets.len() < addresses {
            let mut told = String::new();
            let _ = log.read_to_string(&mut told);
            panic!("the agent does not start: {told}");
        }
        let agent = Self {
            child: Running(child),
            target: targets[0].clone(),
            log: Some(log),
            _home: None,
        };
        (agent, targets)
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.0.id()
    }

    /// Sends SIGHUP, and waits until the log says that.
    pub(crate) fn reload(&mut self, expected: &str) {
        self.child.signal("-HUP");
        let log = self.log.as_mut().unwrap();
        let mut line = String::new();
        while !line.contains(expected) {
            line.clear();
            assert_ne!(log.read_line(&mut line).unwrap(), 0, "the agent ended");
        }
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

/// What an agent says begins no line, unless that is asked for.
#[test]
fn a_value_is_one_line() {
    let contact = "[system]\ncontact = \"Cisco IOS\\r\\nCopyright\\u001b[2J\"\n";
    let agent = Agent::start_with(contact);
    let get = |more: &[&str]| {
        let words = [&["get", "-Ov"], more, &[&agent.target, "sysContact.0"]];
        run(&words.concat()).output
    };
    assert_eq!(get(&[]), "STRING: Cisco IOS\\r\\nCopyright.[2J\n");
    assert_eq!(get(&["-OL"]), "STRING: Cisco IOS\r\nCopyright.[2J\n");
    let table = run(&["walk", "-OQ", &agent.target, "sysContact"]).output;
    assert_eq!(table.lines().count(), 1, "{table}");
}

#[test]
fn a_root_alone_can_be_walked() {
    let agent = Agent::start();
    // Objects without counters, which change between two walks.
    let descriptions = |arguments: &[&str]| {
        let outcome = run(&[&["walk", "-OQ"], arguments].concat());
        assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
        let lines = outcome.output.lines();
        let steady =
            lines.filter(|line| line.contains("Descr") || line.contains("snmpSetSerialNo"));
        steady.map(str::to_owned).collect::<Vec<_>>()
    };
    let all = descriptions(&[&agent.target, "1.3"]);
    assert!(all.len() > 3, "{all:?}");
    for root in [".1", "1", "iso", ".iso"] {
        assert_eq!(descriptions(&[&agent.target, root]), all, "{root}");
        assert_eq!(
            descriptions(&["-CB", &agent.target, root]),
            all,
            "-CB {root}"
        );
    }
    assert_eq!(descriptions(&["-Cn1", &agent.target, ".1"]), all);
    let next = run(&["getnext", &agent.target, "1"]);
    assert!(
        next.output.starts_with("SNMPv2-MIB::sysDescr.0 ="),
        "{next:?}"
    );
    let nothing = run(&["walk", &agent.target, "2"]);
    assert_eq!(nothing.code, Some(0), "{nothing:?}");
    let table = run(&["table", "-Cc4", &agent.target, "ifTable"]);
    assert_eq!(table.code, Some(0), "{table:?}");
}

#[test]
fn a_configuration_that_is_wrong_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("agent.toml");
    std::fs::write(&file, "lisen = []\n").unwrap();
    let outcome = run(&["agent", "--config", file.to_str().unwrap()]);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.errors.contains("lisen"), "{}", outcome.errors);
}
