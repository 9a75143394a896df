//! The configuration file as it is written.

use std::fmt;
use std::fs;
use std::marker::PhantomData;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;
use serde::de::{self, Deserializer};
use varbind::engine::security::SourceFilter;
use varbind::transport::TransportAddress;
use varbind_agent::configuration::toml_message;
use varbind_agent::configuration::value::{
    Duration, MapTo, MessageSize, OverdueRevocationLists, SessionLifetime,
};
use varbind_terminal::{Failure, print_message};

use super::users::UserEntry;

/// Read where it exists, if no other is named.
pub(super) const USUAL: &str = "/etc/varbind/receive.toml";
/// Who may read a file with secrets: its owner.
const OTHERS: u32 = 0o077;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Document {
    pub(super) listen: Vec<Text<TransportAddress>>,
    pub(super) state: Option<PathBuf>,
    pub(super) run_as: Option<String>,
    pub(super) output_file: Option<PathBuf>,
    pub(super) format: Format,
    /// Letters of `-O`.
    pub(super) output: Vec<String>,
    pub(super) mib_directories: Option<String>,
    pub(super) modules: Option<String>,
    pub(super) exec: Option<String>,
    pub(super) exec_jobs: Option<u16>,
    pub(super) exec_timeout: Option<Duration>,
    pub(super) include: Vec<String>,
    pub(super) exclude: Vec<String>,
    pub(super) from_user: Vec<String>,
    pub(super) sources: Vec<Text<SourceFilter>>,
    pub(super) community: Vec<Community>,
    pub(super) user: Vec<UserEntry>,
    pub(super) tls: Tls,
    pub(super) ssh: Ssh,
    pub(super) limits: Limits,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Format {
    #[default]
    Text,
    Json,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Community {
    pub(super) name: String,
    pub(super) sources: Option<Vec<Text<SourceFilter>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Tls {
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
    pub(super) trust: Vec<PathBuf>,
    pub(super) revocation_lists: Vec<PathBuf>,
    pub(super) overdue_revocation_lists: OverdueRevocationLists,
    pub(super) map: Vec<TlsMap>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct TlsMap {
    pub(super) fingerprint: Option<String>,
    pub(super) certificate: Option<PathBuf>,
    pub(super) to: Option<MapTo>,
    pub(super) name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Ssh {
    pub(super) host_keys: Vec<PathBuf>,
    pub(super) authorized_keys: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Limits {
    pub(super) queue: Option<usize>,
    pub(super) receive_buffer: Option<usize>,
    pub(super) message_size: Option<MessageSize>,
    pub(super) tcp_sessions: Option<usize>,
    pub(super) tcp_sessions_per_source: Option<usize>,
    pub(super) tcp_sessions_per_block: Option<usize>,
    pub(super) tcp_first_message_timeout: Option<Duration>,
    pub(super) session_lifetime: Option<SessionLifetime>,
    pub(super) tcp_idle_timeout: Option<Duration>,
    pub(super) tcp_message_timeout: Option<Duration>,
    pub(super) handshake_timeout: Option<Duration>,
    pub(super) handshakes_per_source: Option<usize>,
}

impl Document {
    /// Reads a file. What is in it is not repeated in errors, since it may be secret.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(path).map_err(|error| {
            Failure::Usage(format!("{}: it cannot be read: {error}", path.display()))
        })?;
        let document: Self = toml::from_str(&text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| before.matches('\n').count() + 1);
            let message = toml_message::<Self>(&error, &text);
            Failure::Usage(format!("{}, line {line}: {message}", path.display()))
        })?;
        let mut users = document.user.iter();
        let has_secrets = !document.community.is_empty() || users.any(UserEntry::has_secret);
        let mode = fs::metadata(path).map(|metadata| metadata.permissions().mode());
        if has_secrets && mode.is_ok_and(|mode| mode & OTHERS != 0) {
            let path = path.display();
            print_message(format_args!(
                "varbind: warning: {path} holds secrets, and others may read it: chmod 600 {path}"
            ));
        }
        Ok(document)
    }
}

/// A value that is written as a text.
#[derive(Clone, Debug)]
pub(super) struct Text<T>(pub(super) T);

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor(PhantomData))
    }
}

/// Parses inside the visit, where an error still gets the place of the text.
struct TextVisitor<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> de::Visitor<'_> for TextVisitor<T> {
    type Value = Text<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<T>, E> {
        text.parse().map(Text).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Document, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("receive.toml");
        fs::write(&path, text).unwrap();
        Document::read(&path).map_err(|failure| failure.to_string())
    }

    #[test]
    fn the_example_of_the_documentation_is_a_configuration() {
        let page = include_str!("../../../../../docs/notifications.md");
        let example = page.split("```toml").nth(1).unwrap();
        let example = example.split("```").next().unwrap();
        let document = read(example).unwrap();
        assert!(!document.user.is_empty() && !document.listen.is_empty());
    }

    #[test]
    fn errors_name_the_line_and_no_secret() {
        for (text, line, part) in [
            (
                "listen = [\"udp:127.0.0.1\"]\nlisten-to = 1",
                2,
                "listen-to; did you mean listen?",
            ),
            ("listen = [\"unix:x\"]", 1, "not supported"),
            ("exec-timeout = \"5\"", 1, "write exec-timeout = \"5s\""),
            ("[limits]\nmessage-size = 100", 2, "from 484 to 65507"),
            (
                "[limits]\nsession-lifetime = \"1d\"",
                2,
                "write session-lifetime = \"24h\"",
            ),
            (
                "community = \"4711\"",
                1,
                "write [[community]] on a line of its own, with its keys below it: name, sources",
            ),
            (
                "[[user]]\nname = \"ops\"\nauthentication = { protocol = \"SHA-256\", password = 4711 }",
                3,
                "expected a string",
            ),
            (
                "[[user]]\nname = \"ops\"\nauthentication = { protocol = \"sesame\", password = \"sesame\" }",
                3,
                "SHA-256",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(&format!("line {line}: ")), "{error}");
            assert!(error.contains(part), "{error}");
            assert!(!error.contains("4711"), "{error}");
        }
    }
}
