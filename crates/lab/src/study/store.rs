use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::difference::of_questions;
use super::notes::{MANIFEST, OBSERVATIONS};
use super::published::PACKED;
use super::{Conditions, Manifest, Notes, Record, StoreError};

/// A directory into which a run goes: its manifest, and a line for each observation, which is written before the next task
/// begins. An interrupted run continues from there.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    notes: Notes,
    observations: File,
    /// The directory, locked as long as this lives: two runs at once would mix their lines.
    _lock: File,
}

impl Store {
    /// Goes on with a run in `directory`, or begins one.
    ///
    /// # Errors
    /// If there is another run, or one of another version, or one that is under way, or the files cannot be read or written.
    pub fn begin(directory: &Path, manifest: &Manifest) -> Result<Self, StoreError> {
        fs::create_dir_all(directory).map_err(|error| StoreError::NoDirectory {
            path: directory.to_owned(),
            error,
        })?;
        let lock = lock(directory)?;
        let packed = directory.join(PACKED);
        if packed.exists() {
            return Err(StoreError::Published { path: packed });
        }
        let (mut notes, whole) = match Notes::read_whole(directory) {
            Ok(found) => found,
            Err(StoreError::NoRun { .. }) => {
                refuse_orphans(&directory.join(OBSERVATIONS))?;
                write_manifest(directory, manifest)?;
                (Notes::of_manifest(manifest.clone()), 0)
            }
            Err(error) => return Err(error),
        };
        let differences = of_questions(notes.manifest(), manifest);
        if !differences.is_empty() {
            return Err(StoreError::OtherRun {
                directory: directory.to_owned(),
                differences,
            });
        }
        let known = notes.manifest().small_boards.as_ref();
        if let Some(boards) = &manifest.small_boards
            && !known.is_some_and(|known| known.has_all_of(boards))
        {
            notes.learn_of_small_boards(boards.clone());
            write_manifest(directory, notes.manifest())?;
        }
        let path = directory.join(OBSERVATIONS);
        let observations = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|file| file.set_len(whole).map(|()| file))
            .map_err(|error| StoreError::file(&path, error))?;
        Ok(Self {
            path,
            notes,
            observations,
            _lock: lock,
        })
    }

    /// What the run was asked and has found.
    #[must_use]
    pub const fn notes(&self) -> &Notes {
        &self.notes
    }

    /// What the run was asked.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        self.notes.manifest()
    }

    /// What it has found.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        self.notes.records()
    }

    /// Notes what was found.
    ///
    /// # Errors
    /// If it cannot be written; what was noted before stays.
    pub fn note(&mut self, record: Record) -> Result<(), StoreError> {
        if self.notes.is_known_to_fail(&record) {
            return Ok(());
        }
        self.write(&record)?;
        self.notes.add(record);
        Ok(())
    }

    /// Notes what the machine was like while a block was measured.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn note_conditions(&mut self, conditions: Conditions) -> Result<(), StoreError> {
        self.write(&conditions)?;
        self.notes.add_conditions(conditions);
        Ok(())
    }

    fn write(&mut self, line: &impl serde::Serialize) -> Result<(), StoreError> {
        let written = serde_json::to_string(line)
            .map_err(io::Error::from)
            .and_then(|line| self.observations.write_all((line + "\n").as_bytes()));
        written.map_err(|error| StoreError::file(&self.path, error))
    }
}

fn lock(directory: &Path) -> Result<File, StoreError> {
    let file = File::open(directory).map_err(|error| StoreError::file(directory, error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse {
            directory: directory.to_owned(),
        }),
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Observations without their manifest would be taken for those of the run that begins.
fn refuse_orphans(observations: &Path) -> Result<(), StoreError> {
    match fs::metadata(observations) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Ok(metadata) if metadata.is_file() && metadata.len() == 0 => Ok(()),
        Ok(_) => Err(StoreError::Orphans {
            path: observations.to_owned(),
        }),
        Err(error) => Err(StoreError::file(observations, error)),
    }
}

fn write_manifest(directory: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    write_whole(&directory.join(MANIFEST), |file| {
        serde_json::to_writer_pretty(&mut *file, manifest)?;
        writeln!(file)
    })
}

/// Writes a file that appears whole or not at all.
pub(super) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut io::BufWriter<File>) -> io::Result<()>,
) -> Result<(), StoreError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let written = File::create(&beside).and_then(|file| {
        let mut file = io::BufWriter::new(file);
        write(&mut file)?;
        file.flush()?;
        fs::rename(&beside, path)
    });
    written.map_err(|error| {
        // It takes room on what may be a full disk. It may not be there.
        let _removed = fs::remove_file(&beside);
        StoreError::file(path, error)
    })
}

