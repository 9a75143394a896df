//! Users, access and communities made and changed by Net-SNMP's snmpusm, snmpvacm and snmpset.

mod access;
mod communities;
mod key_changes;
mod users;

use std::process::Command;

use varbind_testkit::peers::is_installed;

use crate::process::{Agent, Home};

pub(crate) const SYS_SERVICES: &str = ".1.3.6.1.2.1.1.7.0";
pub(crate) const SYS_CONTACT: &str = ".1.3.6.1.2.1.1.4.0";
pub(crate) const ENGINE_ID: &str = "80000000050102030405060708090a0b0c";
pub(crate) const AUTH: &str = "maplesyrup";
pub(crate) const PRIV: &str = "apple sauce";

pub(crate) const CONFIGURATION: &str = r#"
listen = ["udp:127.0.0.1:0"]
[engine]
id = "80000000050102030405060708090a0b0c"
[[user]]
name = "admin"
authentication = { protocol = "SHA-256", password = "maplesyrup" }
privacy = { protocol = "AES", password = "apple sauce" }
access = "read-write"
view = "everything"
[[user]]
name = "template"
authentication = { protocol = "SHA-256", password = "maplesyrup" }
privacy = { protocol = "AES", password = "apple sauce" }
access = "none"
[[user]]
name = "guest"
authentication = { protocol = "SHA-256", password = "maplesyrup" }
privacy = { protocol = "AES", password = "apple sauce" }
[[community]]
name = "public"
"#;

/// A user of Net-SNMP's tools.
#[derive(Clone, Copy)]
pub(crate) struct Who<'a> {
    pub(crate) name: &'a str,
    pub(crate) auth: &'a str,
    pub(crate) privacy: &'a str,
    /// Of authentication and privacy.
    pub(crate) protocols: (&'a str, &'a str),
}

pub(crate) const ADMIN: Who<'static> = Who {
    name: "admin",
    auth: AUTH,
    privacy: PRIV,
    protocols: ("SHA-256", "AES"),
};
pub(crate) const GUEST: Who<'static> = Who {
    name: "guest",
    ..ADMIN
};

impl Who<'_> {
    pub(crate) fn run(
        self,
        agent: &Agent,
        tool: &str,
        options: &[&str],
        arguments: &[&str],
    ) -> String {
        let output = Command::new(tool)
            .args(["-v3", "-t", "30", "-r", "0", "-m", "", "-On", "-Oe"])
            .args(["-l", "authPriv", "-u", self.name])
            .args(["-a", self.protocols.0, "-A", self.auth])
            .args(["-x", self.protocols.1, "-X", self.privacy])
            .args(options)
            .arg(&agent.addresses[0])
            .args(arguments)
            .env("SNMPCONFPATH", "/nonexistent")
            .env("SNMP_PERSISTENT_DIR", "/nonexistent")
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8(text).unwrap().trim_end().to_owned()
    }

    pub(crate) fn get(self, agent: &Agent, name: &str) -> String {
        self.run(agent, "snmpget", &[], &[name])
    }

    pub(crate) fn set(self, agent: &Agent, arguments: &[&str]) -> String {
        self.run(agent, "snmpset", &[], arguments)
    }
}

pub(crate) fn admin_does(
    agent: &Agent,
    tool: &str,
    options: &[&str],
    arguments: &[&str],
    success: &str,
) {
    let answer = ADMIN.run(agent, tool, options, arguments);
    assert!(answer.contains(success), "{tool} {arguments:?}: {answer}");
}

pub(crate) fn has_tools() -> bool {
    ["snmpget", "snmpset", "snmpusm", "snmpvacm"]
        .into_iter()
        .all(is_installed)
}

pub(crate) fn kill_and_start(home: &Home, agent: Agent) -> Agent {
    agent.signal("-KILL");
    agent.wait();
    home.start(1)
}

/// What the administrator is answered to a set of assignments: name, type and value of each, where a name is what
/// `name` makes of a word with a slash.
pub(crate) fn assign(
    agent: &Agent,
    name: impl Fn(&str, &str) -> String,
    assignments: &str,
) -> String {
    let words = assignments
        .split_whitespace()
        .map(|word| match word.split_once('/') {
            Some((column, row)) => name(column, row),
            None => word.replace("\"\"", ""),
        });
    let words: Vec<_> = words.collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    ADMIN.set(agent, &words)
}

/// Each of the assignments is refused for its reason.
pub(crate) fn assert_refused(
    agent: &Agent,
    name: impl Fn(&str, &str) -> String,
    cases: &[(&str, &str)],
) {
    for (assignments, error) in cases {
        let answer = assign(agent, &name, assignments);
        assert!(answer.contains(error), "{assignments}: {answer}");
    }
}
