use std::io;
use std::path::PathBuf;

use crate::subject::SubjectError;

/// Why a bench run has no report, or its report could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The options leave nothing to measure, or contradict each other.
    #[error("{0}")]
    Options(String),
    /// A subject cannot be measured.
    #[error("{0}")]
    Subject(#[source] SubjectError),
    /// The machine cannot be read: the laboratory needs Linux with /proc.
    #[error(
        "cannot read processes and processor cores: {0} (the laboratory needs Linux with /proc)"
    )]
    Machine(#[source] io::Error),
    /// The report to compare with cannot be used.
    #[error("{path} is no baseline: {reason} (write one with --json)", path = .path.display())]
    Baseline {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file cannot be written.
    #[error("cannot write {path}: {error}")]
    Output {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
}
