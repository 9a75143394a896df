//! Net-SNMP's agent.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use varbind_testkit::peers::{Running, command, eventually, free_port};

use crate::process::ask;

const SYS_UP_TIME: &str = ".1.3.6.1.2.1.1.3.0";

/// It answers until this is dropped.
pub(crate) struct Snmpd {
    _child: Running,
    pub(crate) address: String,
}

impl Snmpd {
    /// Starts it with these lines of snmpd.conf, in a directory that it may write.
    pub(crate) fn start(directory: &Path, lines: &str) -> Self {
        let file = directory.join("snmpd.conf");
        fs::write(&file, format!("rocommunity public\n{lines}")).unwrap();
        let address = format!("udp:127.0.0.1:{}", free_port());
        let child = command("snmpd")
            .args(["-f", "-C", "-Lf", "/dev/null", "-c"])
            .arg(file)
            .arg(&address)
            .env("SNMP_PERSISTENT_DIR", directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started = Self {
            _child: Running(child),
            address,
        };
        eventually("snmpd does not start", || {
            started.walk(SYS_UP_TIME).contains(SYS_UP_TIME)
        });
        started
    }

    pub(crate) fn port(&self) -> &str {
        self.address.rsplit(':').next().unwrap()
    }

    /// All instances below a name, as snmpbulkwalk shows them.
    pub(crate) fn walk(&self, root: &str) -> String {
        ask("snmpbulkwalk", "public", &self.address, &[root])
    }
}
