use std::fs;

use crate::program::{Outcome, run, varbind};
use crate::silent::{Silent, community};

/// The community that is sent with these arguments and this environment.
fn sent_community(arguments: &[&str], environment: Option<&str>) -> String {
    let agent = Silent::new();
    let mut command = varbind(&["get", "-t", "0.01", "-r", "0"]);
    command
        .args(arguments)
        .args([&agent.target(), "sysDescr.0"]);
    if let Some(value) = environment {
        command.env("VARBIND_COMMUNITY", value);
    }
    let outcome = Outcome::from(command.output().unwrap());
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    community(&agent.requests()[0]).to_owned()
}

#[test]
fn the_community_comes_from_the_option_a_file_or_the_environment() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("community");
    fs::write(&file, "from-file\nsecond line\n").unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(sent_community(&[], None), "public");
    assert_eq!(sent_community(&[], Some("from-env")), "from-env");
    assert_eq!(
        sent_community(&["--community-file", file], Some("from-env")),
        "from-file"
    );
    assert_eq!(sent_community(&["-c", "given"], Some("from-env")), "given");
    assert_eq!(sent_community(&["-cgiven"], None), "given");
}

#[test]
fn a_community_file_that_is_missing_or_empty_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("community");
    let arguments = [
        "get",
        "--community-file",
        file.to_str().unwrap(),
        "127.0.0.1",
        "sysDescr.0",
    ];
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(1));
    assert!(
        outcome.errors.contains("cannot be read"),
        "{}",
        outcome.errors
    );
    fs::write(&file, "\n").unwrap();
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.errors.contains("is empty"), "{}", outcome.errors);
}

#[test]
fn versions_are_sent_as_asked_for() {
    for (option, number) in [("-v1", 0), ("-v2c", 1)] {
        let agent = Silent::new();
        run(&[
            "get",
            option,
            "-t",
            "0.01",
            "-r",
            "0",
            &agent.target(),
            "sysDescr.0",
        ]);
        assert_eq!(agent.requests()[0][4], number, "{option}");
    }
}

#[test]
fn wrong_arguments_exit_with_1_and_say_why() {
    for (arguments, part) in [
        (&["get", "127.0.0.1", "nosuchname.0"][..], "unknown object"),
        (&["get", "127.0.0.1", "sysDesc.0"], "did you mean sysDescr"),
        (&["get", "127.0.0.1", "1.3.6.x"], "no \"x\" below dod"),
        (
            &["get", "ipx:router1", "sysDescr.0"],
            "the transport ipx is not supported",
        ),
        (&["get", "127.0.0.1:99999", "sysDescr.0"], "is not a port"),
        (
            &["get", "-v4", "127.0.0.1", "sysDescr.0"],
            "possible values: 1, 2c",
        ),
        (&["get", "-t", "0", "127.0.0.1", "sysDescr.0"], "above 0"),
        (
            &["get", "-Oz", "127.0.0.1", "sysDescr.0"],
            "unknown output option 'z'",
        ),
        (&["get", "127.0.0.1"], "<OID>"),
        (&["getbulk", "-Cx", "127.0.0.1", "sysDescr"], "-C"),
        (
            &["getbulk", "-v1", "127.0.0.1", "sysDescr"],
            "SNMPv1 has no GetBulk",
        ),
        (
            &["bulkwalk", "-v1", "127.0.0.1", "sysDescr"],
            "SNMPv1 has no GetBulk",
        ),
        (
            &["set", "127.0.0.1", "sysName.0", "s"],
            "the value is missing",
        ),
        (
            &["set", "127.0.0.1", "ifAdminStatus.1", "=", "sideways"],
            "ifAdminStatus.1",
        ),
        (
            &["walk", "-CE", "1.3.7", "127.0.0.1", "ifTable"],
            "not below the walked name",
        ),
        (&["table", "127.0.0.1", "sysDescr"], "is not a table"),
        (&["fetch", "127.0.0.1"], "fetch"),
    ] {
        assert_refused(arguments, part);
    }
}

