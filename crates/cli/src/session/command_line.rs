//! The options of a session as words of a command line that can be copied. Secrets are left to the environment.

use std::ffi::OsStr;
use std::fmt::Write;

use varbind::engine::security::SecurityLevel;
use varbind_terminal::arguments::{NetSnmpOption, Overdue};

use super::settings::community;
use crate::arguments::{SessionArguments, SnmpVersion, level_name};
use crate::credentials::{self, SecretOptions};

/// The command line of the doctor for a session.
pub(crate) fn doctor_line(session: &SessionArguments) -> String {
    line(session, "doctor", version_option(session))
}

/// The command line of another command for the same agent, up to the address.
pub(crate) fn command_line(session: &SessionArguments, command: &str) -> String {
    let version = match session.version {
        None => "",
        Some(SnmpVersion::V1) => "-v1 ",
        Some(SnmpVersion::V2c) => "-v2c ",
        Some(SnmpVersion::V3) => "-v3 ",
    };
    line(session, command, version)
}

fn line(session: &SessionArguments, command: &str, version: &str) -> String {
    let (community_variable, community) = community_words(session);
    let (user_variables, user) = user_words(session);
    let mut options = version.to_owned() + &community;
    options += &transport_options(session, false);
    options += &user;
    // Writing to a String cannot fail.
    if let Some(timeout) = session.timeout {
        let _ = write!(options, "-t {} ", timeout.as_secs_f64());
    }
    if let Some(retries) = session.retries {
        let _ = write!(options, "-r {retries} ");
    }
    let target = &session.target;
    format!("{community_variable}{user_variables}varbind {command} {options}{target}")
}

/// The version, if it is not the one that the doctor examines without this option.
pub(crate) fn version_option(session: &SessionArguments) -> &'static str {
    match session.version() {
        SnmpVersion::V1 => "-v1 ",
        SnmpVersion::V2c => "-v2c ",
        SnmpVersion::V3 if session.target.transport.is_secure() => "",
        SnmpVersion::V3 => "-v3 ",
    }
}

/// The community: a variable in front of the command line, or an option with its file.
pub(crate) fn community_words(session: &SessionArguments) -> (&'static str, String) {
    if session.version() == SnmpVersion::V3 || session.target.transport.is_secure() {
        return ("", String::new());
    }
    if let Some(file) = &session.community.community_file {
        return (
            "",
            format!("--community-file {} ", quoted(file.as_os_str())),
        );
    }
    let variable = match community(&session.community) {
        Ok(community) if community == b"public" => "",
        _ => "VARBIND_COMMUNITY=.. ",
    };
    (variable, String::new())
}

/// The user of SNMPv3 and the context: variables in front of the command line, and options.
fn user_words(session: &SessionArguments) -> (String, String) {
    let user = &session.user;
    let (mut variables, mut options) = (String::new(), String::new());
    if let Some(name) = &user.name {
        let level = credentials::level(user);
        for (secret, is_needed) in [
            (
                SecretOptions::authentication(user),
                level != SecurityLevel::NoAuthNoPriv,
            ),
            (
                SecretOptions::privacy(user),
                level == SecurityLevel::AuthPriv,
            ),
        ] {
            if is_needed {
                let (variable, option) = secret.words();
                variables += &variable;
                options += &option;
            }
        }
        options += &format!("-u {} ", quoted(name.as_ref()));
    }
    if let Some(level) = user.level {
        options += &format!("-l {} ", level_name(level));
    }
    if let Some(protocol) = user.auth_protocol {
        options += &format!("-a {protocol} ");
    }
    if let Some(protocol) = user.priv_protocol {
        options += &format!("-x {protocol} ");
    }
    options += &context_options(session);
    (variables, options)
}

/// The context, if one is named.
pub(crate) fn context_options(session: &SessionArguments) -> String {
    let user = &session.user;
    let mut options = String::new();
    if !user.context.is_empty() {
        options += &format!("-n {} ", quoted(user.context.as_ref()));
    }
    if let Some(engine) = user.context_engine_id {
        options += &format!("-E {engine} ");
    }
    options
}

