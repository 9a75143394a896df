//! What snmpd keeps: its engine ID, how often it was started, and users with localised keys.

use varbind_engine::engine_id::EngineId;

use super::Outcome;
use super::directives::Directive;
use super::document::{Draft, Key, User};

/// Protocols by their object identifiers, with the octets of their keys.
const AUTHENTICATION: [(&str, &str, usize); 6] = [
    (".1.3.6.1.6.3.10.1.1.2", "MD5", 16),
    (".1.3.6.1.6.3.10.1.1.3", "SHA", 20),
    (".1.3.6.1.6.3.10.1.1.4", "SHA-224", 28),
    (".1.3.6.1.6.3.10.1.1.5", "SHA-256", 32),
    (".1.3.6.1.6.3.10.1.1.6", "SHA-384", 48),
    (".1.3.6.1.6.3.10.1.1.7", "SHA-512", 64),
];
const PRIVACY: [(&str, &str, usize); 4] = [
    (".1.3.6.1.6.3.10.1.2.2", "DES", 16),
    (".1.3.6.1.6.3.10.1.2.4", "AES", 16),
    (".1.3.6.1.4.1.14832.1.3", "AES-192", 24),
    (".1.3.6.1.4.1.14832.1.4", "AES-256", 32),
];
const NO_AUTHENTICATION: &str = ".1.3.6.1.6.3.10.1.1.1";
const NO_PRIVACY: &str = ".1.3.6.1.6.3.10.1.2.1";

/// Takes a line of the persistent file; `None` for the many that say nothing of interest.
pub(super) fn take(draft: &mut Draft, directive: &Directive) -> Option<Outcome> {
    let first = directive.words.first().map(String::as_str);
    match &*directive.keyword {
        "oldengineid" => {
            let id = first
                .and_then(octets)
                .and_then(|octets| EngineId::new(&octets).ok());
            Some(match id {
                Some(id) => {
                    draft.engine_id = Some(id);
                    Outcome::Carried
                }
                None => Outcome::Noted("no engine ID: the agent makes one of its own".to_owned()),
            })
        }
        "engineboots" => {
            draft.engine_boots = first.and_then(|number| number.parse().ok()).unwrap_or(0);
            Some(Outcome::Carried)
        }
        "usmuser" => Some(match user(&directive.words) {
            Some(user) => {
                draft.users.push(user);
                Outcome::Carried
            }
            None => Outcome::Noted("the user cannot be read: add it as [[user]]".to_owned()),
        }),
        // Passwords that snmpd has not made keys of yet.
        "createuser" => Some(super::access::create_user(draft, directive)),
        _ => None,
    }
}

/// Octets in hexadecimal digits behind 0x, or the text itself.
fn octets(word: &str) -> Option<Vec<u8>> {
    let Some(digits) = word.strip_prefix("0x") else {
        return Some(word.as_bytes().to_vec());
    };
    crate::hexadecimal::decode(digits)
}

/// Status, storage type, engine ID, name, security name, clone-from, protocol and key for both, public string.
fn user(words: &[String]) -> Option<User> {
    let word = |at: usize| words.get(at).map(String::as_str);
    let name = String::from_utf8(octets(word(3)?)?).ok()?;
    let name = name.trim_end_matches('\0').to_owned();
    let key = |protocols: &[(&str, &'static str, usize)], protocol: &str, key: &str| {
        let (_, name, length) = *protocols.iter().find(|(oid, ..)| *oid == protocol)?;
        let octets = octets(key)?;
        let octets = octets.get(..length.min(octets.len()))?;
        Some(Key::localized(name, octets))
    };
    let authentication = match word(6)? {
        NO_AUTHENTICATION => None,
        protocol => Some(key(&AUTHENTICATION, protocol, word(7)?)?),
    };
    let privacy = match word(8)? {
        NO_PRIVACY => None,
        protocol => Some(key(&PRIVACY, protocol, word(9)?)?),
    };
    Some(User {
        name,
        authentication,
        privacy,
        is_created: true,
        ..User::default()
    })
}
