use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::{Difference, RESULTS_VERSION};

/// Why a run cannot be gone on with, noted or read.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// A file cannot be read or written.
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// There is no directory, and none can be made.
    NoDirectory {
        /// Where it was to be.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The directory has no run.
    NoRun {
        /// Which.
        directory: PathBuf,
    },
    /// A manifest is not what this program writes.
    DamagedManifest {
        /// Which.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// A line of the observations is not what this program writes.
    DamagedLine {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A manifest is of another version of this program.
    OtherVersion {
        /// Which.
        path: PathBuf,
        /// Its version, if it has one.
        version: Option<u64>,
    },
    /// There are observations and no manifest that says what they are of.
    Orphans {
        /// The observations.
        path: PathBuf,
    },
    /// The directory has a run that was asked something else.
    OtherRun {
        /// Which.
        directory: PathBuf,
        /// What it was asked, and what is asked now.
        differences: Vec<Difference>,
    },
    /// The run in the directory was begun elsewhere, or with other programs.
    OtherEnvironment {
        /// Which directory.
        directory: PathBuf,
        /// What differs.
        differences: Vec<Difference>,
    },
    /// Another process runs into the directory.
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

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, error } => file(f, path, error),
            Self::NoDirectory { path, error } => write!(
                f,
                "{} cannot be made a directory: {error}; {ELSEWHERE}",
                path.display()
            ),
            Self::NoRun { directory } => write!(
                f,
                "{} holds no run of a study: it has no manifest.json",
                directory.display()
            ),
            Self::DamagedManifest { path, reason } => write!(
                f,
                "{} is damaged, or no manifest of a study: {reason}; put a copy in its place, or {ELSEWHERE}",
                path.display()
            ),
            Self::DamagedLine { path, line, reason } => write!(
                f,
                "{} is damaged in line {line}: {reason}; delete that line to measure it again, or {ELSEWHERE}",
                path.display()
            ),
            Self::OtherVersion {
                path,
                version: Some(version),
            } => write!(
                f,
                "{} has schema version {version}, this program reads {RESULTS_VERSION}: read it with the varbind that \
                 wrote it, or {ELSEWHERE}",
                path.display()
            ),
            Self::OtherVersion {
                path,
                version: None,
            } => write!(
                f,
                "{} has no schema_version: it is no manifest of a study; {ELSEWHERE}",
                path.display()
            ),
            Self::Orphans { path } => write!(
                f,
                "{} has observations, but there is no manifest.json beside it: put it back, or {ELSEWHERE}",
                path.display()
            ),
            Self::OtherRun {
                directory,
                differences,
            } => {
                write!(f, "{} holds another run: ", directory.display())?;
                list(f, differences, "asked for now")?;
                write!(f, "; {ELSEWHERE}")
            }
            Self::OtherEnvironment {
                directory,
                differences,
            } => {
                write!(
                    f,
                    "the run in {} was begun with other means: ",
                    directory.display()
                )?;
                list(f, differences, "here")?;
                write!(f, "; one run is not to mix them: {ELSEWHERE}")
            }
            Self::InUse { directory } => write!(
                f,
                "another varbind study runs into {}: wait for its end, or {ELSEWHERE}",
                directory.display()
            ),
        }
    }
}

fn file(f: &mut fmt::Formatter<'_>, path: &Path, error: &io::Error) -> fmt::Result {
    write!(f, "{}: {error}", path.display())?;
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            f.write_str(
                ": what was measured before is kept; make room and give the same command again",
            )
        }
        _ => Ok(()),
    }
}

fn list(f: &mut fmt::Formatter<'_>, differences: &[Difference], now: &str) -> fmt::Result {
    for (difference, number) in differences.iter().zip(0..) {
        let separator = if number == 0 { "" } else { ", " };
        let Difference {
            what,
            first,
            second,
        } = difference;
        write!(f, "{separator}{what} {first} there, {second} {now}")?;
    }
    Ok(())
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { error, .. } | Self::NoDirectory { error, .. } => Some(error),
            _ => None,
        }
    }
}
