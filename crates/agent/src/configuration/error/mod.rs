mod advice;
mod rewrite;
mod written;

#[cfg(not(feature = "experiments"))]
pub use advice::NO_EXPERIMENTS;
pub use advice::toml_message;

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// The file cannot be read.
    #[error("{path}: the configuration cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something in the file is wrong.
    #[error(fmt = invalid)]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Where, if it is one place.
        place: Option<Place>,
        /// What, and what is allowed instead.
        message: String,
    },
}

/// A place in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, counted from 1.
    pub line: usize,
    /// The character of the line, counted from 1.
    pub column: usize,
    /// The text of the line, where it cannot hold a secret.
    pub text: Option<String>,
}

/// What is wrong, and where in the text.
#[derive(Debug)]
pub(super) struct Problem {
    span: Option<Range<usize>>,
    message: String,
}

impl Problem {
    pub(super) fn at(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span: Some(span),
            message: message.into(),
        }
    }

    pub(super) fn anywhere(message: impl Into<String>) -> Self {
        Self {
            span: None,
            message: message.into(),
        }
    }

    pub(super) fn in_file(self, path: &Path, text: &str) -> ConfigurationError {
        ConfigurationError::Invalid {
            path: path.to_owned(),
            place: self.span.and_then(|span| Place::of(text, span.start)),
            message: self.message,
        }
    }
}

impl Problem {
    /// What the reader of TOML says of the text of a `D`, with what to write instead where that is known.
    pub(super) fn of_toml<D: DeserializeOwned>(error: &toml::de::Error, text: &str) -> Self {
        Self {
            message: toml_message::<D>(error, text),
            span: error.span(),
        }
    }
}

/// Whether the line that begins at `line_start` may hold a secret: it is in the table of a user, or names one.
pub(super) fn may_hold_secret(text: &str, line_start: usize) -> bool {
    let (before, from) = text.split_at_checked(line_start).unwrap_or((text, ""));
    let line = from.lines().next().unwrap_or_default();
    let is_of_users = |line: &&str| {
        let name = line
            .trim_start()
            .trim_start_matches(['[', ' ', '\t', '"', '\'']);
        name.starts_with("user")
    };
    let begins_table = |line: &&str| line.trim_start().starts_with('[') || is_of_users(line);
    let last_table = before.lines().chain([line]).rfind(begins_table);
    last_table.as_ref().is_some_and(is_of_users)
        || ["password", "key", "authentication", "privacy"]
            .iter()
            .any(|word| line.contains(word))
}

impl Place {
    fn of(text: &str, offset: usize) -> Option<Self> {
        let before = text.get(..offset)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Some(Self {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..)?.chars().count() + 1,
            text: if may_hold_secret(text, line_start) {
                None
            } else {
                Some(text.get(line_start..)?.lines().next()?.to_owned())
            },
        })
    }
}

fn invalid(
    path: &Path,
    place: &Option<Place>,
    message: &str,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let path = path.display();
    let Some(Place { line, column, text }) = place else {
        return write!(f, "{path}: {message}");
    };
    write!(f, "{path}, line {line}: {message}")?;
    let Some(text) = text else {
        return Ok(());
    };
    let indent = " ".repeat(column.saturating_sub(1));
    let gutter = " ".repeat(line.to_string().len());
    write!(f, "\n  {line} | {text}\n  {gutter} | {indent}^")
}