#[test]
fn misspelled_addresses_and_names_and_wrong_values_are_recognized() {
    for (arguments, part) in [
        (
            &["get", "127.0.0.1", "IFMIB::ifDescr.1"][..],
            "did you mean IF-MIB?",
        ),
        (
            &["get", "127.0.0.1", "ciscoEnvMonObjects.0"],
            "name the directory of its MIB module with -M",
        ),
        (&["get", "::1:24163", "sysDescr.0"], "write [::1]:24163"),
        (
            &["agent", "--listen", "udp:::1:24163"],
            "write udp:[::1]:24163",
        ),
        (
            &["get", "upd:127.0.0.1:161", "sysDescr.0"],
            "unknown transport upd; did you mean udp?",
        ),
        (
            &["get", "tsl:localhost", "sysDescr.0"],
            "unknown transport tsl; did you mean tls?",
        ),
        (
            &["get", "sysDescr.0", "127.0.0.1:24163"],
            "sysDescr.0 is the name of an object: the address comes first",
        ),
        (
            &["get", "SNMPv2-MIB::sysDescr.0", "router1"],
            "the address comes first",
        ),
        (
            &["table", "ifTable", "router1"],
            "ifTable is the name of an object",
        ),
        (
            &["set", "127.0.0.1", "snmpEnableAuthenTraps.0", "i", "7"],
            "its values are enabled(1), disabled(2) (--no-range-check or -Ir",
        ),
        (
            &["set", "127.0.0.1", "sysLocation.0", "b", "1,2"],
            "sysLocation is OCTET STRING",
        ),
        (
            &[
                "trap",
                "127.0.0.1",
                "",
                "coldStart",
                "sysLocation.0",
                "a",
                "1.2.3.4",
            ],
            "sysLocation is OCTET STRING",
        ),
    ] {
        assert_refused(arguments, part);
    }
}

/// The arguments are wrong, and the error says this.
#[track_caller]
fn assert_refused(arguments: &[&str], part: &str) {
    let outcome = run(arguments);
    assert_eq!(outcome.code, Some(1), "{arguments:?}: {outcome:?}");
    assert_eq!(outcome.output, "");
    assert!(outcome.errors.starts_with("varbind: "), "{arguments:?}");
    assert!(
        outcome.errors.contains(part),
        "{arguments:?}: {}",
        outcome.errors
    );
}

