//! All that Net-SNMP's tools can read of an agent, `varbind` reads.

use std::collections::BTreeSet;

use varbind::codec::smi::Oid;

use crate::own_agent::Agent;
use crate::program::{Outcome, run};
use crate::snmpd::{Snmpd, net_snmp};

const CONFIGURATION: &str = "\
createUser ops SHA maplesyrup AES \"apple sauce\"
rouser ops authpriv .1
";

const V1: &[&str] = &["-v1", "-c", "public"];
const V2C: &[&str] = &["-v2c", "-c", "public"];
const V3: &[&str] = &[
    "-v3",
    "-u",
    "ops",
    "-l",
    "authPriv",
    "-a",
    "SHA",
    "-A",
    "maplesyrup",
    "-x",
    "AES",
    "-X",
    "apple sauce",
];

const WHOLE: &str = "1.3";
const HR_SW_RUN_TABLE: &str = "1.3.6.1.2.1.25.4.2";
const USM_USER_TABLE: &str = "1.3.6.1.6.3.15.1.2.2";

/// The names that a walk wrote, in its order; lines that continue a value have none.
#[track_caller]
fn names(outcome: &Outcome) -> Vec<Oid> {
    assert_eq!(outcome.code, Some(0), "{}", outcome.errors);
    let lines = outcome.output.lines();
    lines
        .filter(|line| !line.ends_with("(It is past the end of the MIB tree)"))
        .filter_map(|line| line.strip_prefix('.')?.split_once(" = ")?.0.parse().ok())
        .collect()
}

/// How often two walks are compared: a process or connection can come, go and come back around ours.
const COMPARISONS: usize = 5;

/// Walks with Net-SNMP's tool before and after ours: processes and connections come and go, but rows that are there both
/// times must be in ours. A row is missing when each comparison misses it.
#[track_caller]
fn compare(what: &str, walk_theirs: impl Fn() -> Outcome, walk_ours: impl Fn() -> Outcome) {
    let set = |outcome: &Outcome| -> BTreeSet<Oid> { names(outcome).into_iter().collect() };
    let mut missing: Option<BTreeSet<Oid>> = None;
    for _ in 0..COMPARISONS {
        let before = set(&walk_theirs());
        let ours = names(&walk_ours());
        let after = set(&walk_theirs());
        assert!(ours.is_sorted(), "{what}: the names are not in order");
        assert!(
            before.intersection(&after).count() > 0,
            "{what}: an empty tree compares nothing"
        );
        let mut now: BTreeSet<Oid> = before.intersection(&after).cloned().collect();
        now.retain(|name| ours.binary_search(name).is_err());
        missing = Some(match missing {
            Some(former) => former.intersection(&now).cloned().collect(),
            None => now,
        });
        if missing.as_ref().is_some_and(BTreeSet::is_empty) {
            return;
        }
    }
    panic!("{what}: {missing:?}");
}

#[test]
fn a_walk_finds_all_that_snmpwalk_finds_in_every_version() {
    let Some(snmpd) = Snmpd::start_with(CONFIGURATION) else {
        return;
    };
    let (udp, tcp) = (snmpd.target(), snmpd.targets().swap_remove(1));
    for (options, targets) in [(V1, [&udp].as_slice()), (V2C, &[&tcp]), (V3, &[&udp, &tcp])] {
        for target in targets {
            // GetNext of the whole tree with encryption takes Net-SNMP's tool long.
            let tool = if options == V1 {
                "snmpwalk"
            } else {
                "snmpbulkwalk"
            };
            let arguments = [options, &["-On", target, WHOLE]].concat();
            compare(
                &format!("{options:?} {target}"),
                || net_snmp(tool, &arguments),
                || run(&[&["walk"], arguments.as_slice()].concat()),
            );
        }
    }
}

