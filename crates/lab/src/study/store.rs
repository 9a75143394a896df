use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Manifest, RESULTS_VERSION, Record};

const MANIFEST: &str = "manifest.json";
const OBSERVATIONS: &str = "observations.jsonl";

/// A directory with all that a run was asked and has found: its manifest, and a line for each observation, which is
/// written before the next task begins. A run that was interrupted goes on from there.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    manifest: Manifest,
    records: Vec<Record>,
    observations: File,
}

impl Store {
    /// Goes on with a run in `directory`, or begins one.
    ///
    /// # Errors
    /// If there is another run, or one of another version, or the files cannot be read or written.
    pub fn begin(directory: &Path, manifest: &Manifest) -> Result<Self, StoreError> {
        if directory.join(MANIFEST).exists() {
            let store = Self::open(directory)?;
            if !store.manifest.asks_the_same(manifest) {
                return Err(StoreError::OtherRun {
                    directory: directory.to_owned(),
                    studies: store.manifest.studies.join(", "),
                });
            }
            return Ok(store);
        }
        fs::create_dir_all(directory).map_err(|error| StoreError::file(directory, error))?;
        write_whole(&directory.join(MANIFEST), |file| {
            serde_json::to_writer_pretty(&mut *file, manifest)?;
            writeln!(file)
        })?;
        Self::open(directory)
    }

    /// Opens what a run has left.
    ///
    /// # Errors
    /// If there is none, or it is damaged or of another version.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join(MANIFEST);
        let text = fs::read_to_string(&path).map_err(|error| StoreError::file(&path, error))?;
        let manifest = read_manifest(&path, &text)?;
        let path = directory.join(OBSERVATIONS);
        let (records, whole) = read_records(&path)?;
        let observations = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|file| file.set_len(whole).map(|()| file))
            .map_err(|error| StoreError::file(&path, error))?;
        Ok(Self {
            directory: directory.to_owned(),
            manifest,
            records,
            observations,
        })
    }

    /// What the run was asked.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What it has found.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Where it is.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Notes what was found.
    ///
    /// # Errors
    /// If it cannot be written; what was noted before stays.
    pub fn note(&mut self, record: Record) -> Result<(), StoreError> {
        let path = || self.directory.join(OBSERVATIONS);
        let mut line = serde_json::to_string(&record)
            .map_err(|error| StoreError::file(&path(), error.into()))?;
        line.push('\n');
        let written = self.observations.write_all(line.as_bytes());
        written.map_err(|error| StoreError::file(&path(), error))?;
        self.records.push(record);
        Ok(())
    }
}

fn read_manifest(path: &Path, text: &str) -> Result<Manifest, StoreError> {
    let damaged = |error: serde_json::Error| StoreError::Damaged {
        path: path.to_owned(),
        line: error.line(),
        reason: error.to_string(),
    };
    let value: serde_json::Value = serde_json::from_str(text).map_err(damaged)?;
    let version = value
        .get("schema_version")
        .and_then(serde_json::Value::as_u64);
    if version != Some(u64::from(RESULTS_VERSION)) {
        return Err(StoreError::OtherVersion {
            path: path.to_owned(),
            version,
        });
    }
    serde_json::from_value(value).map_err(damaged)
}

/// The records, and how many octets of the file they are: a line that was cut by the end of the program, or by a full
/// disk, is done again.
fn read_records(path: &Path) -> Result<(Vec<Record>, u64), StoreError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        Err(error) => return Err(StoreError::file(path, error)),
    };
    let mut records = Vec::new();
    let mut whole = 0;
    for (line, number) in text.split_inclusive(|octet| *octet == b'\n').zip(1..) {
        if !line.ends_with(b"\n") {
            break;
        }
        let record = serde_json::from_slice(line).map_err(|error| StoreError::Damaged {
            path: path.to_owned(),
            line: number,
            reason: error.to_string(),
        })?;
        records.push(record);
        whole += line.len() as u64;
    }
    Ok((records, whole))
}

/// Writes a file that appears whole or not at all.
pub(super) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut io::BufWriter<File>) -> io::Result<()>,
) -> Result<(), StoreError> {
    let beside = path.with_extension("part");
    let written = File::create(&beside).and_then(|file| {
        let mut file = io::BufWriter::new(file);
        write(&mut file)?;
        file.flush()?;
        fs::rename(&beside, path)
    });
    written.map_err(|error| StoreError::file(path, error))
}