#[test]
fn help_and_version_go_to_standard_output() {
    for arguments in [
        &["--help"][..],
        &["walk", "--help"],
        &["table", "-h"],
        &["--version"],
    ] {
        let outcome = run(arguments);
        assert_eq!(
            (outcome.code, outcome.errors.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
        assert!(outcome.output.contains("varbind"));
        // Colour is for terminals.
        assert!(!outcome.output.contains('\u{1b}'));
    }
}

#[test]
fn names_are_translated_without_an_agent() {
    let outcome = run(&[
        "translate",
        "-On",
        "ifDescr.2",
        "IF-MIB::ifTable",
        "1.3.6.1.2.1.1.1.0",
    ]);
    assert_eq!(
        outcome.output,
        ".1.3.6.1.2.1.2.2.1.2.2\n.1.3.6.1.2.1.2.2\n.1.3.6.1.2.1.1.1.0\n"
    );
    let outcome = run(&["translate", "--json", "1.3.6.1.2.1.1.1.0"]);
    let json: serde_json::Value = serde_json::from_str(&outcome.output).unwrap();
    assert_eq!(json[0]["name"], "SNMPv2-MIB::sysDescr.0");
}

#[test]
fn unknown_names_keep_translate_from_none_of_the_others() {
    let outcome = run(&[
        "translate",
        "-On",
        "ifDescr.2",
        "nosuch.0",
        "sysDescr",
        "norsuch",
    ]);
    assert_eq!(outcome.output, ".1.3.6.1.2.1.2.2.1.2.2\n.1.3.6.1.2.1.1.1\n");
    assert_eq!(outcome.code, Some(1));
    for name in ["nosuch", "norsuch"] {
        let expected = format!("varbind: unknown object \"{name}\"");
        assert_eq!(
            outcome.errors.matches(&expected).count(),
            1,
            "{}",
            outcome.errors
        );
    }
    let outcome = run(&["get", "127.0.0.1", "nosuch.0", "sysDescr.0", "norsuch.0"]);
    assert_eq!((outcome.code, outcome.errors.lines().count()), (Some(1), 2));
}

#[test]
fn objects_are_listed_and_searched() {
    let lines = |arguments: &[&str]| {
        let outcome = run(&[&["translate"], arguments].concat());
        assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
        outcome.output
    };
    assert_eq!(
        lines(&["-TB", "^if(HC)?InOctets$"]),
        "IF-MIB::ifInOctets\nIF-MIB::ifHCInOctets\n"
    );
    assert_eq!(
        lines(&["-Ib", "-On", "HCInOct"]),
        ".1.3.6.1.2.1.31.1.1.1.6\n"
    );
    assert!(lines(&["-Tz", "ifXTable"]).contains("\"ifName\"\t\t\t\"1.3.6.1.2.1.31.1.1.1.1\"\n"));
    assert!(lines(&["-To"]).starts_with(".0\n"), "the whole tree");
    assert!(lines(&["-Ts", "ifName"]).starts_with(".iso.org.dod.internet.mgmt.mib-2."));
    assert!(lines(&["-Tl", "system"]).contains(".mib-2(1).system(1).sysDescr(1)\n"));
    assert!(lines(&["-Ta", "system"]).contains("sysDescr OBJECT IDENTIFIER ::= { system 1 }\n"));
    assert!(lines(&["-Td", "ifOperStatus"]).contains("  Access      read-only\n"));
    let tree = lines(&["-Tp", "udp"]);
    for line in [
        "+--udp(7)",
        "   +-- -R-- Counter   udpInDatagrams(1)",
        "   +--udpTable(5)",
        "   |     |  Index: udpLocalAddress, udpLocalPort",
    ] {
        assert!(tree.lines().any(|known| known == line), "{line}\n{tree}");
    }
    assert_eq!(run(&["translate", "-TB", "nosuch.*thing"]).code, Some(1));
    assert_eq!(run(&["translate"]).code, Some(1));
}

#[test]
fn options_of_net_snmp_without_a_meaning_do_not_stop_a_command() {
    let outcome = run(&["translate", "-Pu", "-IR", "-Ih", "-Ln", "-On", "sysDescr.0"]);
    assert_eq!(outcome.output, ".1.3.6.1.2.1.1.1.0\n");
    assert_eq!((outcome.code, outcome.errors.as_str()), (Some(0), ""));
    let outcome = run(&["translate", "-Pu", "-Ih", "-On", "sysDescr.0"]);
    assert_eq!(outcome.code, Some(0));
    assert_eq!(
        outcome.errors,
        "varbind: ignored, since it means nothing here: -Pu -Ih\n"
    );
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let outcome = run(&["translate", "-Lf", log.to_str().unwrap(), "nosuch"]);
    assert_eq!((outcome.code, outcome.errors.as_str()), (Some(1), ""));
    let written = fs::read_to_string(log).unwrap();
    assert!(written.starts_with("varbind: unknown object"), "{written}");
    let outcome = run(&["translate", "-Lo", "nosuch"]);
    assert!(outcome.output.starts_with("varbind: unknown object"));
    let outcome = run(&["get", "-V"]);
    assert!(outcome.output.starts_with("varbind "), "{outcome:?}");
    let outcome = run(&["help", "get"]);
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.output.contains("Usage: varbind get"), "{outcome:?}");
}
