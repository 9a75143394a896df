//! Links, the option `--net-snmp-output`, and snmp.conf.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use super::{USERS, command};
use crate::program::Outcome;
use crate::snmpd::Snmpd;

/// The link and the option lead to the same.
#[test]
fn the_option_and_a_link_are_the_tool() {
    let Some(snmpd) = Snmpd::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("snmpget");
    symlink(env!("CARGO_BIN_EXE_varbind"), &link).unwrap();
    let words = ["-v2c", "-c", "public", &snmpd.target(), "sysNope.0"];
    let linked: Outcome = Command::new(&link).args(words).output().unwrap().into();
    let told = "sysNope.0: Unknown Object Identifier (Sub-id not found: (top) -> sysNope)\n";
    assert_eq!((linked.errors.as_str(), linked.code), (told, Some(1)));
    let by_option = Command::new(env!("CARGO_BIN_EXE_varbind"))
        .arg("get")
        .args(words)
        .arg("--net-snmp-output")
        .output();
    assert_eq!(Outcome::from(by_option.unwrap()), linked);
}

#[test]
fn snmp_conf_fills_what_the_command_line_leaves_open() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    let target = snmpd.target();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("snmp.conf");
    let read = |text: &str, words: &[&str]| {
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let run = |is_ours| -> Outcome {
            let mut command = command("snmpget", is_ours, words);
            command
                .env("SNMPCONFPATH", directory.path())
                .env_remove("MIBS");
            command.output().unwrap().into()
        };
        let (ours, theirs) = (run(true), run(false));
        assert_eq!(ours, theirs, "{text} {words:?}");
        ours
    };
    let mibs = "mibs SNMPv2-MIB:IF-MIB\n";
    let community = format!("{mibs}defVersion 2c\ndefCommunity public\nretries 0\n");
    for (text, words) in [
        (community.clone(), &[target.as_str(), "sysServices.0"][..]),
        (
            format!("{community}printNumericOids yes\nquickPrinting 1\n"),
            &["-OS", &target, "sysServices.0"],
        ),
        (
            community.clone(),
            &["-t0.2", "--defCommunity=wrong", &target, "sysServices.0"],
        ),
        (
            format!(
                "{mibs}defSecurityName ops\ndefSecurityLevel authPriv\ndefAuthType SHA\n\
                     defAuthPassphrase \"maplesyrup\"\ndefPrivType AES\ndefPrivPassphrase applesauce\n"
            ),
            &[&target, "ifDescr.1"],
        ),
        (
            "mibs :\ndefVersion 1\ndefCommunity public\n".to_owned(),
            &[&target, "1.3.6.1.2.1.1.7.0"],
        ),
    ] {
        read(&text, words);
    }
    // Only ours warns.
    let secret = "defVersion 2c\ndefCommunity public\ndefPassphrase maplesyrup\n";
    fs::write(&file, secret).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let mut command = command("snmpget", true, &[&target, "sysServices.0"]);
    let outcome: Outcome = command
        .env("SNMPCONFPATH", directory.path())
        .output()
        .unwrap()
        .into();
    assert_eq!(outcome.output, "SNMPv2-MIB::sysServices.0 = INTEGER: 72\n");
    assert!(
        outcome.errors.contains("others can read it: chmod 600"),
        "{}",
        outcome.errors
    );
}
