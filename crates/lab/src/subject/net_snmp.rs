use std::fs;
use std::path::Path;
use std::process::Command;

use super::agent::Configured;
use super::child::write_secret;
use super::users::{AUTHENTICATION_PASSWORD, PRIVACY_PASSWORD, user_name};
use super::{Agent, Demands, READ_COMMUNITY, SubjectError, WRITE_COMMUNITY};
use crate::security::{Protection, Scheme};

/// Starts snmpd with a configuration of its own and no other: the same host data, nothing that our agent lacks.
///
/// sysContact and its like are not configured: snmpd would make them read-only.
pub(super) fn start(
    executable: &Path,
    demands: &Demands,
    first: Scheme,
) -> Result<Agent, SubjectError> {
    Agent::start(
        |directory, addresses| {
            let address = addresses.plain;
            // snmpd keeps its state in a file of the same name: not in the same directory, then.
            let state = directory.join("state");
            fs::create_dir(&state)?;
            let configuration = directory.join("snmpd.conf");
            let text = format!(
                "agentAddress udp:{address},tcp:{address}\n\
                 rocommunity {READ_COMMUNITY}\n\
                 rwcommunity {WRITE_COMMUNITY}\n"
            );
            let users = demands.users.iter();
            let text = users.fold(text, |text, user| text + &of_user(*user));
            write_secret(&configuration, &text)?;
            let mut command = Command::new(executable);
            command
                .args(["-f", "-C", "-c"])
                .arg(&configuration)
                .args(["-LO", "w"])
                .env("SNMP_PERSISTENT_DIR", state)
                .env("SNMPCONFPATH", directory)
                .env("MIBS", "");
            Ok(Configured {
                command,
                accesses: None,
            })
        },
        "snmpd",
        demands,
        first,
    )
}

/// With `-C` snmpd does not read its persistent file, where createUser usually stands.
fn of_user(protection: Protection) -> String {
    let name = user_name(protection);
    let mut creation = format!("createUser {name}");
    if let Some(protocol) = protection.authentication() {
        creation += &format!(" {protocol} {AUTHENTICATION_PASSWORD}");
    }
    if let Some(protocol) = protection.privacy() {
        creation += &format!(" {protocol} {PRIVACY_PASSWORD}");
    }
    let level = match protection {
        Protection::NoAuthNoPriv => "noauth",
        Protection::AuthNoPriv(_) => "auth",
        Protection::AuthPriv(..) => "priv",
    };
    format!("{creation}\nrwuser {name} {level}\n")
}

/// The version that snmpd tells: `NET-SNMP version:  5.9.3`.
pub(super) fn version(executable: &Path) -> String {
    let output = Command::new(executable).arg("-v").output();
    let text = output
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    text.lines()
        .find_map(|line| line.split_once("version:"))
        .map_or("unknown", |(_, version)| version.trim())
        .to_owned()
}
