use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use varbind_codec::smi::{Oid, OwnedValue};

use zeroize::Zeroizing;

use super::record::{Binding, decode, encode};

const NAME: &str = "values";
/// Written whole, then renamed to [`NAME`].
const NEW_NAME: &str = "values.new";
/// Where a damaged file is kept, the last one only.
const DAMAGED_NAME: &str = "values.damaged";
/// The first line tells the format.
const HEADER: &str = "varbind-values 1\n";
/// The file is written anew when it is larger than that, and than four times what it was after the last time.
const LARGE: u64 = 64 * 1024;

pub(super) type Values = BTreeMap<Oid, OwnedValue>;

/// The file to which changes are appended.
///
/// Invariant: up to `length` it consists of whole lines that are on the disk.
#[derive(Debug)]
pub(super) struct Journal {
    directory: PathBuf,
    file: File,
    length: u64,
    length_when_new: u64,
    /// Why nothing can be appended any more.
    failure: Option<String>,
}

/// What a file of values tells.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) values: Values,
    /// Lines that are damaged, the unfinished last one included.
    pub(super) damaged: usize,
}

impl Content {
    fn apply(&mut self, (name, value): Binding) {
        match value {
            Some(value) => self.values.insert(name, value),
            None => self.values.remove(&name),
        };
    }
}

/// Reads the values kept in `directory`, without changing anything; `None` if there are none.
pub(super) fn read(directory: &Path) -> io::Result<Option<Content>> {
    match fs::read(directory.join(NAME)) {
        Ok(octets) => parse(&Zeroizing::new(octets)).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn parse(octets: &[u8]) -> io::Result<Content> {
    let mut content = Content::default();
    let Some(lines) = octets.strip_prefix(HEADER.as_bytes()) else {
        if octets.starts_with(b"varbind-values ") && octets.contains(&b'\n') {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the file was written by another version of varbind",
            ));
        }
        // A file that was not finished when it was made, or no file of ours.
        content.damaged = 1;
        return Ok(content);
    };
    for line in lines.split_inclusive(|&octet| octet == b'\n') {
        match line.strip_suffix(b"\n").and_then(decode) {
            Some(bindings) => bindings
                .into_iter()
                .for_each(|binding| content.apply(binding)),
            None => content.damaged += 1,
        }
    }
    Ok(content)
}

impl Journal {
    /// Opens the file in `directory`, which exists, and reads its values. A damaged file is kept aside and replaced by
    /// what can be read of it.
    pub(super) fn open(directory: &Path) -> io::Result<(Self, Values)> {
        let content = read(directory)?;
        let Some(content) = content else {
            let journal = Self::write(directory, &Values::new())?;
            return Ok((journal, Values::new()));
        };
        if content.damaged > 0 {
            fs::copy(directory.join(NAME), directory.join(DAMAGED_NAME))?;
            log::warn!(
                "{}: {} damaged line(s); the file is kept as {DAMAGED_NAME}, {} value(s) were read",
                directory.join(NAME).display(),
                content.damaged,
                content.values.len(),
            );
            let journal = Self::write(directory, &content.values)?;
            return Ok((journal, content.values));
        }
        let file = OpenOptions::new().write(true).open(directory.join(NAME))?;
        let length = file.metadata()?.len();
        let journal = Self {
            directory: directory.to_owned(),
            length_when_new: length,
            length,
            file,
            failure: None,
        };
        Ok((journal, content.values))
    }

