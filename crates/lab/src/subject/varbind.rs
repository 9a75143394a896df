use std::fs;
use std::path::Path;
use std::process::Command;

use super::child::write_secret;
use super::users::{AUTHENTICATION_PASSWORD, PRIVACY_PASSWORD, user_name};
use super::{Agent, READ_COMMUNITY, SubjectError, WRITE_COMMUNITY};
use crate::security::{Protection, Scheme};

/// Starts our agent with a configuration of its own.
pub(super) fn start(
    executable: &Path,
    users: &[Protection],
    first: Scheme,
) -> Result<Agent, SubjectError> {
    Agent::start(
        |directory, address| {
            let state = directory.join("state");
            fs::create_dir(&state)?;
            let configuration = directory.join("agent.toml");
            let text = format!(
                "listen = [\"udp:{address}\", \"tcp:{address}\"]\n\
                 state-directory = {state:?}\n\
                 [[community]]\nname = \"{READ_COMMUNITY}\"\naccess = \"read-only\"\n\
                 [[community]]\nname = \"{WRITE_COMMUNITY}\"\naccess = \"read-write\"\n"
            );
            let text = users.iter().fold(text, |text, user| text + &of_user(*user));
            write_secret(&configuration, &text)?;
            let mut command = Command::new(executable);
            command.args(["agent", "--config"]).arg(&configuration);
            Ok(command)
        },
        "varbind agent",
        first,
    )
}

fn of_user(protection: Protection) -> String {
    let mut text = format!(
        "[[user]]\nname = {:?}\naccess = \"read-write\"\nlevel = {:?}\n",
        user_name(protection),
        protection.level_name()
    );
    if let Some(protocol) = protection.authentication() {
        text += &format!(
            "authentication = {{ protocol = \"{protocol}\", password = {AUTHENTICATION_PASSWORD:?} }}\n"
        );
    }
    if let Some(protocol) = protection.privacy() {
        text += &format!(
            "privacy = {{ protocol = \"{protocol}\", password = {PRIVACY_PASSWORD:?} }}\n"
        );
    }
    text
}

/// The version that the program tells: `varbind 0.1.0`.
pub(super) fn version(executable: &Path) -> String {
    let output = Command::new(executable).arg("--version").output();
    let text = output
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    text.split_whitespace()
        .next_back()
        .unwrap_or("unknown")
        .to_owned()
}
