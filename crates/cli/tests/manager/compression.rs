//! `--compression`, in each version, and beside those who have none.

use varbind_testkit::peers::is_installed;

use crate::own_agent::Agent;
use crate::program::{Outcome, run};
use crate::snmpd::{Snmpd, net_snmp};

const CONFIGURATION: &str = "\
compression = [\"opc\", \"odc\", \"dictionary\"]
[[community]]
name = \"public\"
[[user]]
name = \"ops\"
authentication = { protocol = \"SHA-256\", password = \"maplesyrup\" }
privacy = { protocol = \"AES\", password = \"apple sauce\" }
";

const USER: [&str; 10] = [
    "-v3",
    "-u",
    "ops",
    "-l",
    "authPriv",
    "-a",
    "SHA-256",
    "-A",
    "maplesyrup",
    "-xAES",
];

/// The snmp group is left out: it counts these messages.
const OBJECTS: [&str; 3] = ["sysDescr", "sysORID", "ifTable"];

/// A command with and without compression, which must say the same.
fn both(command: &str, session: &[&str], how: &str, target: &str, objects: &[&str]) -> Outcome {
    let words = |more: &[&'static str]| -> Vec<String> {
        let all = [&[command], session, more, &[target], objects].concat();
        all.into_iter().map(str::to_owned).collect()
    };
    let ask = |words: Vec<String>| run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let plain = ask(words(&[]));
    assert_eq!(
        (plain.code, plain.errors.as_str()),
        (Some(0), ""),
        "{plain:?}"
    );
    let how: &'static str = match how {
        "opc" => "--compression=opc",
        "odc" => "--compression=odc",
        _ => "--compression=dictionary",
    };
    let compressed = ask(words(&[how]));
    assert_eq!(
        (&compressed.output, compressed.code),
        (&plain.output, Some(0))
    );
    compressed
}

fn user() -> Vec<&'static str> {
    [&USER[..], &["-X", "apple sauce"]].concat()
}

#[test]
fn names_are_compressed_in_each_version() {
    let agent = Agent::start_with(CONFIGURATION);
    for session in [&["-v1"][..], &["-v2c"], &user()] {
        for how in ["opc", "odc"] {
            for (command, objects) in [
                ("get", &["sysDescr.0", "sysServices.0", "sysName.0"][..]),
                ("getnext", &["sysDescr", "ifDescr"]),
                ("walk", &OBJECTS[1..2]),
            ] {
                let told = both(command, session, how, &agent.target, objects);
                assert_eq!(told.errors, "");
            }
        }
    }
    for how in ["opc", "odc"] {
        both("getbulk", &user(), how, &agent.target, &["sysORID"]);
        both("table", &["-v2c"], how, &agent.target, &["sysORTable"]);
    }
}

#[test]
fn a_dictionary_needs_a_stream() {
    let agent = Agent::start_with(CONFIGURATION);
    let told = both("get", &[], "dictionary", &agent.target, &["sysServices.0"]);
    assert!(
        told.errors.contains("messages are compressed by odc"),
        "{told:?}"
    );
}

#[test]
fn agents_that_have_none_are_asked_as_ever() {
    let agent = Agent::start();
    let told = both("get", &[], "odc", &agent.target, &["sysServices.0"]);
    assert!(
        told.errors.contains("messages are not compressed"),
        "{told:?}"
    );
    let Some(snmpd) = Snmpd::start() else {
        return;
    };
    for target in snmpd.targets() {
        for how in ["opc", "dictionary"] {
            let told = both("get", &["-v2c"], how, &target, &["sysServices.0"]);
            assert!(
                told.errors.contains("messages are not compressed"),
                "{told:?}"
            );
        }
    }
}

#[test]
fn net_snmp_asks_an_agent_that_takes_compression() {
    if !is_installed("snmpget") {
        return;
    }
    let agent = Agent::start_with(CONFIGURATION);
    let asked = ["-v2c", "-cpublic", &agent.target, "1.3.6.1.2.1.1.7.0"];
    let told = net_snmp("snmpget", &asked);
    assert!(told.output.contains("INTEGER: 72"), "{told:?}");
}

#[test]
fn what_is_no_compression_is_a_usage_error() {
    let told = run(&["get", "--compression", "zip", "localhost", "sysDescr.0"]);
    assert!(told.errors.contains("opc, odc and dictionary"), "{told:?}");
    assert_ne!(told.code, Some(0));
}
