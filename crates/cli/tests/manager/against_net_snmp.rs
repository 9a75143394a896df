use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::program::{run, varbind};
use crate::snmpd::{Snmpd, net_snmp};

/// Runs the same request with both, and compares what they write and how they end.
fn compare(tool: &str, command: &str, arguments: &[&str]) {
    let theirs = net_snmp(tool, arguments);
    let mut words = vec![command];
    words.extend(arguments);
    let ours = run(&words);
    assert_eq!(ours.output, theirs.output, "{words:?}: {}", ours.errors);
    assert_eq!(ours.code, theirs.code, "{words:?}: {}", ours.errors);
}

const OUTPUTS: [&str; 9] = [
    "-OS", "-On", "-Oq", "-OQ", "-Os", "-Ov", "-Oe", "-Oqv", "-Onqe",
];

#[test]
fn get_writes_what_snmpget_writes() {
    let Some(snmpd) = Snmpd::start() else { return };
    for target in snmpd.targets() {
        for version in ["-v1", "-v2c"] {
            compare(
                "snmpget",
                "get",
                &[
                    version,
                    "-c",
                    "public",
                    &target,
                    "sysDescr.0",
                    "sysObjectID.0",
                    "ifDescr.1",
                    "ifPhysAddress.1",
                ],
            );
        }
    }
    for output in OUTPUTS {
        compare(
            "snmpget",
            "get",
            &[
                "-v2c",
                "-c",
                "public",
                output,
                &snmpd.target(),
                "sysServices.0",
                "ifAdminStatus.1",
                "sysObjectID.0",
            ],
        );
    }
}

#[test]
fn exceptions_and_missing_names_end_as_snmpget_does() {
    let Some(snmpd) = Snmpd::start() else { return };
    let target = snmpd.target();
    for names in [
        &["sysDescr.0", "sysDescr.7"][..],
        &["1.3.6.1.2.1.1.99.0"],
        &["sysDescr.7", "sysName.0", "sysDescr.8"],
    ] {
        for options in [&["-v2c"][..], &["-v1"], &["-v1", "-Cf"]] {
            let mut arguments =
                [options, &["-On", "-c", "public", target.as_str()], names].concat();
            compare("snmpget", "get", &arguments);
            arguments.retain(|word| *word != "-Cf");
            compare("snmpgetnext", "getnext", &arguments);
        }
    }
}

#[test]
fn missing_names_are_reported_by_name() {
    let Some(snmpd) = Snmpd::start() else { return };
    let outcome = run(&["get", "-v1", &snmpd.target(), "sysDescr.7", "sysServices.0"]);
    assert_eq!(outcome.output, "SNMPv2-MIB::sysServices.0 = INTEGER: 72\n");
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome
            .errors
            .contains("noSuchName for SNMPv2-MIB::sysDescr.7"),
        "{}",
        outcome.errors
    );
}

#[test]
fn getbulk_writes_what_snmpbulkget_writes() {
    let Some(snmpd) = Snmpd::start() else { return };
    for target in snmpd.targets() {
        for letters in [&["-Cn1", "-Cr3"][..], &["-Cn0r2"], &["-Cn2"], &["-Cr0"]] {
            let rest = [
                "-v2c",
                "-One",
                "-c",
                "public",
                &target,
                "sysServices",
                "ifDescr",
                "ifAdminStatus",
            ];
            compare("snmpbulkget", "getbulk", &[letters, &rest].concat());
        }
    }
}

#[test]
fn walks_bring_what_snmpwalk_and_snmpbulkwalk_bring() {
    let Some(snmpd) = Snmpd::start() else { return };
    for target in snmpd.targets() {
        for root in [
            "ifDescr",
            "ifAdminStatus",
            "sysORTable",
            "1.3.6.1.2.1.1.9.1.3",
            "sysServices",
        ] {
            let arguments = ["-On", "-v2c", "-c", "public", &target, root];
            compare("snmpwalk", "walk", &arguments);
            compare("snmpbulkwalk", "bulkwalk", &arguments);
            compare(
                "snmpwalk",
                "walk",
                &["-v1", "-c", "public", "-On", &target, root],
            );
        }
    }
    let target = snmpd.target();
    for arguments in [
        &["-Cp", &target, "ifDescr"][..],
        &["-Ci", &target, "ifDescr.1"],
        &[
            "-CE",
            "1.3.6.1.2.1.1.9.1.3.4",
            &target,
            "1.3.6.1.2.1.1.9.1.3",
        ],
        // Instances, and what is not there.
        &[&target, "ifDescr.1"],
        &[&target, "1.3.6.1.2.1.999"],
        // Behind the last object.
        &[&target, "1.3.6.1.9"],
    ] {
        let rest = [&["-v2c", "-c", "public"], arguments].concat();
        compare("snmpwalk", "walk", &rest);
    }
}

