//! The proxy forwarder: other agents behind this one, reached by Net-SNMP's tools.

mod failures;
mod notifications;
mod requests;
mod tables;

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use varbind_testkit::peers::{Running, command, free_port, is_installed};

use crate::process::{Agent, ask};

const PATIENCE: Duration = Duration::from_secs(60);
const SYS_NAME: &str = ".1.3.6.1.2.1.1.5.0";

/// snmpd as a device, which `public` may read, `private` write, and `ops` both.
struct Device {
    _running: Running,
    _directory: TempDir,
    address: String,
}

impl Device {
    fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let address = format!("udp:127.0.0.1:{}", free_port());
        let file = directory.path().join("snmpd.conf");
        let text = format!(
            "agentAddress {address}\nsysName device\nrocommunity public\nrwcommunity private\nrwuser ops priv\n\
             createUser ops SHA-256 \"maple syrup\" AES \"apple sauce\"\n"
        );
        fs::write(&file, text).unwrap();
        let device = Self {
            _running: snmpd(directory.path(), &file),
            _directory: directory,
            address,
        };
        eventually("the device does not answer", || {
            ask("snmpget", "public", &device.address, &[SYS_NAME]).contains("device")
        });
        device
    }

    fn ask(&self, tool: &str, arguments: &[&str]) -> String {
        ask(tool, "public", &self.address, arguments)
    }
}

fn snmpd(directory: &Path, file: &Path) -> Running {
    let child = command("snmpd")
        .args(["-f", "-C", "-Lf", "/dev/null", "-c"])
        .arg(file)
        .env("SNMP_PERSISTENT_DIR", directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    Running(child)
}

#[track_caller]
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn has_tools() -> bool {
    ["snmpd", "snmpget", "snmpbulkwalk", "snmpset"]
        .into_iter()
        .all(is_installed)
}

fn through(agent: &Agent, tool: &str, community: &str, arguments: &[&str]) -> String {
    ask(tool, community, &agent.addresses[0], arguments)
}
