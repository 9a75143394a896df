use std::fs;
use std::net::{TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use varbind_testkit::peers::{Running, command, free_port, is_installed, skip};

use crate::program::Outcome;

/// Net-SNMP's agent on a loopback port, over UDP, TCP and, where there is IPv6, UDP over that.
pub(crate) struct Snmpd {
    _child: Running,
    port: u16,
    has_ipv6: bool,
    directory: TempDir,
}

const CONFIGURATION: &str = "\
rocommunity public
rwcommunity private
rocommunity6 public
rwcommunity6 private
sysServices 72
";

impl Snmpd {
    /// Starts it; `None`, after telling so, if Net-SNMP is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with("")
    }

    /// The same with more lines of configuration.
    pub(crate) fn start_with(lines: &str) -> Option<Self> {
        for program in ["snmpd", "snmpget"] {
            if !is_installed(program) {
                return None;
            }
        }
        let directory = tempfile::tempdir().unwrap();
        let port = free_port();
        let has_ipv6 = UdpSocket::bind(("::1", port)).is_ok();
        let mut addresses = format!("udp:127.0.0.1:{port},tcp:127.0.0.1:{port}");
        if has_ipv6 {
            addresses += &format!(",udp6:[::1]:{port}");
        }
        let file = directory.path().join("snmpd.conf");
        fs::write(
            &file,
            format!("agentaddress {addresses}\n{CONFIGURATION}{lines}"),
        )
        .unwrap();
        let child = command("snmpd")
            .args(["-f", "-C", "-c"])
            .arg(&file)
            .arg("-Lf")
            .arg(directory.path().join("snmpd.log"))
            .env("SNMP_PERSISTENT_DIR", directory.path())
            .env("MIBS", "")
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let snmpd = Self {
            _child: Running(child),
            port,
            has_ipv6,
            directory,
        };
        snmpd.wait();
        Some(snmpd)
    }

    fn wait(&self) {
        let until = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let log = fs::read_to_string(self.directory.path().join("snmpd.log"));
            assert!(Instant::now() < until, "snmpd does not listen: {log:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn target(&self) -> String {
        format!("udp:127.0.0.1:{}", self.port)
    }

    /// Its addresses, one for each transport.
    pub(crate) fn targets(&self) -> Vec<String> {
        let mut targets = vec![self.target(), format!("tcp:127.0.0.1:{}", self.port)];
        if self.has_ipv6 {
            targets.push(format!("udp6:[::1]:{}", self.port));
        } else {
            skip("there is no IPv6 here");
        }
        targets
    }
}

/// Runs one of Net-SNMP's tools, with what it needs to know of a few modules.
pub(crate) fn net_snmp(tool: &str, arguments: &[&str]) -> Outcome {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manager/mibs");
    let output = Command::new(tool)
        .args(["-m", "SNMPv2-MIB:IF-MIB:NET-SNMP-MIB", "-M"])
        .arg(modules)
        .args(arguments)
        .env("SNMPCONFPATH", "/nonexistent")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    output.into()
}
