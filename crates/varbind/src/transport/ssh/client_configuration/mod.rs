//! Settings of a host from OpenSSH's client configuration (ssh_config(5)).
//!
//! Known are `Host` with its patterns, `HostName`, `User`, `Port`, `IdentityFile`, `CertificateFile`, `IdentitiesOnly`,
//! `IdentityAgent`, `UserKnownHostsFile`, `GlobalKnownHostsFile`, `HostKeyAlias`, `HashKnownHosts`,
//! `StrictHostKeyChecking` and `Include`. Other keywords are ignored. A `Match` block is skipped as a whole: what
//! it asks for (commands, the outcome of name resolution) is for interactive sessions.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::SshError;
use super::pattern;

/// How deep files may include others.
const INCLUDE_DEPTH: usize = 8;
/// What a line of the configuration separates its words by.
const SEPARATORS: [char; 3] = [' ', '\t', '\r'];

/// What is done about a server whose key is not known (StrictHostKeyChecking).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKeyChecking {
    /// Refused.
    Strict,
    /// The user is asked.
    Ask,
    /// Accepted and remembered. A key that has changed is refused all the same.
    AcceptNew,
}

impl HostKeyChecking {
    fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "yes" => Some(Self::Strict),
            "ask" => Some(Self::Ask),
            // OpenSSH's `no` also accepts changed keys, which would defeat authentication.
            "accept-new" | "no" | "off" => Some(Self::AcceptNew),
            _ => None,
        }
    }
}

/// Where the authentication agent is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentSocket {
    /// Where the environment variable SSH_AUTH_SOCK says.
    Environment,
    /// At this path.
    Path(PathBuf),
    /// None is used.
    Off,
}

/// What the configuration says of one host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostSettings {
    /// Where it is (HostName).
    pub host_name: Option<String>,
    /// Who logs in (User).
    pub user: Option<String>,
    /// Its port (Port).
    pub port: Option<u16>,
    /// The private keys to authenticate with (IdentityFile); `none` is an empty list.
    pub identity_files: Option<Vec<PathBuf>>,
    /// Certificates of keys (CertificateFile).
    pub certificate_files: Vec<PathBuf>,
    /// Keys of the authentication agent that are not in the list of files are not used (IdentitiesOnly).
    pub identities_only: Option<bool>,
    /// The authentication agent (IdentityAgent).
    pub agent: Option<AgentSocket>,
    /// The user's files of known keys (UserKnownHostsFile).
    pub user_known_hosts: Option<Vec<PathBuf>>,
    /// The system's files of known keys (GlobalKnownHostsFile).
    pub global_known_hosts: Option<Vec<PathBuf>>,
    /// The name under which its key is known (HostKeyAlias).
    pub host_key_alias: Option<String>,
    /// Whether names are written as hashes to the file of known keys (HashKnownHosts).
    pub hash_known_hosts: Option<bool>,
    /// What is done about unknown keys (StrictHostKeyChecking).
    pub host_key_checking: Option<HostKeyChecking>,
}

/// What paths and names of the configuration refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Surroundings {
    /// The user's home directory.
    pub(crate) home: Option<PathBuf>,
    /// The user's name here.
    pub(crate) local_user: String,
}

impl HostSettings {
    /// Reads what the files, the first of which counts most, say of a host. Files that do not exist say nothing.
    pub(crate) fn read(
        host: &str,
        files: &[PathBuf],
        surroundings: &Surroundings,
    ) -> Result<Self, SshError> {
        let mut reading = Reading {
            host,
            surroundings,
            settings: Self::default(),
        };
        for file in files {
            match fs::read_to_string(file) {
                Ok(text) => reading.file(file, &text, true, 0)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(SshError::file(file, &error)),
            }
        }
        Ok(reading.settings)
    }
}

