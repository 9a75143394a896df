use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Why a configuration cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// The file cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something in the file is wrong.
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
    /// The text of the line.
    pub text: String,
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

impl From<toml::de::Error> for Problem {
    fn from(error: toml::de::Error) -> Self {
        Self {
            span: error.span(),
            message: error.message().to_owned(),
        }
    }
}

impl Place {
    fn of(text: &str, offset: usize) -> Option<Self> {
        let before = text.get(..offset)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Some(Self {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..)?.chars().count() + 1,
            text: text.get(line_start..)?.lines().next()?.to_owned(),
        })
    }
}

impl fmt::Display for ConfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, source } => {
                write!(
                    f,
                    "{}: the configuration cannot be read: {source}",
                    path.display()
                )
            }
            Self::Invalid {
                path,
                place: None,
                message,
            } => {
                write!(f, "{}: {message}", path.display())
            }
            Self::Invalid {
                path,
                place: Some(place),
                message,
            } => {
                let Place { line, column, text } = place;
                let indent = " ".repeat(column.saturating_sub(1));
                let gutter = " ".repeat(line.to_string().len());
                write!(f, "{}, line {line}: {message}", path.display())?;
                write!(f, "\n  {line} | {text}\n  {gutter} | {indent}^")
            }
        }
    }
}

impl std::error::Error for ConfigurationError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable { source, .. } => Some(source),
            Self::Invalid { .. } => None,
        }
    }
}
