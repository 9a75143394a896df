//! The options of the command line that works.

use std::ffi::OsStr;
use std::fmt::Write;

use varbind_terminal::arguments::NetSnmpOption;

use super::Trusting;
use crate::arguments::SessionArguments;

/// What was given for the transport and for SNMPv3, and what is needed besides.
pub(super) fn options(session: &SessionArguments, trusting: Option<&Trusting>) -> String {
    let mut options = transport_options(session, trusting.is_some());
    if let Some(trusting) = trusting {
        options += &trusting.option;
        options.push(' ');
    }
    let context = &session.user.context;
    if !context.is_empty() {
        options += &format!("-n {} ", quoted(context.as_ref()));
    }
    options
}

/// What was given for the transport; not how the server is told where something else takes its place.
pub(in crate::command::doctor) fn transport_options(
    session: &SessionArguments,
    is_server_told: bool,
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
    let peer = &session.peer;
    if let (Some(fingerprint), false) = (&peer.peer_fingerprint, is_server_told) {
        add("--peer-fingerprint", fingerprint.to_string().as_ref());
    }
    if let (Some(name), false) = (&peer.peer_name, is_server_told) {
        add("--peer-name", name.as_ref());
    }
    for option in &peer.net_snmp {
        match option {
            NetSnmpOption::OurIdentity(file) => add("--certificate", file.as_os_str()),
            NetSnmpOption::TrustCertificate(file) => add("--trust", file.as_os_str()),
            NetSnmpOption::TheirIdentity(text) if !is_server_told => {
                add("-T", format!("their_identity={text}").as_ref());
            }
            NetSnmpOption::TheirHostname(name) if !is_server_told => {
                add("--peer-name", name.as_ref());
            }
            _ => {}
        }
    }
    #[cfg(feature = "openssl-tls")]
    if peer.legacy_tls {
        options += "--legacy-tls ";
    }
    let ssh = &session.ssh;
    let mut add = |option: &str, file: &OsStr| {
        let _ = write!(options, "{option} {} ", quoted(file));
    };
    for file in &ssh.identity {
        add("--identity", file.as_os_str());
    }
    for file in &ssh.known_hosts {
        add("--known-hosts", file.as_os_str());
    }
    options
}

/// A word as a shell takes it.
pub(super) fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/.-_:=@+,%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