/// Why a run cannot be gone on with, or noted.
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
    /// A file is not what this program writes.
    Damaged {
        /// Which.
        path: PathBuf,
        /// Where, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A file is of another version of this program.
    OtherVersion {
        /// Which.
        path: PathBuf,
        /// Its version, if it has one.
        version: Option<u64>,
    },
    /// The directory has a run that was asked something else.
    OtherRun {
        /// Which.
        directory: PathBuf,
        /// What it was asked.
        studies: String,
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

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Damaged { path, line, reason } => write!(
                f,
                "{} is damaged in line {line}: {reason}; delete that line to measure it again, or choose another \
                 directory with --out",
                path.display()
            ),
            Self::OtherVersion { path, version } => {
                let version = version.map_or_else(|| "none".to_owned(), |it| it.to_string());
                write!(
                    f,
                    "{} has schema version {version}, this program reads {RESULTS_VERSION}: choose another directory \
                     with --out",
                    path.display()
                )
            }
            Self::OtherRun { directory, studies } => write!(
                f,
                "{} holds another run ({studies}), with other studies, subjects, scope or seed: choose another \
                 directory with --out",
                directory.display()
            ),
        }
    }
}

impl std::error::Error for StoreError {}

#[cfg(test)]
mod tests {
    use super::super::names::{SYS_NAME, get};
    use super::super::{Measure, Observation, Plan, Scope, SessionTask, SubjectName, find};
    use super::*;
    use crate::environment::environment;
    use crate::measurement::TransportKind;
    use crate::process::Cores;
    use crate::security::Scheme;

    fn manifest(seed: u64) -> Manifest {
        let studies = ["du2001"].map(|name| find(name).unwrap());
        let subjects = vec![SubjectName::Varbind];
        Manifest {
            schema_version: RESULTS_VERSION,
            studies: vec!["du2001".into()],
            scope: Scope::Quick,
            seed,
            environment: environment(&Cores::available().unwrap(), seed),
            tasks: Plan::of_studies(&studies, Scope::Quick, &subjects).tasks,
            subjects,
        }
    }

    fn record(round: u32) -> Record {
        let mut observation = Observation::default();
        observation.note(Measure::SessionTime, 12.5);
        Record {
            task: SessionTask::new(Scheme::V2c, TransportKind::Udp, get(SYS_NAME)).into(),
            subject: SubjectName::Varbind,
            round,
            at: 1.0,
            observation,
        }
    }

    #[test]
    fn a_run_goes_on_with_what_it_has() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = Store::begin(directory.path(), &manifest(1)).unwrap();
        for round in 0..3 {
            store.note(record(round)).unwrap();
        }
        let store = Store::begin(directory.path(), &manifest(1)).unwrap();
        assert_eq!(store.records(), [record(0), record(1), record(2)]);
        let other = Store::begin(directory.path(), &manifest(2)).unwrap_err();
        assert!(other.to_string().contains("--out"), "{other}");
    }

    #[test]
    fn a_line_that_was_cut_is_done_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(OBSERVATIONS);
        let mut store = Store::begin(directory.path(), &manifest(1)).unwrap();
        store.note(record(0)).unwrap();
        let whole = fs::read(&path).unwrap();
        store.note(record(1)).unwrap();
        let both = fs::read(&path).unwrap();
        for length in whole.len()..both.len() {
            fs::write(&path, &both[..length]).unwrap();
            let mut store = Store::open(directory.path()).unwrap();
            assert_eq!(store.records(), [record(0)]);
            store.note(record(1)).unwrap();
            assert_eq!(fs::read(&path).unwrap(), both);
        }
    }

    #[test]
    fn what_is_damaged_or_of_another_version_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(OBSERVATIONS);
        drop(Store::begin(directory.path(), &manifest(1)).unwrap());
        fs::write(&path, "{\"task\": 7}\n").unwrap();
        let error = Store::open(directory.path()).unwrap_err().to_string();
        assert!(error.contains("damaged in line 1"), "{error}");
        fs::write(directory.path().join(MANIFEST), "{\"schema_version\": 99}").unwrap();
        let error = Store::open(directory.path()).unwrap_err().to_string();
        assert!(error.contains("schema version 99"), "{error}");
        fs::write(directory.path().join(MANIFEST), "{").unwrap();
        let error = Store::open(directory.path()).unwrap_err().to_string();
        assert!(error.contains("damaged"), "{error}");
    }
}
