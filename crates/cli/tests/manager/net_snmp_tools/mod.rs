//! Links to this program that have the names of Net-SNMP's tools, beside the tools themselves.

mod administration;
mod configuration;
mod hosts;
mod output;
mod requests;

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use varbind_testkit::peers::free_port;

use crate::program::Outcome;
use crate::snmpd::Snmpd;

const USERS: &str = "\
createUser ops SHA maplesyrup AES applesauce
rwuser ops auth
createUser noa
rouser noa noauth
";

/// A tool, theirs or ours, with what both need to know of a few modules.
fn command(tool: &str, is_ours: bool, arguments: &[&str]) -> Command {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manager/mibs");
    let mut command = match is_ours {
        true => Command::new(env!("CARGO_BIN_EXE_varbind")),
        false => Command::new(tool),
    };
    command
        .arg0(tool)
        .args(arguments)
        .env(
            "MIBS",
            "SNMPv2-MIB:IF-MIB:NET-SNMP-MIB:SNMP-VIEW-BASED-ACM-MIB",
        )
        .env("MIBDIRS", modules)
        .env("SNMPCONFPATH", "/nonexistent")
        .env("HOME", "/nonexistent")
        .env_remove("VARBIND_LOG")
        .stdin(Stdio::null());
    command
}

/// Cuts the usage after its first line, because the rest is another text.
fn cut_usage(outcome: &mut Outcome) {
    // These name their options there.
    for tool in ["snmpdf", "snmpdelta", "snmpusm", "snmpvacm"] {
        for heading in ["USAGE", "Usage"] {
            if let Some(at) = outcome.errors.find(&format!("{heading}: {tool}")) {
                outcome.errors.truncate(at);
            }
        }
    }
    if let Some(at) = outcome.errors.find("USAGE: ") {
        let end = outcome.errors.get(at..).and_then(|rest| rest.find('\n'));
        outcome.errors.truncate(at + end.unwrap_or(0));
    }
}

/// Cuts what they say behind a host that the resolver does not know: an error number that something else left.
fn cut_error_number(outcome: &mut Outcome) {
    const UNKNOWN: &str = "Unknown host (host.invalid)";
    if let Some((before, _)) = outcome.errors.split_once(&format!("{UNKNOWN} (")) {
        outcome.errors = format!("{before}{UNKNOWN}\n");
    }
}

fn compare(tool: &str, arguments: &[&str]) {
    let run = |is_ours| {
        let output = command(tool, is_ours, arguments).output().unwrap();
        let mut outcome: Outcome = output.into();
        cut_usage(&mut outcome);
        cut_error_number(&mut outcome);
        outcome
    };
    assert_eq!(run(true), run(false), "{tool} {arguments:?}");
}

/// Invocations of a tool; `A` stands for the address of an agent, `N` for a port where none is.
fn compare_lines(snmpd: &Snmpd, lines: &[&str]) {
    let (agent, nobody) = (snmpd.target(), format!("127.0.0.1:{}", free_port()));
    for line in lines {
        let words = line.split(' ').map(|word| match word {
            "A" => agent.as_str(),
            "N" => nobody.as_str(),
            "''" => "",
            word => word,
        });
        let words: Vec<&str> = words.collect();
        compare(words[0], &words[1..]);
    }
}
