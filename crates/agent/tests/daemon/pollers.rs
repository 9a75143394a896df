//! Programs that watch hosts see the same in this agent as in Net-SNMP's.

use std::path::Path;
use std::time::{Duration, Instant};

use varbind_testkit::peers::{command, skip};

use crate::process::Home;
use crate::snmpd::Snmpd;

/// The readers of the agent run aside; a busy machine may let them wait.
const PATIENCE: Duration = Duration::from_secs(60);
const PLUGINS: &str = "/usr/lib/nagios/plugins";

/// Plugins of Nagios and Icinga with arguments for which a host is healthy. (hrProcessorLoad is left out: snmpd has none in its
/// first minute.)
const CHECKS: &[(&str, &[&str])] = &[
    (
        "check_snmp",
        &["-P", "2c", "-o", "1.3.6.1.2.1.1.3.0,1.3.6.1.2.1.25.1.6.0"],
    ),
    (
        "check_snmp_load.pl",
        &[
            "-2",
            "-T",
            "netsl",
            "-w",
            "9999,9999,9999",
            "-c",
            "9999,9999,9999",
        ],
    ),
    (
        "check_snmp_mem.pl",
        &["-2", "-N", "-w", "100,100", "-c", "100,100"],
    ),
    (
        "check_snmp_storage.pl",
        &["-2", "-m", "/", "-r", "-w", "99", "-c", "100"],
    ),
    ("check_snmp_int.pl", &["-2", "-n", "lo", "-r"]),
    (
        "check_snmp_process.pl",
        &["-2", "-n", "snmpd", "-w", "0", "-c", "0"],
    ),
];

/// The exit status of a plugin, and its output with a mark in place of each number.
fn check((plugin, arguments): (&str, &[&str]), port: &str) -> (Option<i32>, String) {
    let output = command(&format!("{PLUGINS}/{plugin}"))
        .args(["-H", "127.0.0.1", "-p", port, "-C", "public"])
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_digit = |letter: char| letter.is_ascii_digit() || letter == '.';
    let mut masked = String::new();
    for part in text.split_inclusive(is_digit) {
        let words = part.trim_end_matches(is_digit);
        masked += words;
        if words.len() < part.len() && !masked.ends_with('#') {
            masked.push('#');
        }
    }
    (output.status.code(), masked)
}

#[test]
fn plugins_of_nagios_see_what_they_see_in_snmpd() {
    let directory = tempfile::tempdir().unwrap();
    let present = |(plugin, _): &&(&str, _)| Path::new(PLUGINS).join(plugin).exists();
    let checks: Vec<_> = CHECKS.iter().filter(present).collect();
    if checks.len() < CHECKS.len() {
        let missing = CHECKS.len() - checks.len();
        skip(&format!(
            "{missing} checks of monitoring-plugins-standard and nagios-snmp-plugins"
        ));
    }
    if !varbind_testkit::peers::is_installed("snmpd") || checks.is_empty() {
        return;
    }
    let snmpd = Snmpd::start(directory.path(), "includeAllDisks 10%\n");
    let agent =
        Home::new("listen = [\"udp:127.0.0.1:0\"]\n[[community]]\nname = \"public\"\n").start(1);
    for check_with in checks {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let (ours, theirs) = (
                check(*check_with, agent.port()),
                check(*check_with, snmpd.port()),
            );
            if ours == theirs && ours.0 == Some(0) {
                break;
            }
            assert!(
                Instant::now() < deadline,
                "{check_with:?}: {ours:?}, snmpd: {theirs:?}"
            );
        }
    }
}
