use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::request::TemplateError;
use crate::subject::SubjectError;

/// Why a bench run has no report, or its report could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum BenchError {
    /// The options leave nothing to measure, or contradict each other.
    Options(String),
    /// A subject cannot be measured.
    Subject(SubjectError),
    /// A request cannot be made a message.
    Request(TemplateError),
    /// The machine cannot be read: the laboratory needs Linux with /proc.
    Machine(io::Error),
    /// A file cannot be written.
    Output {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Options(reason) => f.write_str(reason),
            Self::Subject(error) => write!(f, "{error}"),
            Self::Request(error) => write!(f, "{error}"),
            Self::Machine(error) => write!(
                f,
                "cannot read processes and processor cores: {error} (the laboratory needs Linux with /proc)"
            ),
            Self::Output { path, error } => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for BenchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Options(_) => None,
            Self::Subject(error) => Some(error),
            Self::Request(error) => Some(error),
            Self::Machine(error) | Self::Output { error, .. } => Some(error),
        }
    }
}