#[cfg(test)]
mod tests {
    use super::super::names::{SYS_NAME, get};
    use super::super::{
        Measure, NetworkName, Observation, Scope, SessionTask, SmallBoardFigures, SmallBoards,
        SubjectName, find,
    };
    use super::*;
    use crate::environment::environment;
    use crate::measurement::TransportKind;
    use crate::process::Cores;
    use crate::security::Scheme;

    fn manifest(seed: u64) -> Manifest {
        let studies = ["du2001"].map(|name| find(name).unwrap());
        let environment = environment(&Cores::available().unwrap(), seed);
        Manifest::of_studies(&studies, Scope::Quick, &[SubjectName::Varbind], environment)
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

    fn failed(round: u32, reason: &str) -> Record {
        Record {
            observation: Observation::failed(reason),
            ..record(round)
        }
    }

    #[test]
    fn a_run_goes_on_with_what_it_has() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = Store::begin(directory.path(), &manifest(1)).unwrap();
        for round in 0..3 {
            store.note(record(round)).unwrap();
        }
        drop(store);
        let store = Store::begin(directory.path(), &manifest(1)).unwrap();
        assert_eq!(store.records(), [record(0), record(1), record(2)]);
        drop(store);
        let other = Store::begin(directory.path(), &manifest(2)).unwrap_err();
        let told = other.to_string();
        assert!(told.contains("seed 1 there, 2 requested now"), "{told}");
        assert!(told.contains("--out"), "{told}");
    }

    #[test]
    fn a_run_that_is_asked_for_other_repetitions_says_so() {
        let directory = tempfile::tempdir().unwrap();
        drop(Store::begin(directory.path(), &manifest(1)).unwrap());
        let mut more = manifest(1);
        for planned in &mut more.tasks {
            planned.repetitions = 77;
        }
        let told = Store::begin(directory.path(), &more).unwrap_err();
        let told = told.to_string();
        assert!(told.contains("repetitions"), "{told}");
        assert!(told.contains("77 requested now"), "{told}");
        more = manifest(1);
        more.tasks.pop();
        let told = Store::begin(directory.path(), &more).unwrap_err();
        assert!(told.to_string().contains("tasks"), "{told}");
    }

