use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::{Difference, RESULTS_VERSION};

/// Why a run cannot be gone on with, noted or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is a run that was published.
    #[error("{path} is of a published run, to which nothing is added: choose another directory with --out", path = .path.display())]
    Published {
        /// Its observations.
        path: PathBuf,
    },
    /// A run is not fit to be published.
    #[error("the run is not fit to be published: {reason}")]
    Unfit {
        /// Why.
        reason: String,
    },
    /// A file cannot be read or written.
    #[error("{path}: {error}{}", kept(.error))]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// There is no directory, and none can be made.
    #[error("{path} cannot be made a directory: {error}; {ELSEWHERE}")]
    NoDirectory {
        /// Where it was to be.
        path: PathBuf,
        /// Why not.
        #[source]
        error: io::Error,
    },
    /// The directory has no run.
    #[error("{directory} holds no run of a study: it has no manifest.json")]
    NoRun {
        /// Which.
        directory: PathBuf,
    },
    /// A manifest is not what this program writes.
    #[error(
        "{path} is damaged, or no manifest of a study: {reason}; put a copy in its place, or {ELSEWHERE}"
    )]
    DamagedManifest {
        /// Which.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// A line of the observations is not what this program writes.
    #[error(
        "{path} is damaged in line {line}: {reason}; delete that line to measure it again, or {ELSEWHERE}"
    )]
    DamagedLine {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A manifest is of another version of this program.
    #[error(fmt = other_version)]
    OtherVersion {
        /// Which.
        path: PathBuf,
        /// Its version, if it has one.
        version: Option<u64>,
    },
    /// There are observations and no manifest that says what they are of.
    #[error(
        "{path} has observations, but there is no manifest.json beside it: put it back, or {ELSEWHERE}"
    )]
    Orphans {
        /// The observations.
        path: PathBuf,
    },
    /// The directory has a run that was asked something else.
    #[error("{directory} holds another run: {}; {ELSEWHERE}", list(.differences, "requested now"))]
    OtherRun {
        /// Which.
        directory: PathBuf,
        /// What it was asked, and what is asked now.
        differences: Vec<Difference>,
    },
    /// The run in the directory was begun elsewhere, or with other programs.
    #[error(
        "the run in {directory} was begun with other means: {}; one run is not to mix them: {ELSEWHERE}",
        list(.differences, "here")
    )]
    OtherEnvironment {
        /// Which directory.
        directory: PathBuf,
        /// What differs.
        differences: Vec<Difference>,
    },
    /// Another process runs into the directory.
    #[error("another varbind study runs into {directory}: wait for its end, or {ELSEWHERE}")]
    InUse {
        /// Which.
        directory: PathBuf,
    },
}

impl StoreError {
    pub(super) fn file(path: &Path, error: io::Error) -> Self {
        Self::File {
            path: path.to_owned(),
            error,
        }
    }
}

const ELSEWHERE: &str = "choose another directory with --out";

fn kept(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            ": what was measured before is kept; make room and give the same command again"
        }
        _ => "",
    }
}

fn other_version(path: &Path, version: &Option<u64>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let path = path.display();
    match version {
        Some(version) => write!(
            f,
            "{path} has schema version {version}, this program reads {RESULTS_VERSION}: read it with the varbind that \
             wrote it, or {ELSEWHERE}"
        ),
        None => write!(
            f,
            "{path} has no schema_version: it is not a manifest of a study; {ELSEWHERE}"
        ),
    }
}

fn list(differences: &[Difference], now: &str) -> String {
    let differences: Vec<_> = differences
        .iter()
        .map(
            |Difference {
                 what,
                 first,
                 second,
             }| format!("{what} {first} there, {second} {now}"),
        )
        .collect();
    differences.join(", ")
}
