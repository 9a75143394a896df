//! The keys of settings, in all formats of inventories.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use varbind::engine::security::SecurityLevel;
use varbind::transport::Transport;

use crate::error::Error;
use crate::node::{Content, Node};
use crate::secret::{Credential, KeyKind, Secret, SecretSource};
use crate::settings::Settings;
use crate::source::Source;
use crate::suggestion::{did_you_mean, nearest};

/// A version of SNMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// SNMPv1 (RFC 1157).
    V1,
    /// Community-based SNMPv2 (RFC 1901).
    V2c,
    /// SNMPv3 (RFC 3412).
    V3,
}

/// A value that is to be read, and where it stands.
#[derive(Clone, Copy)]
struct Place<'n> {
    source: &'n Source,
    key: &'n str,
    node: &'n Node,
}

type Set = fn(&mut Settings, Place<'_>) -> Result<(), Error>;

/// All keys but those of secrets.
const KEYS: &[(&str, Set)] = &[
    ("address", |s, at| {
        at.text().map(|text| s.address = Some(text))
    }),
    ("transport", |s, at| {
        at.parsed(transport).map(|v| s.transport = Some(v))
    }),
    ("port", |s, at| at.parsed(number).map(|v| s.port = Some(v))),
    ("version", |s, at| {
        at.parsed(version).map(|v| s.version = Some(v))
    }),
    ("user", |s, at| at.text().map(|text| s.user = Some(text))),
    ("security-level", |s, at| {
        at.parsed(level).map(|v| s.security_level = Some(v))
    }),
    ("auth-protocol", |s, at| {
        at.parsed(shown).map(|v| s.auth_protocol = Some(v))
    }),
    ("priv-protocol", |s, at| {
        at.parsed(shown).map(|v| s.priv_protocol = Some(v))
    }),
    ("context", |s, at| {
        at.text().map(|text| s.context = Some(text))
    }),
    ("context-engine-id", |s, at| {
        at.parsed(shown).map(|v| s.context_engine_id = Some(v))
    }),
    ("certificate", |s, at| {
        at.file().map(|v| s.certificate = Some(v))
    }),
    ("key", |s, at| at.file().map(|v| s.key = Some(v))),
    ("trust", |s, at| at.files().map(|v| s.trust = Some(v))),
    ("revocation-lists", |s, at| {
        at.files().map(|v| s.revocation_lists = Some(v))
    }),
    ("peer-fingerprint", |s, at| {
        at.parsed(shown).map(|v| s.peer_fingerprint = Some(v))
    }),
    ("peer-name", |s, at| {
        at.text().map(|text| s.peer_name = Some(text))
    }),
    ("identity", |s, at| at.files().map(|v| s.identity = Some(v))),
    ("known-hosts", |s, at| {
        at.files().map(|v| s.known_hosts = Some(v))
    }),
    ("timeout", |s, at| {
        at.parsed(seconds).map(|v| s.timeout = Some(v))
    }),
    ("retries", |s, at| {
        at.parsed(number).map(|v| s.retries = Some(v))
    }),
    ("max-message-size", |s, at| {
        at.parsed(message_size)
            .map(|v| s.max_message_size = Some(v))
    }),
];

/// A secret that keys are about.
#[derive(Clone, Copy)]
enum Slot {
    Community,
    Authentication(KeyKind),
    Privacy(KeyKind),
}

/// The keys that hold a secret; with the suffix `-file` or `-command` they name its source.
const SECRETS: &[(&str, Slot)] = &[
    ("community", Slot::Community),
    ("auth-password", Slot::Authentication(KeyKind::Password)),
    ("auth-master-key", Slot::Authentication(KeyKind::MasterKey)),
    ("auth-key", Slot::Authentication(KeyKind::LocalizedKey)),
    ("priv-password", Slot::Privacy(KeyKind::Password)),
    ("priv-master-key", Slot::Privacy(KeyKind::MasterKey)),
    ("priv-key", Slot::Privacy(KeyKind::LocalizedKey)),
];

/// The form in which a key gives a secret.
#[derive(Clone, Copy)]
enum Form {
    Value,
    File,
    Command,
}

const FORMS: &[(&str, Form)] = &[
    ("", Form::Value),
    ("-file", Form::File),
    ("-command", Form::Command),
];

fn names() -> Vec<String> {
    let plain = KEYS.iter().map(|(name, _)| (*name).to_owned());
    let secret = SECRETS.iter().flat_map(|(name, _)| {
        let forms = FORMS.iter();
        forms.map(move |(suffix, _)| format!("{name}{suffix}"))
    });
    plain.chain(secret).collect()
}

/// The key that was probably meant, as `; did you mean user?`; `more` are other keys that may stand there.
pub(crate) fn suggestion(key: &str, more: &[&str]) -> String {
    let names = names();
    did_you_mean(
        key,
        names.iter().map(String::as_str).chain(more.iter().copied()),
    )
}

/// The key that is near to an unknown one.
pub(crate) fn near(key: &str) -> Option<String> {
    let names = names();
    nearest(key, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Reads the value of a key; false if there is no such key.
pub(crate) fn read(
    settings: &mut Settings,
    source: &Source,
    key: &str,
    node: &Node,
) -> Result<bool, Error> {
    let place = Place { source, key, node };
    if let Some((_, set)) = KEYS.iter().find(|(name, _)| *name == key) {
        set(settings, place)?;
        return Ok(true);
    }
    for (name, slot) in SECRETS {
        let form = key.strip_prefix(name).and_then(|suffix| {
            let mut forms = FORMS.iter();
            forms.find(|(known, _)| *known == suffix)
        });
        if let Some((_, form)) = form {
            slot.set(settings, place.secret(*form)?);
            return Ok(true);
        }
    }
    Ok(false)
}

impl Slot {
    fn set(self, settings: &mut Settings, source: SecretSource) {
        match self {
            Self::Community => settings.community = Some(source),
            Self::Authentication(kind) => settings.auth = Some(Credential { kind, source }),
            Self::Privacy(kind) => settings.privacy = Some(Credential { kind, source }),
        }
    }
}

impl Place<'_> {
    fn problem(&self, problem: &dyn Display) -> Error {
        let Self { source, key, node } = self;
        source.problem(node.line, format!("{key}: {problem}"))
    }

    fn text(&self) -> Result<String, Error> {
        let Self { source, key, node } = self;
        let text = node.text().map(str::to_owned);
        let text = text.ok_or_else(|| source.expected(node, key, "a text"))?;
        match is_template(&text) {
            true => {
                Err(self
                    .problem(&"this is a template that only Ansible can fill in: write the value"))
            }
            false => Ok(text),
        }
    }

    fn parsed<T>(&self, parse: fn(&str) -> Result<T, String>) -> Result<T, Error> {
        let text = self.text()?;
        parse(&text).map_err(|problem| self.problem(&format_args!("{text:?}: {problem}")))
    }

    fn file(&self) -> Result<PathBuf, Error> {
        Ok(self.source.file(&self.text()?))
    }

    fn files(&self) -> Result<Vec<PathBuf>, Error> {
        let Self { source, key, node } = self;
        let texts = node.texts();
        let texts = texts.ok_or_else(|| source.expected(node, key, "a list of files"))?;
        Ok(texts.into_iter().map(|text| source.file(text)).collect())
    }

    fn secret(&self, form: Form) -> Result<SecretSource, Error> {
        let Self { source, key, node } = *self;
        Ok(match form {
            Form::Value => {
                let text = node.text();
                let text = text.ok_or_else(|| source.expected(node, key, "a text"))?;
                if let Some(reason) = unusable(text) {
                    let line = node.line;
                    let path = source.path.display();
                    return Ok(SecretSource::Unusable(format!(
                        "{path}, line {line}: {key}: {reason}"
                    )));
                }
                source.check_secrecy(node.line, key)?;
                SecretSource::Value(Secret::new(text))
            }
            Form::File => SecretSource::File(self.file()?),
            Form::Command => {
                source.check_integrity(node.line, key)?;
                SecretSource::Command(match &node.content {
                    // As one text it is for the shell.
                    Content::Text(text) => ["/bin/sh", "-c", text].map(str::to_owned).to_vec(),
                    _ => {
                        let words = node.texts().filter(|words| !words.is_empty());
                        let expected = "a command or a list of words";
                        let words = words.ok_or_else(|| source.expected(node, key, expected))?;
                        words.into_iter().map(str::to_owned).collect()
                    }
                })
            }
        })
    }
}

fn is_template(text: &str) -> bool {
    text.contains("{{") && text.contains("}}")
}

/// Why a text is not a secret but stands for one that only Ansible can read.
fn unusable(text: &str) -> Option<&'static str> {
    if text.starts_with("$ANSIBLE_VAULT") {
        return Some(
            "the value is encrypted by Ansible Vault: name a program that decrypts it, with a key that ends with -command",
        );
    }
    is_template(text).then_some(
        "the value is a template that only Ansible can fill in: name a file or a program",
    )
}

fn shown<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| "write a number within the range of the key".to_owned())
}