/// Net-SNMP's agent answers genErr to a GetBulk whose response exceeds msgMaxSize.
#[test]
fn large_objects_are_walked_with_any_number_of_repetitions_and_any_message_size() {
    let Some(snmpd) = Snmpd::start_with(CONFIGURATION) else {
        return;
    };
    let target = snmpd.target();
    for root in [HR_SW_RUN_TABLE, USM_USER_TABLE] {
        for extra in [
            &["-Cr50"][..],
            &["--sequential"],
            &["--get-next"],
            &["--max-message-size", "1472"],
            &["--max-message-size", "1472", "-Cr200"],
        ] {
            compare(
                &format!("{extra:?} {root}"),
                || net_snmp("snmpbulkwalk", &[V3, &["-On", &target, root]].concat()),
                || run(&[&["walk", "-On"], V3, extra, &[&target, root]].concat()),
            );
        }
    }
}

#[test]
fn a_value_larger_than_a_packet_is_read_in_every_version() {
    let text = "x".repeat(3000);
    let agent = Agent::start_with(&format!(
        r#"
        [[community]]
        name = "public"
        [[user]]
        name = "ops"
        authentication = {{ protocol = "SHA", password = "maplesyrup" }}
        privacy = {{ protocol = "AES-128", password = "apple sauce" }}
        [[scalar]]
        oid = "1.3.6.1.4.1.99999.1.0"
        type = "octet-string"
        value = "{text}"
        [[scalar]]
        oid = "1.3.6.1.4.1.99999.2.0"
        type = "integer"
        value = 7
        "#
    ));
    for options in [V1, V2C, V3] {
        for arguments in [
            &["get", "-Oqv", &agent.target, "1.3.6.1.4.1.99999.1.0"][..],
            &["getnext", "-Oqv", &agent.target, "1.3.6.1.4.1.99999"],
            &["walk", "-Oqv", &agent.target, "1.3.6.1.4.1.99999"],
        ] {
            let ours = run(&[arguments, options].concat());
            assert!(ours.output.contains(&text), "{options:?}: {}", ours.errors);
            assert_eq!(ours.code, Some(0), "{}", ours.errors);
        }
    }
}

#[test]
fn a_get_of_128_names_brings_all_values_in_order() {
    let Some(snmpd) = Snmpd::start_with(CONFIGURATION) else {
        return;
    };
    let mut asked = vec!["1.3.6.1.2.1.1.7.0"; 127];
    asked.insert(60, "1.3.6.1.2.1.1.1.0");
    for target in snmpd.targets() {
        for options in [V1, V2C, V3] {
            for (tool, command) in [("snmpget", "get"), ("snmpgetnext", "getnext")] {
                let arguments = [options, &["-On", &target], &asked].concat();
                let theirs = net_snmp(tool, &arguments);
                let ours = run(&[&[command], arguments.as_slice()].concat());
                assert_eq!(ours.output, theirs.output, "{options:?}: {}", ours.errors);
                assert_eq!(ours.code, Some(0));
                assert_eq!(ours.output.lines().count(), 128);
            }
        }
    }
}

#[test]
fn missing_names_among_many_are_named() {
    let Some(snmpd) = Snmpd::start() else {
        return;
    };
    let mut asked = vec!["1.3.6.1.2.1.1.7.0"; 126];
    asked.insert(100, "1.3.6.1.2.1.1.77.0");
    asked.insert(20, "1.3.6.1.2.1.1.78.0");
    let ours = run(&[&["get", "-v1", "-On", &snmpd.target()], asked.as_slice()].concat());
    assert_eq!(ours.output.lines().count(), 126, "{}", ours.errors);
    assert_eq!(ours.code, Some(2));
    let told: Vec<_> = ours.errors.lines().collect();
    assert_eq!(told.len(), 2, "{told:?}");
    for (line, name) in told.iter().zip(["1.1.78.0", "1.1.77.0"]) {
        assert!(line.contains("noSuchName") && line.contains(name), "{line}");
    }
}

#[test]
fn a_set_that_exceeds_a_message_names_the_option() {
    let Some(snmpd) = Snmpd::start() else {
        return;
    };
    let text = "x".repeat(2000);
    let target = snmpd.target();
    let arguments = [
        "set",
        "-c",
        "private",
        "--no-range-check",
        &target,
        "sysName.0",
        "s",
        &text,
    ];
    let ours = run(&arguments);
    assert_eq!(ours.code, Some(1), "{}", ours.errors);
    assert!(
        ours.errors.contains("--max-message-size"),
        "{}",
        ours.errors
    );
}
