use std::fs;
use std::io;
use std::path::Path;

use super::{Manifest, RESULTS_VERSION, Record, SmallBoards, StoreError};

pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const OBSERVATIONS: &str = "observations.jsonl";

/// What a run was asked and has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Notes {
    manifest: Manifest,
    records: Vec<Record>,
    /// Which of the records have no value.
    valueless: Vec<usize>,
}

impl Notes {
    /// Reads what a run has left, and changes nothing.
    ///
    /// # Errors
    /// If there is none, or it is damaged or of another version.
    pub fn read(directory: &Path) -> Result<Self, StoreError> {
        Self::read_whole(directory).map(|(notes, _)| notes)
    }

    /// The same, and how many octets of the observations it is made of: a line that was cut by the end of the program, or by
    /// a full disk, is done again.
    pub(super) fn read_whole(directory: &Path) -> Result<(Self, u64), StoreError> {
        let path = directory.join(MANIFEST);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(StoreError::NoRun {
                    directory: directory.to_owned(),
                });
            }
            Err(error) => return Err(StoreError::file(&path, error)),
        };
        let mut notes = Self::of_manifest(read_manifest(&path, &text)?);
        let whole = notes.read_records(&directory.join(OBSERVATIONS))?;
        Ok((notes, whole))
    }

    /// Adds what is known of small boards by now.
    pub(super) fn learn_of_small_boards(&mut self, boards: SmallBoards) {
        self.manifest.small_boards = Some(boards);
    }

    /// Those of a run that has found nothing yet.
    pub(super) const fn of_manifest(manifest: Manifest) -> Self {
        Self {
            manifest,
            records: Vec::new(),
            valueless: Vec::new(),
        }
    }

    fn read_records(&mut self, path: &Path) -> Result<u64, StoreError> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(StoreError::file(path, error)),
        };
        let mut whole = 0;
        for (line, number) in text.split_inclusive(|octet| *octet == b'\n').zip(1..) {
            if !line.ends_with(b"\n") {
                break;
            }
            let record = serde_json::from_slice(line).map_err(|error| StoreError::DamagedLine {
                path: path.to_owned(),
                line: number,
                reason: told(&error),
            })?;
            self.add(record);
            whole += line.len() as u64;
        }
        Ok(whole)
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

    /// How many measurements there are in the end.
    #[must_use]
    pub fn total(&self) -> usize {
        let repetitions = self.manifest.tasks.iter().map(|one| one.repetitions);
        repetitions.map(|one| one as usize).sum()
    }

    /// Adds a record, in place of one of the same repetition without a value: what failed may be done again.
    pub(super) fn add(&mut self, record: Record) {
        let is_valueless = record.observation.measures.is_empty();
        if let Some((place, at)) = self.failed(&record) {
            if !is_valueless {
                self.valueless.swap_remove(place);
            }
            if let Some(former) = self.records.get_mut(at) {
                *former = record;
            }
            return;
        }
        if is_valueless {
            self.valueless.push(self.records.len());
        }
        self.records.push(record);
    }

    /// Whether the same repetition failed before for the same reason.
    pub(super) fn is_known_to_fail(&self, record: &Record) -> bool {
        let former = self
            .failed(record)
            .and_then(|(_, at)| self.records.get(at))
            .map(|former| &former.observation);
        former == Some(&record.observation)
    }

    fn failed(&self, record: &Record) -> Option<(usize, usize)> {
        let mut valueless = self.valueless.iter().copied().enumerate();
        valueless.find(|(_, at)| {
            let former = self.records.get(*at);
            former.is_some_and(|former| former.is_of_the_same(record))
        })
    }
}

fn read_manifest(path: &Path, text: &[u8]) -> Result<Manifest, StoreError> {
    let damaged = |error: serde_json::Error| StoreError::DamagedManifest {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    let value: serde_json::Value = serde_json::from_slice(text).map_err(damaged)?;
    let version = value
        .get("schema_version")
        .and_then(serde_json::Value::as_u64);
    if version != Some(u64::from(RESULTS_VERSION)) {
        return Err(StoreError::OtherVersion {
            path: path.to_owned(),
            version,
        });
    }
    // Not from the value, which does not know lines.
    serde_json::from_slice(text).map_err(damaged)
}

/// Without the line, which is always the first one here.
fn told(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(reason) => format!("{reason} (column {})", error.column()),
        None => text,
    }
}
