//! The command doctor.

use crate::own_agent::Agent;
use crate::program::{Outcome, run};
use crate::snmpd::Snmpd;
use crate::users::{OTHER_PASSWORD, PASSWORD, USERS};

/// Users of several levels.
const CONFIGURATION: &str = r#"
[engine]
id = "0x800000000474657374"
[[user]]
name = "ops"
authentication = { protocol = "SHA", password = "maplesyrup" }
privacy = { protocol = "AES-256-Reeder", password = "apple sauce" }
[[user]]
name = "auditor"
level = "authNoPriv"
authentication = { protocol = "SHA-512", password = "maplesyrup" }
"#;

#[test]
fn the_doctor_finds_protocols_and_the_command_line_that_works() {
    let agent = Agent::start_with(CONFIGURATION);
    let doctor = |arguments: &[&str]| run(&[&["doctor", &agent.target], arguments].concat());
    let found = doctor(&["-u", "ops", "-A", PASSWORD, "-X", OTHER_PASSWORD]);
    assert_eq!(found.code, Some(0), "{found:?}");
    for expected in [
        "0x800000000474657374: no enterprise, text \"test\"",
        "started 1 times",
        "ok  user ops        known\n",
        "ok  authentication  SHA\n",
        "ok  privacy         AES-256-C (keys extended as draft-reeder",
        "ok  sysUpTime",
    ] {
        assert!(found.output.contains(expected), "{}", found.output);
    }
    assert!(!found.output.contains(PASSWORD) && !found.output.contains("sauce"));
    let line = found.output.lines().last().unwrap();
    let shell = line
        .replacen("PASSWORD=..", "PASSWORD=maplesyrup", 1)
        .replacen("PASSWORD=..", "PASSWORD='apple sauce'", 1)
        .replacen("varbind", env!("CARGO_BIN_EXE_varbind"), 1);
    let output = std::process::Command::new("sh")
        .args(["-c", &shell])
        .output()
        .unwrap();
    let outcome = Outcome::from(output);
    assert!(
        outcome.output.starts_with("SNMPv2-MIB::sysUpTime.0 ="),
        "{shell} {outcome:?}"
    );

    let found = doctor(&["-u", "auditor", "-A", PASSWORD, "-X", OTHER_PASSWORD]);
    assert_eq!(found.code, Some(2), "{found:?}");
    assert!(
        found.output.contains("ok  authentication  SHA-512"),
        "{}",
        found.output
    );
    assert!(
        found.output.contains("no key for privacy"),
        "{}",
        found.output
    );
    let found = doctor(&["-u", "ops", "-A", "not the password"]);
    assert!(
        found
            .output
            .contains("no  authentication  the password is wrong"),
        "{found:?}"
    );
    let found = doctor(&["-u", "sop"]);
    assert!(found.output.contains("no such user"), "{found:?}");
    let found = doctor(&[]);
    assert_eq!(found.code, Some(0), "{found:?}");
    assert!(found.output.contains("engine ID"), "{found:?}");
}

#[test]
fn the_doctor_names_the_level_that_may_give_access() {
    let agent = Agent::start_with(CONFIGURATION);
    let options = ["-u", "ops", "-l", "authNoPriv", "-A", PASSWORD];
    let found = run(&[&["doctor", &agent.target], &options[..]].concat());
    assert_eq!(found.code, Some(2), "{found:?}");
    for expected in [
        "no  sysUpTime",
        "add -l authPriv",
        "varbind doctor -v3 -u ops -l authPriv",
    ] {
        assert!(found.output.contains(expected), "{}", found.output);
    }
    assert!(!found.output.contains(PASSWORD), "{}", found.output);
}

#[test]
fn the_doctor_copes_with_an_agent_that_is_silent_about_what_it_cannot_decrypt() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    let found = run(&[
        "doctor",
        &snmpd.target(),
        "-u",
        "ops",
        "-A",
        PASSWORD,
        "-X",
        OTHER_PASSWORD,
        "-x",
        "AES-256",
        "-t",
        "1.5",
        "-r",
        "0",
    ]);
    assert_eq!(found.code, Some(0), "{found:?}");
    assert!(
        found.output.contains("-a SHA -x AES udp"),
        "{}",
        found.output
    );
}

#[test]
fn the_doctor_tells_an_agent_without_version_3_from_a_silent_host() {
    let agent = Agent::start();
    let found = run(&["doctor", &agent.target, "-t", "5", "-r", "0"]);
    assert_eq!(found.code, Some(3), "{found:?}");
    assert!(
        found
            .output
            .contains("answers in SNMPv2c, but not in SNMPv3: use -v2c -c"),
        "{found:?}"
    );
}

#[test]
fn the_doctor_examines_a_community() {
    let agent = Agent::start_with(
        r#"
        [[user]]
        name = "ops"
        level = "authNoPriv"
        authentication = { protocol = "SHA-256", password = "maplesyrup" }
        [[community]]
        name = "public"
        "#,
    );
    let doctor = |arguments: &[&str]| run(&[&["doctor", &agent.target], arguments].concat());
    for (version, name) in [("-v2c", "SNMPv2c"), ("-v1", "SNMPv1")] {
        let found = doctor(&[version, "-c", "public"]);
        assert_eq!(found.code, Some(0), "{found:?}");
        assert!(
            found.output.starts_with(&format!("ok  {name}")),
            "{found:?}"
        );
        assert!(
            found
                .output
                .contains("ok  community       the agent accepts it\n"),
            "{found:?}"
        );
        let line = format!("\nvarbind get {version} {} sysUpTime.0\n", agent.target);
        assert!(found.output.ends_with(&line), "{found:?}");
        let found = doctor(&[version, "-c", "pubilc", "-t", "5", "-r", "0"]);
        assert_eq!(found.code, Some(2), "{found:?}");
        assert!(
            found.output.contains(
                "no  community       the agent answers in SNMPv3, but not to this community"
            ),
            "{found:?}"
        );
        // Neither in the command line nor in the output.
        assert!(!found.output.contains("pubilc"), "{found:?}");
    }
    let found = doctor(&["-v2c", "-u", "ops"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(found.errors.contains("add -v3"), "{found:?}");
    let silent = crate::silent::Silent::new();
    let found = run(&[
        "doctor",
        "-v2c",
        "-c",
        "x",
        "-t",
        "0.2",
        "-r",
        "0",
        &silent.target(),
    ]);
    assert_eq!(found.code, Some(3), "{found:?}");
    assert!(
        found.output.contains("no  SNMPv2c         no answer"),
        "{found:?}"
    );
}
