use std::io;
use std::path::PathBuf;

use thiserror::Error;
use varbind::codec::smi::ParseOidError;

/// What is wrong with modules and auths.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("{}: it cannot be read: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A pattern of file names is wrong.
    #[error("{pattern}: it is not a pattern of file names: {source}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// Why.
        source: glob::PatternError,
    },
    /// No file has a name like that.
    #[error("{pattern}: there is no such file")]
    NoFile {
        /// The pattern.
        pattern: String,
    },
    /// A file is no YAML, or not what snmp_exporter reads.
    #[error("{}{problem}", file(.path.as_ref()))]
    Yaml {
        /// The file, if the text is from one.
        path: Option<PathBuf>,
        /// What is wrong, and where.
        problem: String,
    },
    /// An auth or a module is in two files.
    #[error("{}: {kind} {name} is in another file too: remove or rename one", .path.display())]
    Duplicate {
        /// The second file.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// The files have nothing of a kind.
    #[error(
        "the configuration has no {what}: name files of snmp_exporter 0.23 or newer, which have both modules and auths"
    )]
    Missing {
        /// What is missing.
        what: &'static str,
    },
    /// Sessions over TLS, DTLS or SSH cannot be opened as they are configured.
    #[error("{0}")]
    Sessions(String),
    /// An auth cannot be used.
    #[error("auth {name}: {reason}")]
    Auth {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// A module cannot be used.
    #[error("module {module}: {reason}")]
    Module {
        /// Its name.
        module: String,
        /// Why.
        reason: Reason,
    },
}

/// What is wrong with a module.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Reason {
    /// A text is not an object identifier.
    #[error("{place}: {text:?} is not numeric: {source}")]
    Oid {
        /// Where it stands.
        place: String,
        /// The text.
        text: String,
        /// What is wrong with it.
        source: ParseOidError,
    },
    /// A type is not known.
    #[error("{place}: type {kind:?} is not known: use one of {known}")]
    Type {
        /// Where it stands.
        place: String,
        /// The type.
        kind: String,
        /// Those that are known.
        known: String,
    },
    /// A regular expression is wrong.
    #[error("{place}: {text:?} is not a regular expression: {source}")]
    Expression {
        /// Where it stands.
        place: String,
        /// The expression.
        text: String,
        /// What is wrong with it.
        source: Box<regex::Error>,
    },
    /// A name of a metric or label is not one of Prometheus.
    #[error(
        "{place}: {name:?} is not a name of a metric or label: use letters, digits and underscores"
    )]
    Name {
        /// Where it stands.
        place: String,
        /// The name.
        name: String,
    },
    /// A time is not written as snmp_exporter writes it.
    #[error("timeout: {text:?} is not a duration: write it as 5s or 1m30s")]
    Duration {
        /// The text.
        text: String,
    },
    /// A pattern of dates is wrong.
    #[error("{place}: datetime_pattern {text:?}: {reason}")]
    DateTimePattern {
        /// Where it stands.
        place: String,
        /// The pattern.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

pub(super) fn file(path: Option<&PathBuf>) -> String {
    path.map(|path| format!("{}: ", path.display()))
        .unwrap_or_default()
}