    /// Writes a new file with these values in place of the old one.
    fn write(directory: &Path, values: &Values) -> io::Result<Self> {
        let path = directory.join(NEW_NAME);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&path)?;
        let lines = values
            .iter()
            .map(|(name, value)| encode([(name, Some(value))]));
        let mut offset = 0;
        for line in std::iter::once(Zeroizing::new(HEADER.to_owned())).chain(lines) {
            file.write_all_at(line.as_bytes(), offset)?;
            offset += line.len() as u64;
        }
        // The content is to be on the disk before the name, and the name before anything is acknowledged.
        file.sync_all()?;
        fs::rename(&path, directory.join(NAME))?;
        File::open(directory)?.sync_all()?;
        let length = file.metadata()?.len();
        Ok(Self {
            directory: directory.to_owned(),
            file,
            length,
            length_when_new: length,
            failure: None,
        })
    }

    /// Appends changes and waits until they are on the disk. After an error the file is as before.
    pub(super) fn append(&mut self, changes: &[Binding]) -> Result<(), String> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let line = encode(changes.iter().map(|(name, value)| (name, value.as_ref())));
        let written = self
            .file
            .write_all_at(line.as_bytes(), self.length)
            .and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => {
                self.length = self.length.saturating_add(line.len() as u64);
                Ok(())
            }
            Err(error) => {
                self.take_back();
                Err(format!("{}: {error}", self.directory.join(NAME).display()))
            }
        }
    }

    /// Removes what was written of a line. When that fails too the state of the disk is not known, and nothing more is
    /// written until the agent starts again and reads what is there.
    fn take_back(&mut self) {
        let restored = self
            .file
            .set_len(self.length)
            .and_then(|()| self.file.sync_data());
        if let Err(error) = restored {
            self.failure = Some(format!(
                "{}: {error}; nothing is stored until the agent is restarted",
                self.directory.join(NAME).display()
            ));
        }
    }

    /// Whether the file has grown far beyond its values.
    pub(super) fn has_grown(&self) -> bool {
        self.length >= LARGE.max(self.length_when_new.saturating_mul(4))
    }

    /// Writes the file anew, with nothing of what was there before.
    pub(super) fn write_anew(&mut self, values: &Values) {
        match Self::write(&self.directory, values) {
            Ok(journal) => *self = journal,
            Err(error) => {
                // Tried again when it has grown as much again.
                self.length_when_new = self.length;
                log::warn!("{}: {error}", self.directory.join(NEW_NAME).display());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binding(value: &str) -> [Binding; 1] {
        let value = OwnedValue::OctetString(value.as_bytes().to_vec());
        [("1.3.6.1.2.1.1.4.0".parse().unwrap(), Some(value))]
    }

    fn values(bindings: [Binding; 1]) -> Values {
        let mut content = Content::default();
        bindings
            .into_iter()
            .for_each(|binding| content.apply(binding));
        content.values
    }

    #[test]
    fn what_was_removed_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let (mut journal, _) = Journal::open(directory.path()).unwrap();
        journal.append(&binding("secret")).unwrap();
        let [(name, _)] = binding("");
        journal.append(&[(name, None)]).unwrap();
        let (mut journal, kept) = Journal::open(directory.path()).unwrap();
        assert_eq!(kept, Values::new());
        journal.write_anew(&kept);
        let text = fs::read_to_string(directory.path().join(NAME)).unwrap();
        assert_eq!(text, HEADER);
    }

    #[test]
    fn the_last_value_counts_after_each_possible_cut() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(NAME);
        let (mut journal, kept) = Journal::open(directory.path()).unwrap();
        assert!(kept.is_empty());
        journal.append(&binding("first")).unwrap();
        let acknowledged = fs::metadata(&path).unwrap().len();
        journal.append(&binding("second")).unwrap();
        let octets = fs::read(&path).unwrap();
        for end in usize::try_from(acknowledged).unwrap()..octets.len() {
            fs::write(&path, &octets[..end]).unwrap();
            let (_, kept) = Journal::open(directory.path()).unwrap();
            assert_eq!(kept, values(binding("first")), "{end}");
            assert_eq!(
                directory.path().join(DAMAGED_NAME).exists(),
                end as u64 > acknowledged
            );
        }
    }

    #[test]
    fn a_damaged_line_costs_that_line_alone_and_the_file_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(NAME);
        let (mut journal, _) = Journal::open(directory.path()).unwrap();
        journal.append(&binding("first")).unwrap();
        journal.append(&binding("second")).unwrap();
        let damaged = fs::read_to_string(&path)
            .unwrap()
            .replace("second", "sEcond");
        fs::write(&path, &damaged).unwrap();
        let (mut journal, kept) = Journal::open(directory.path()).unwrap();
        assert_eq!(kept, values(binding("first")));
        let kept = fs::read_to_string(directory.path().join(DAMAGED_NAME)).unwrap();
        assert_eq!(kept, damaged);
        journal.append(&binding("third")).unwrap();
        let content = read(directory.path()).unwrap().unwrap();
        assert_eq!(
            (content.values, content.damaged),
            (values(binding("third")), 0)
        );
    }

    #[test]
    fn a_file_of_another_version_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(NAME), "varbind-values 2\n").unwrap();
        let error = Journal::open(directory.path()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_file_that_has_grown_is_written_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(NAME);
        let (mut journal, mut kept) = Journal::open(directory.path()).unwrap();
        let mut largest = 0;
        for number in 0..1000 {
            let change = binding(&format!("{number} {}", "x".repeat(200)));
            journal.append(&change).unwrap();
            kept.extend(values(change));
            if journal.has_grown() {
                journal.write_anew(&kept);
            }
            largest = fs::metadata(&path).unwrap().len().max(largest);
        }
        // All lines together have more than 200,000 octets.
        assert!(largest < LARGE + 1024, "{largest}");
        assert_eq!(read(directory.path()).unwrap().unwrap().values, kept);
    }
}
