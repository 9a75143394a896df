//! The configurations that the packages of snmpd install, imported.

use std::fs;
use std::time::{Duration, Instant};

use varbind_agent::{ImportOptions, import};
use varbind_testkit::peers::is_installed;

use crate::process::{Agent, Home};

const PATIENCE: Duration = Duration::from_secs(60);

/// The directives of /etc/snmp/snmpd.conf in Debian 12 and 13, and Ubuntu 24.04.
const DEBIAN: &str = "
sysLocation    First floor
sysContact     Operators <operators@example.org>
sysServices    72
master  agentx
agentaddress  127.0.0.1,[::1]
view   systemonly  included   .1.3.6.1.2.1.1
view   systemonly  included   .1.3.6.1.2.1.25.1
rocommunity  public default -V systemonly
rocommunity6 public default -V systemonly
rouser authPrivUser authpriv -V systemonly
includeDir DIRECTORY
";

/// The directives of /etc/snmp/snmpd.conf in Red Hat Enterprise Linux 7 to 9, and Fedora.
const RED_HAT: &str = "
com2sec notConfigUser  default       public
group   notConfigGroup v1           notConfigUser
group   notConfigGroup v2c           notConfigUser
view    systemview    included   .1.3.6.1.2.1.1
view    systemview    included   .1.3.6.1.2.1.25.1.1
access  notConfigGroup \"\"      any       noauth    exact  systemview none none
syslocation First floor (see the plan)
syscontact Root <root@localhost>
dontLogTCPWrappersConnects yes
";

/// Asks until the answer is as expected: a reading may be late.
#[track_caller]
fn await_answer(agent: &Agent, name: &str, expected: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = agent.ask("snmpget", &[name]);
        if answer.contains(expected) {
            return;
        }
        assert!(Instant::now() < deadline, "{answer} instead of {expected}");
    }
}

#[test]
fn agent_serves_what_the_configurations_of_packages_allow() {
    if !is_installed("snmpget") {
        return;
    }
    for (text, noted, (visible, kind), hidden) in [
        // hrSystemProcesses, ifNumber
        (
            DEBIAN,
            &["rocommunity", "rocommunity6", "rouser"][..],
            (".1.3.6.1.2.1.25.1.6.0", "Gauge32: "),
            ".1.3.6.1.2.1.2.1.0",
        ),
        // hrSystemUptime, hrSystemProcesses
        (
            RED_HAT,
            &["com2sec"][..],
            (".1.3.6.1.2.1.25.1.1.0", "Timeticks: "),
            ".1.3.6.1.2.1.25.1.6.0",
        ),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let included = directory.path().join("snmpd.conf.d");
        fs::create_dir(&included).unwrap();
        let file = directory.path().join("snmpd.conf");
        let text = text.replace("DIRECTORY", &included.display().to_string());
        fs::write(&file, text).unwrap();
        let imported = import(&ImportOptions {
            file,
            ..ImportOptions::default()
        })
        .unwrap();
        let notes: Vec<_> = imported.notes.iter().map(|note| &*note.directive).collect();
        assert_eq!(notes, noted, "{:?}", imported.notes);
        assert!(imported.restricts_communities);
        // Ports and sockets that a test may have.
        let socket = format!("[agentx]\nsocket = {:?}\n", directory.path().join("master"));
        let configuration = imported.configuration.replace("[agentx]\n", &socket);
        let lines = configuration.lines().map(|line| {
            if line.starts_with("listen = ") {
                "listen = [\"udp:127.0.0.1:0\"]"
            } else {
                line
            }
        });
        let configuration = lines.collect::<Vec<_>>().join("\n");
        let agent = Home::new(&configuration).start(1);
        // sysLocation
        await_answer(&agent, ".1.3.6.1.2.1.1.6.0", "STRING: \"First floor");
        await_answer(&agent, visible, kind);
        await_answer(&agent, hidden, "No Such ");
    }
}