fn message_size(text: &str) -> Result<u16, String> {
    let size = number(text)?;
    // RFC 3417 section 3.2.1.
    if size < 484 {
        return Err("every engine takes messages of 484 octets: write at least that".to_owned());
    }
    Ok(size)
}

fn transport(text: &str) -> Result<Transport, String> {
    let known = [
        ("udp", Transport::Udp),
        ("tcp", Transport::Tcp),
        ("tls", Transport::Tls),
        ("dtls", Transport::Dtls),
        ("ssh", Transport::Ssh),
    ];
    let found = known.iter().find(|(name, _)| *name == text);
    found.map(|(_, transport)| *transport).ok_or_else(|| {
        let names = known.map(|(name, _)| name);
        format!(
            "write udp, tcp, tls, dtls or ssh{}",
            did_you_mean(text, names)
        )
    })
}

fn version(text: &str) -> Result<Version, String> {
    match text.to_ascii_lowercase().trim_start_matches('v') {
        "1" => Ok(Version::V1),
        "2c" | "2" => Ok(Version::V2c),
        "3" => Ok(Version::V3),
        _ => Err("write 1, 2c or 3".to_owned()),
    }
}

fn level(text: &str) -> Result<SecurityLevel, String> {
    match text.to_ascii_lowercase().replace('-', "").as_str() {
        "noauthnopriv" => Ok(SecurityLevel::NoAuthNoPriv),
        "authnopriv" => Ok(SecurityLevel::AuthNoPriv),
        "authpriv" => Ok(SecurityLevel::AuthPriv),
        _ => Err("write noAuthNoPriv, authNoPriv or authPriv".to_owned()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok();
    let seconds = seconds.and_then(|seconds: f64| Duration::try_from_secs_f64(seconds).ok());
    seconds
        .filter(|seconds| !seconds.is_zero())
        .ok_or_else(|| "write seconds, as 1 or 0.25".to_owned())
}