    #[test]
    fn figures_of_small_boards_that_come_later_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        drop(Store::begin(directory.path(), &manifest(1)).unwrap());
        let boards = |file: &str, figures| SmallBoards {
            file: file.into(),
            figures,
        };
        let with = |boards| Manifest {
            small_boards: Some(boards),
            ..manifest(1)
        };
        let counted = |architecture: &str, instructions_per_exchange| SmallBoardFigures {
            architecture: architecture.into(),
            request: "get".into(),
            version: "v2c".into(),
            transport: TransportKind::Udp,
            instructions_per_exchange,
            resident: 1.0,
        };
        let known = boards("boards.json", vec![counted("armv7", 1.0)]);
        // Without them, or with the same from elsewhere, the run goes on with those that it has.
        for asked in [
            with(known.clone()),
            manifest(1),
            with(boards("copy.json", known.figures.clone())),
        ] {
            let store = Store::begin(directory.path(), &asked).unwrap();
            assert_eq!(store.manifest().small_boards.as_ref(), Some(&known));
        }
        let more = boards(
            "more.json",
            vec![counted("aarch64", 3.0), counted("armv7", 1.0)],
        );
        let store = Store::begin(directory.path(), &with(more.clone())).unwrap();
        assert_eq!(store.manifest().small_boards.as_ref(), Some(&more));
        drop(store);
        let others = boards("others.json", vec![counted("armv7", 2.0)]);
        let refused = Store::begin(directory.path(), &with(others));
        let told = refused.unwrap_err().to_string();
        assert!(told.contains("small boards"), "{told}");
        assert!(told.contains("others.json"), "{told}");
    }

    #[test]
    fn a_run_of_another_network_or_speed_is_another_run() {
        let directory = tempfile::tempdir().unwrap();
        drop(Store::begin(directory.path(), &manifest(1)).unwrap());
        let across = Manifest {
            network: Some(NetworkName::Wifi.network().clone()),
            slow: Some(25),
            ..manifest(1)
        };
        let told = Store::begin(directory.path(), &across)
            .unwrap_err()
            .to_string();
        for part in [
            "network loopback there, Wi-Fi",
            "share of a core all there, 25 %",
            "--out",
        ] {
            assert!(told.contains(part), "{told}");
        }
    }

    #[test]
    fn a_line_that_was_cut_is_done_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(OBSERVATIONS);
        let mut store = Store::begin(directory.path(), &manifest(1)).unwrap();
        store.note(record(0)).unwrap();
        let whole = fs::read(&path).unwrap();
        store.note(record(1)).unwrap();
        drop(store);
        let both = fs::read(&path).unwrap();
        for length in whole.len()..both.len() {
            fs::write(&path, &both[..length]).unwrap();
            // Who only reads leaves the line to who writes it.
            let notes = Notes::read(directory.path()).unwrap();
            assert_eq!(notes.records(), [record(0)]);
            assert_eq!(fs::read(&path).unwrap(), both[..length]);
            let mut store = Store::begin(directory.path(), &manifest(1)).unwrap();
            assert_eq!(store.records(), [record(0)]);
            store.note(record(1)).unwrap();
            assert_eq!(fs::read(&path).unwrap(), both);
        }
    }

    #[test]
    fn what_failed_gives_way_to_what_succeeds_later() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(OBSERVATIONS);
        let mut store = Store::begin(directory.path(), &manifest(1)).unwrap();
        store.note(failed(0, "no snmpd")).unwrap();
        store.note(record(1)).unwrap();
        store.note(failed(2, "no snmpd")).unwrap();
        let before = fs::read(&path).unwrap();
        store.note(failed(0, "no snmpd")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), before, "nothing new was found");
        store.note(failed(0, "no namespaces")).unwrap();
        store.note(record(0)).unwrap();
        let expected = [record(0), record(1), failed(2, "no snmpd")];
        assert_eq!(store.records(), expected);
        assert_eq!(Notes::read(directory.path()).unwrap().records(), expected);
    }

    #[test]
    fn two_runs_at_once_do_not_mix() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::begin(directory.path(), &manifest(1)).unwrap();
        let told = Store::begin(directory.path(), &manifest(1)).unwrap_err();
        assert!(told.to_string().contains("another varbind study"), "{told}");
        Notes::read(directory.path()).unwrap();
        drop(store);
        Store::begin(directory.path(), &manifest(1)).unwrap();
    }

    #[test]
    fn what_is_damaged_or_of_another_version_is_named_and_stays() {
        let directory = tempfile::tempdir().unwrap();
        let observations = directory.path().join(OBSERVATIONS);
        let told = || {
            let error = Notes::read(directory.path()).unwrap_err().to_string();
            let begun = Store::begin(directory.path(), &manifest(1)).unwrap_err();
            assert_eq!(begun.to_string(), error);
            error
        };
        drop(Store::begin(directory.path(), &manifest(1)).unwrap());
        for (text, part) in [
            (&b"{\"task\": 7}\n"[..], "damaged in line 1: "),
            (b"\0\0\0\n", "damaged in line 1: "),
            (b"\xff\xfe\n", "damaged in line 1: "),
        ] {
            fs::write(&observations, text).unwrap();
            let told = told();
            assert!(told.contains(part), "{told}");
            assert!(!told.contains("line 1 column"), "{told}");
            assert_eq!(fs::read(&observations).unwrap(), text);
        }
        for (text, part) in [
            (&b"{\"schema_version\": 99}"[..], "schema version 99"),
            (b"{\"studies\": []}", "no schema_version"),
            (b"[]", "no schema_version"),
            (b"{", "damaged"),
            (b"", "damaged"),
            (b"\xff\xfe", "damaged"),
            (b"{\"schema_version\": 3,\n\"seed\": \"x\"}", "line 2"),
        ] {
            fs::write(directory.path().join(MANIFEST), text).unwrap();
            let told = told();
            assert!(told.contains(part), "{told}");
            assert!(told.contains(MANIFEST), "{told}");
        }
    }

    #[test]
    fn observations_without_a_manifest_are_not_taken_for_those_of_another_run() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = Store::begin(directory.path(), &manifest(1)).unwrap();
        store.note(record(0)).unwrap();
        drop(store);
        fs::remove_file(directory.path().join(MANIFEST)).unwrap();
        let told = Store::begin(directory.path(), &manifest(1)).unwrap_err();
        assert!(told.to_string().contains(OBSERVATIONS), "{told}");
        let none = Notes::read(directory.path()).unwrap_err().to_string();
        assert!(none.contains("holds no run"), "{none}");
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.json");
        fs::write(&path, "former").unwrap();
        let full = |file: &mut io::BufWriter<File>| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        };
        let told = write_whole(&path, full).unwrap_err().to_string();
        assert!(
            told.contains("results.json") && told.contains("make room"),
            "{told}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "former");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
