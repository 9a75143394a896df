use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::program::Outcome;

/// Net-SNMP's agent on a loopback port, over UDP, TCP and, where there is IPv6, UDP over that.
pub(crate) struct Snmpd {
    child: Child,
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

/// Tells on standard error that a test was skipped, and in the file named by `VARBIND_SKIP_LOG`.
pub(crate) fn skip(reason: &str) {
    eprintln!("skipped: {reason}");
    if let Some(path) = std::env::var_os("VARBIND_SKIP_LOG") {
        let mut log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .unwrap();
        // One write, so that tests of several processes do not mix their lines.
        log.write_all(format!("skipped: {reason}\n").as_bytes())
            .unwrap();
    }
}

pub(crate) fn is_installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths)
        .chain(["/usr/sbin".into(), "/usr/local/sbin".into()])
        .any(|directory| directory.join(program).exists())
}

pub(crate) fn program(name: &str) -> Command {
    let path = Path::new("/usr/sbin").join(name);
    if path.exists() {
        Command::new(path)
    } else {
        Command::new(name)
    }
}

/// A port that is free, and that nobody is given by chance: those begin at 32768.
pub(crate) fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = u16::try_from(std::process::id() % 10_000).unwrap();
    for _ in 0..10_000 {
        let port = 20_000 + (first + NEXT.fetch_add(1, Ordering::Relaxed)) % 10_000;
        let address = ("127.0.0.1", port);
        if TcpListener::bind(address).is_ok() && UdpSocket::bind(address).is_ok() {
            return port;
        }
    }
    panic!("no port is free");
}

impl Snmpd {
    /// Starts it; `None`, after telling so, if Net-SNMP is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with("")
    }

    /// The same with more lines of configuration.
    pub(crate) fn start_with(lines: &str) -> Option<Self> {
        for program in ["snmpd", "snmpget"] {
            if !is_installed(program) {
                skip(&format!("Net-SNMP's {program} is not installed"));
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
        let child = program("snmpd")
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
            child,
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

impl Drop for Snmpd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs one of Net-SNMP's tools, with what it needs to know of a few modules.
pub(crate) fn net_snmp(tool: &str, arguments: &[&str]) -> Outcome {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manager/mibs");
    let output = Command::new(tool)
        .args(["-m", "SNMPv2-MIB:IF-MIB", "-M"])
        .arg(modules)
        .args(arguments)
        .env("SNMPCONFPATH", "/nonexistent")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    output.into()
}
