//! What must hold of anything that is called a configuration of snmpd.
#![allow(
    clippy::panic,
    reason = "it is there to fail, and in no ordinary build"
)]

use std::path::Path;

use super::{directives, translated};

/// The text of snmpd.conf, and of what snmpd keeps, apart at the first zero: what is made of both is TOML, and each directive
/// is carried over or noted.
pub fn snmpd_conf(octets: &[u8]) {
    let mut parts = octets.splitn(2, |&octet| octet == 0);
    let mut directives = || {
        let text = String::from_utf8_lossy(parts.next().unwrap_or_default());
        // No file is included: it could be any of this machine.
        let all = directives::of_text(Path::new("snmpd.conf"), &text);
        all.filter(|one| !one.is_include()).collect::<Vec<_>>()
    };
    let (configured, kept) = (directives(), directives());
    for keeps_open in [false, true] {
        let found = translated(
            Path::new("snmpd.conf"),
            &configured,
            Some(&kept),
            keeps_open,
        );
        let read = toml::from_str::<toml::Table>(&found.configuration);
        assert!(read.is_ok(), "{read:?}\n{}", found.configuration);
        assert!(found.carried + found.notes.len() >= configured.len());
        for note in &found.notes {
            assert!(!note.message.is_empty());
        }
    }
}
