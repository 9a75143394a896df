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
fn a_community_file_that_is_missing_or_empty_is_told() {
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
        (&["get", "127.0.0.1:99999", "sysDescr.0"], "is no port"),
        (
            &["get", "-v4", "127.0.0.1", "sysDescr.0"],
            "possible values: 1, 2c",
        ),
        (&["get", "-t", "0", "127.0.0.1", "sysDescr.0"], "above 0"),
        (
            &["get", "-Oz", "127.0.0.1", "sysDescr.0"],
            "unknown output option 'z'",
        ),
        (
            &["get", "-m", "NO-SUCH-MIB", "127.0.0.1", "sysDescr.0"],
            "the MIB module NO-SUCH-MIB is not known",
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
            "not below what is walked",
        ),
        (&["table", "127.0.0.1", "sysDescr"], "is not a table"),
        (&["fetch", "127.0.0.1"], "fetch"),
    ] {
        let outcome = run(arguments);
        assert_eq!(outcome.code, Some(1), "{arguments:?}: {outcome:?}");
        assert_eq!(outcome.output, "");
        assert!(
            outcome.errors.contains(part),
            "{arguments:?}: {}",
            outcome.errors
        );
    }
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
