//! The proxy forwarder: other agents behind this one, reached by Net-SNMP's tools.

mod failures;
mod notifications;
mod requests;
mod tables;

use tempfile::TempDir;
use varbind_testkit::peers::is_installed;

use crate::process::{Agent, ask};
use crate::snmpd::Snmpd;

const SYS_NAME: &str = ".1.3.6.1.2.1.1.5.0";

/// snmpd as a device, which `public` may read, `private` write, and `ops` both.
struct Device {
    snmpd: Snmpd,
    _directory: TempDir,
}

impl Device {
    fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let lines = "sysName device\nrwcommunity private\nrwuser ops priv\n\
                     createUser ops SHA-256 \"maple syrup\" AES \"apple sauce\"\n";
        Self {
            snmpd: Snmpd::start(directory.path(), lines),
            _directory: directory,
        }
    }

    fn address(&self) -> &str {
        &self.snmpd.address
    }

    fn ask(&self, tool: &str, arguments: &[&str]) -> String {
        ask(tool, "public", self.address(), arguments)
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
