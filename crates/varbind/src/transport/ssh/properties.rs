//! What must hold of files and streams of SSH, whatever is in them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "it is there to fail, and in no ordinary build"
)]

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use russh::keys::PublicKey;

use super::client_configuration::{HostSettings, Surroundings, Tokens};
use super::known_hosts::{HostKeyStatus, KnownHosts, name_in_files};
use super::server::authorized_keys::{Client, Credential, Verdict, authorize};
use super::subsystem::{Naming, naming};
use crate::fuzzing::pieces;

/// In the seeds of the corpora.
const KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHEX//LQ/SlEYrPIArfLh1NXnyPzlGuZz1Xzjoc/AT8Q";
/// Has no line that says something of it.
const OTHER: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINkpihDRsHNYN9xL2F2sZBsPPO8npH5dU6VPLz9bL8/6";

fn keys() -> Option<(PublicKey, PublicKey)> {
    Some((
        PublicKey::from_openssh(KEY).ok()?,
        PublicKey::from_openssh(OTHER).ok()?,
    ))
}

/// A file of known hosts, of the client's configuration or of authorized keys, as the first octet says. A key that no line
/// has is never known nor authorized, and lines that cannot be read say nothing.
pub fn files(octets: &[u8]) {
    let Some((kind, content)) = octets.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(content);
    match kind % 3 {
        0 => known_hosts(&text),
        1 => client_configuration(&text),
        _ => authorized_keys(&text),
    }
}

fn known_hosts(text: &str) {
    let Some((key, other)) = keys() else { return };
    for name in ["agent.example".to_owned(), name_in_files("192.0.2.1", 5161)] {
        let mut known = KnownHosts::default();
        known.add(&name, Path::new("known_hosts"), text);
        let status = known.status(&key);
        if status == HostKeyStatus::Known {
            assert!(known.place(&key).is_some());
            // The octets of the key are in the line.
            assert!(
                text.contains("AAAAC3NzaC1lZDI1NTE5AAAAIHEX//LQ/SlEYrPI"),
                "{text}"
            );
        }
        if !text.contains("AAAAC3NzaC1lZDI1NTE5AAAAINkpihDRsHNYN9xL") {
            assert_ne!(known.status(&other), HostKeyStatus::Known);
        }
        let _ = (known.algorithms().count(), known.has_authority());
    }
}

fn client_configuration(text: &str) {
    if text.to_ascii_lowercase().contains("include") {
        // It would read files of this host.
        return;
    }
    let surroundings = Surroundings {
        home: Some("/home/ops".into()),
        local_user: "ops".to_owned(),
    };
    let Ok(settings) = HostSettings::of_text("agent.example", text, &surroundings) else {
        return;
    };
    assert_ne!(settings.port, Some(0));
    let tokens = Tokens {
        host_name: "192.0.2.1",
        host: "agent",
        port: 5161,
        remote_user: "ops",
        surroundings: &surroundings,
    };
    let files = settings.identity_files.iter().flatten();
    for file in files.chain(&settings.certificate_files) {
        let expanded = tokens.expand(file);
        assert!(expanded.as_os_str().len() <= 16 * (1 + file.as_os_str().len()));
    }
    // What is said first counts.
    let again = format!("{text}\nHost *\nPort 4\nUser other\n");
    if let Ok(more) = HostSettings::of_text("agent.example", &again, &surroundings) {
        assert_eq!(more.port, settings.port.or(Some(4)));
        assert!(more.user.is_some());
    }
}

fn authorized_keys(text: &str) {
    let Some((key, other)) = keys() else { return };
    let client = Client {
        user: "ops",
        address: IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7)),
        now: 1_800_000_000,
    };
    let verdict = authorize(text, Credential::Key(&key), &client);
    if verdict == Verdict::Authorized {
        assert!(
            text.contains("AAAAC3NzaC1lZDI1NTE5AAAAIHEX//LQ/SlEYrPI"),
            "{text}"
        );
        // Further lines neither authorize nor refuse a key.
        let more = format!("# comment\n{text}\nno key at all\n");
        let again = authorize(&more, Credential::Key(&key), &client);
        assert_eq!(again, Verdict::Authorized);
    }
    if !text.contains("AAAAC3NzaC1lZDI1NTE5AAAAINkpihDRsHNYN9xL") {
        let stranger = authorize(text, Credential::Key(&other), &client);
        assert_eq!(stranger, Verdict::Unknown);
    }
}

/// What root's launcher sends, in pieces: the user's name and what is left for the session are the same whatever the pieces
/// are, and no message is taken for a name.
pub fn handover(octets: &[u8]) {
    let stream: Vec<u8> = pieces(octets).flatten().copied().collect();
    let mut at_once = stream.clone();
    let expected = naming(&mut at_once);
    let mut arrived = Vec::new();
    let mut found = Naming::Incomplete;
    for piece in pieces(octets) {
        arrived.extend_from_slice(piece);
        if found == Naming::Incomplete {
            found = naming(&mut arrived);
        }
    }
    assert_eq!(found, expected);
    if expected == Naming::TooLong {
        return;
    }
    assert_eq!(arrived, at_once);
    match expected {
        Naming::Named(name) => assert!(name.len() <= stream.len() - at_once.len()),
        // RFC 3416: a message begins with a SEQUENCE.
        _ => assert!(stream.first() != Some(&0x30) || arrived == stream),
    }
}