#[cfg(any(test, fuzzing))]
impl HostSettings {
    /// What a text says of a host.
    pub(super) fn of_text(
        host: &str,
        text: &str,
        surroundings: &Surroundings,
    ) -> Result<Self, SshError> {
        let mut reading = Reading {
            host,
            surroundings,
            settings: Self::default(),
        };
        reading.file(Path::new("config"), text, true, 0)?;
        Ok(reading.settings)
    }
}

/// The configuration as it is read for one host: the first value of a keyword counts.
struct Reading<'a> {
    host: &'a str,
    surroundings: &'a Surroundings,
    settings: HostSettings,
}

impl Reading<'_> {
    fn file(
        &mut self,
        path: &Path,
        text: &str,
        mut applies: bool,
        depth: usize,
    ) -> Result<(), SshError> {
        let outside = applies;
        for (number, line) in text.lines().enumerate() {
            let Some((keyword, arguments)) = split(line) else {
                continue;
            };
            let problem = |what: &str| SshError::Configuration {
                file: path.to_owned(),
                line: number + 1,
                problem: format!("{keyword}: {what}"),
            };
            match keyword.as_str() {
                "host" => {
                    let patterns = arguments.iter().map(String::as_str);
                    applies = outside && pattern::list_matches(patterns, self.host);
                }
                "match" => applies = false,
                _ if !applies => {}
                "include" => {
                    if depth >= INCLUDE_DEPTH {
                        return Err(problem("files include one another too deeply"));
                    }
                    let included: Vec<_> = arguments
                        .iter()
                        .flat_map(|name| self.included(name))
                        .collect();
                    for included in included {
                        // As OpenSSH: a file that is not there, or not readable, includes nothing.
                        if let Ok(text) = fs::read_to_string(&included) {
                            self.file(&included, &text, true, depth + 1)?;
                        }
                    }
                }
                keyword => self.set(keyword, &arguments).map_err(problem)?,
            }
        }
        Ok(())
    }

    fn set(&mut self, keyword: &str, arguments: &[String]) -> Result<(), &'static str> {
        let settings = &mut self.settings;
        let Some(first) = arguments.first() else {
            return match keyword {
                "hostname" | "user" | "port" | "identityfile" | "userknownhostsfile" => {
                    Err("its value is missing")
                }
                _ => Ok(()),
            };
        };
        let paths = || {
            arguments
                .iter()
                .filter(|path| *path != "none")
                .map(PathBuf::from)
        };
        match keyword {
            "hostname" => keep(&mut settings.host_name, first.clone()),
            "user" => keep(&mut settings.user, first.clone()),
            "port" => match first.parse() {
                Ok(port) if port != 0 => keep(&mut settings.port, port),
                _ => return Err("its value is not a port"),
            },
            "identityfile" => settings
                .identity_files
                .get_or_insert_default()
                .extend(paths()),
            "certificatefile" => settings.certificate_files.extend(paths()),
            "identitiesonly" => keep(&mut settings.identities_only, yes(first)?),
            "identityagent" => keep(&mut settings.agent, agent(first)),
            "userknownhostsfile" => keep(&mut settings.user_known_hosts, paths().collect()),
            "globalknownhostsfile" => keep(&mut settings.global_known_hosts, paths().collect()),
            "hostkeyalias" => keep(&mut settings.host_key_alias, first.clone()),
            "hashknownhosts" => keep(&mut settings.hash_known_hosts, yes(first)?),
            "stricthostkeychecking" => {
                let checking =
                    HostKeyChecking::parse(first).ok_or("write yes, ask, accept-new or no")?;
                keep(&mut settings.host_key_checking, checking);
            }
            _ => {}
        }
        Ok(())
    }

    /// The files that a name of Include stands for; patterns may be in its last part.
    fn included(&self, name: &str) -> Vec<PathBuf> {
        let home = self.surroundings.home.as_deref();
        let path = match (name.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ if name.starts_with('/') => PathBuf::from(name),
            (None, Some(home)) => home.join(".ssh").join(name),
            _ => return Vec::new(),
        };
        let (Some(directory), Some(last)) = (path.parent(), path.file_name()) else {
            return Vec::new();
        };
        let last = last.to_string_lossy();
        if !last.contains(['*', '?']) {
            return vec![path];
        }
        let Ok(entries) = fs::read_dir(directory) else {
            return Vec::new();
        };
        let mut found: Vec<_> = entries
            .flatten()
            .filter(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                !name.starts_with('.') && pattern::matches(&last, &name)
            })
            .map(|entry| entry.path())
            .collect();
        found.sort();
        found
    }
}