/// What was given for the transport; not how the server is authenticated if another option takes the place of that.
pub(crate) fn transport_options(
    session: &SessionArguments,
    is_server_authenticated_otherwise: bool,
) -> String {
    let mut options = String::new();
    let mut add = |option: &str, value: &OsStr| {
        // Writing to a String cannot fail.
        let _ = write!(options, "{option} {} ", quoted(value));
    };
    let own = &session.certificate;
    for (option, file) in [("--certificate", &own.certificate), ("--key", &own.key)] {
        if let Some(file) = file {
            add(option, file.as_os_str());
        }
    }
    for file in &own.trust {
        add("--trust", file.as_os_str());
    }
    for file in &own.revocation_list {
        add("--revocation-list", file.as_os_str());
    }
    if own.overdue_revocation_lists == Overdue::Use {
        add("--overdue-revocation-lists", "use".as_ref());
    }
    let peer = &session.peer;
    let is_named = !is_server_authenticated_otherwise;
    if let (Some(fingerprint), true) = (&peer.peer_fingerprint, is_named) {
        add("--peer-fingerprint", fingerprint.to_string().as_ref());
    }
    if let (Some(name), true) = (&peer.peer_name, is_named) {
        add("--peer-name", name.as_ref());
    }
    for option in &peer.net_snmp {
        match option {
            NetSnmpOption::OurIdentity(file) => add("--certificate", file.as_os_str()),
            NetSnmpOption::TrustCertificate(file) => add("--trust", file.as_os_str()),
            NetSnmpOption::TheirIdentity(text) if is_named => {
                add("-T", format!("their_identity={text}").as_ref());
            }
            NetSnmpOption::TheirHostname(name) if is_named => {
                add("--peer-name", name.as_ref());
            }
            _ => {}
        }
    }
    for file in &session.ssh.identity {
        add("--identity", file.as_os_str());
    }
    for file in &session.ssh.known_hosts {
        add("--known-hosts", file.as_os_str());
    }
    #[cfg(feature = "openssl-tls")]
    if peer.legacy_tls {
        options += "--legacy-tls ";
    }
    options
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/.-_:=@+,%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        session: SessionArguments,
    }

    fn doctor_of(options: &str) -> String {
        let words = ["varbind"].into_iter().chain(options.split(' '));
        doctor_line(&Line::parse_from(words).session)
    }

    #[test]
    fn doctor_line_has_the_options_of_the_session_without_its_secrets() {
        for (options, line) in [
            ("-v2c -c public r1:1161", "varbind doctor -v2c udp:r1:1161"),
            (
                "-v1 -c s3cret tcp:r1",
                "VARBIND_COMMUNITY=.. varbind doctor -v1 tcp:r1",
            ),
            (
                "--community-file /c r1 -t 0.5 -r 2",
                "varbind doctor -v2c --community-file /c -t 0.5 -r 2 udp:r1",
            ),
            (
                "-v3 -u ops -l authNoPriv -a SHA -A maplesyrup -n x r1",
                "VARBIND_AUTH_PASSWORD=.. varbind doctor -v3 -u ops -l authNoPriv -a SHA -n x udp:r1",
            ),
            (
                "-v3 -u ops --auth-password-file /a --priv-password-file /p r1",
                "varbind doctor -v3 --auth-password-file /a --priv-password-file /p -u ops udp:r1",
            ),
            (
                "-v2c --trust ca.pem --peer-name r tls:r1",
                "varbind doctor -v2c --trust ca.pem --peer-name r tls:r1",
            ),
            (
                "--identity k --known-hosts h ssh:ops@r1:22",
                "varbind doctor --identity k --known-hosts h ssh:ops@r1:22",
            ),
        ] {
            assert_eq!(doctor_of(options), line);
        }
    }

    #[test]
    fn other_commands_have_the_version_that_was_named() {
        for (options, line) in [
            ("r1", "varbind walk udp:r1"),
            (
                "-v1 -c s3cret r1",
                "VARBIND_COMMUNITY=.. varbind walk -v1 udp:r1",
            ),
            ("-v3 tls:r1", "varbind walk -v3 tls:r1"),
        ] {
            let words = ["varbind"].into_iter().chain(options.split(' '));
            assert_eq!(command_line(&Line::parse_from(words).session, "walk"), line);
        }
    }
}