#[test]
fn all_ways_of_walking_bring_the_same_objects() {
    let Some(snmpd) = Snmpd::start() else { return };
    for target in snmpd.targets() {
        let names = |arguments: &[&str]| {
            let outcome =
                run(&[&["walk", "-On", "-Oq", &target, "1.3.6.1.2.1.2"], arguments].concat());
            assert_eq!(outcome.code, Some(0), "{outcome:?}");
            let names = outcome
                .output
                .lines()
                .filter_map(|line| line.split(' ').next());
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        let usual = names(&[]);
        assert!(usual.len() > 22);
        for arguments in [
            &["--sequential"][..],
            &["--get-next"],
            &["-Cr1"],
            &["-Cr50"],
            &["-v1"],
            &["-Cc"],
        ] {
            assert_eq!(names(arguments), usual, "{target} {arguments:?}");
        }
    }
}

#[test]
fn set_sets_what_snmpget_reads() {
    let Some(snmpd) = Snmpd::start() else { return };
    for (number, target) in snmpd.targets().into_iter().enumerate() {
        let contact = format!("Jo Doe {number}");
        let outcome = run(&[
            "set",
            "-c",
            "private",
            &target,
            "sysContact.0",
            "s",
            &contact,
            "sysName.0",
            "=",
            "host",
        ]);
        let told = format!(
            "SNMPv2-MIB::sysContact.0 = STRING: {contact}\nSNMPv2-MIB::sysName.0 = STRING: host\n"
        );
        assert_eq!(
            (outcome.output, outcome.code),
            (told, Some(0)),
            "{}",
            outcome.errors
        );
        let read = net_snmp(
            "snmpget",
            &["-v2c", "-c", "public", "-Oqv", &target, "sysContact.0"],
        );
        assert_eq!(read.output.trim_end(), contact);
    }
}

#[test]
fn refused_sets_end_as_with_snmpset_and_say_which_object() {
    let Some(snmpd) = Snmpd::start() else { return };
    let target = snmpd.target();
    for (assignments, status) in [
        (
            &["sysName.0", "s", "a", "sysServices.0", "i", "3"][..],
            "notWritable for SNMPv2-MIB::sysServices.0",
        ),
        (
            &["1.3.6.1.2.1.1.5.0", "i", "3"],
            "wrongType for SNMPv2-MIB::sysName.0",
        ),
    ] {
        let rest = [&["-v2c", "-c", "private", target.as_str()], assignments].concat();
        // snmpset checks the type against its module first, so it gets the number only where both send.
        let outcome = run(&[&["set", "--no-range-check"], rest.as_slice()].concat());
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.errors.contains(status), "{}", outcome.errors);
        assert_eq!(outcome.output, "");
    }
    compare(
        "snmpset",
        "set",
        &["-v2c", "-c", "private", &target, "sysServices.0", "i", "3"],
    );
}

#[test]
fn a_wrong_community_is_named_as_a_possible_cause() {
    let Some(snmpd) = Snmpd::start() else { return };
    let outcome = run(&[
        "get",
        "-c",
        "wrong",
        "-t",
        "0.1",
        "-r",
        "1",
        &snmpd.target(),
        "sysDescr.0",
    ]);
    assert_eq!(outcome.code, Some(3));
    assert!(outcome.errors.contains("community"), "{}", outcome.errors);
}

#[test]
fn a_reader_that_leaves_ends_a_walk_quietly() {
    let Some(snmpd) = Snmpd::start() else { return };
    let mut child = varbind(&["walk", &snmpd.target(), "1.3.6.1.2.1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::with_capacity(64, child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    drop(output);
    assert!(
        line.starts_with("SNMPv2-MIB::sysDescr.0 = STRING: "),
        "{line}"
    );
    let outcome = child.wait_with_output().unwrap();
    assert_eq!(outcome.status.code(), Some(0));
    assert_eq!(String::from_utf8(outcome.stderr).unwrap(), "");
}

#[test]
fn json_and_csv_hold_every_object() {
    let Some(snmpd) = Snmpd::start() else { return };
    let target = snmpd.target();
    let lines = run(&["walk", "-On", "-Oq", &target, "sysORTable"]).output;
    let outcome = run(&["walk", "--json", &target, "sysORTable"]);
    let json: serde_json::Value = serde_json::from_str(&outcome.output).unwrap();
    let objects = json.as_array().unwrap();
    assert_eq!(objects.len(), lines.lines().count());
    for (object, line) in objects.iter().zip(lines.lines()) {
        let oid = object["oid"].as_str().unwrap();
        assert!(line.starts_with(&format!(".{oid} ")), "{line} {oid}");
    }
    assert_eq!(objects[0]["type"], "ObjectIdentifier");
    let csv = run(&["walk", "--csv", &target, "sysORTable"]).output;
    assert!(csv.starts_with("name,oid,type,value,display,units\n"));
    assert_eq!(csv.lines().count(), objects.len() + 1);
    let empty = run(&["walk", "--json", &target, "1.3.6.1.2.1.999"]).output;
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&empty).unwrap(),
        serde_json::json!([])
    );
}

#[test]
fn a_limit_ends_a_walk_and_what_came_before_is_kept() {
    let Some(snmpd) = Snmpd::start() else { return };
    let outcome = run(&[
        "walk",
        "--json",
        "--max-objects",
        "3",
        &snmpd.target(),
        "system",
    ]);
    assert_eq!(outcome.code, Some(5));
    let json: serde_json::Value = serde_json::from_str(&outcome.output).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 3);
    assert!(
        outcome.errors.contains("more than 3 objects"),
        "{}",
        outcome.errors
    );
}