fn keep<T>(place: &mut Option<T>, value: T) {
    place.get_or_insert(value);
}

fn yes(text: &str) -> Result<bool, &'static str> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err("write yes or no"),
    }
}

fn agent(text: &str) -> AgentSocket {
    match text {
        "none" => AgentSocket::Off,
        "SSH_AUTH_SOCK" => AgentSocket::Environment,
        path => match path.strip_prefix('$') {
            Some(variable) => std::env::var_os(variable.trim_matches(['{', '}']))
                .map_or(AgentSocket::Off, |path| AgentSocket::Path(path.into())),
            None => AgentSocket::Path(path.into()),
        },
    }
}

/// The keyword of a line, in small letters, and its arguments; `None` if it has none.
fn split(line: &str) -> Option<(String, Vec<String>)> {
    let line = line.trim_matches(SEPARATORS);
    if line.starts_with('#') {
        return None;
    }
    let end = line
        .find(|c| SEPARATORS.contains(&c) || c == '=')
        .unwrap_or(line.len());
    let (keyword, rest) = line.split_at_checked(end)?;
    if keyword.is_empty() {
        return None;
    }
    let rest = rest.trim_start_matches(SEPARATORS);
    let rest = rest.strip_prefix('=').unwrap_or(rest);
    Some((keyword.to_ascii_lowercase(), words(rest)))
}

/// The words of a text; quotes hold those together that have spaces.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in text.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, _) if SEPARATORS.contains(&character) => words.extend(word.take()),
            // A comment behind the arguments.
            (None, '#') if word.is_none() => break,
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// What the tokens of a path stand for (TOKENS of ssh_config(5)).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens<'a> {
    /// `%h`: where the host is.
    pub(crate) host_name: &'a str,
    /// `%n`: the name that the user wrote.
    pub(crate) host: &'a str,
    /// `%p`: its port.
    pub(crate) port: u16,
    /// `%r`: the user's name there.
    pub(crate) remote_user: &'a str,
    /// `~`, `%d` and `%u`.
    pub(crate) surroundings: &'a Surroundings,
}

impl Tokens<'_> {
    /// The path with its tokens replaced, and the home directory in place of `~`.
    pub(crate) fn expand(&self, path: &Path) -> PathBuf {
        let Some(text) = path.to_str() else {
            return path.to_owned();
        };
        let home = self.surroundings.home.as_deref().map(Path::to_string_lossy);
        let home = home.as_deref().unwrap_or_default();
        let mut expanded = String::with_capacity(text.len());
        let rest = match text.strip_prefix("~/") {
            Some(rest) => {
                expanded.push_str(home);
                expanded.push('/');
                rest
            }
            None => text,
        };
        let mut characters = rest.chars();
        while let Some(character) = characters.next() {
            if character != '%' {
                expanded.push(character);
                continue;
            }
            match characters.next() {
                Some('h') => expanded.push_str(self.host_name),
                Some('n') => expanded.push_str(self.host),
                Some('p') => expanded.push_str(&self.port.to_string()),
                Some('r') => expanded.push_str(self.remote_user),
                Some('u') => expanded.push_str(&self.surroundings.local_user),
                Some('d') => expanded.push_str(home),
                Some('%') | None => expanded.push('%'),
                Some(other) => expanded.extend(['%', other]),
            }
        }
        expanded.into()
    }
}

#[cfg(test)]
mod tests;
