//! The command doctor.

use crate::own_agent::Agent;
use crate::program::{Outcome, run};
use crate::snmpd::Snmpd;
use crate::users::{OTHER_PASSWORD, PASSWORD, USERS};

#[test]
fn the_doctor_finds_protocols_and_the_command_line_that_works() {
    let agent = Agent::start_with(
        r#"
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
        "#,
    );
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
        "0.3",
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
    let found = run(&["doctor", &agent.target, "-t", "0.2", "-r", "0"]);
    assert_eq!(found.code, Some(3), "{found:?}");
    assert!(found.output.contains("answers in SNMPv2c"), "{found:?}");
}
