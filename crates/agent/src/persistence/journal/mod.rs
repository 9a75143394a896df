use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use varbind_codec::smi::{Oid, Value};

use zeroize::Zeroizing;

use super::changes::ValuesInTransit;
use super::record::{Binding, decode, encode};
use super::reserve::{Reserve, is_full};

const NAME: &str = "values";
/// Written whole, then renamed to [`NAME`].
const NEW_NAME: &str = "values.new";
/// Where a damaged file is kept, the last one only.
const DAMAGED_NAME: &str = "values.damaged";
/// The first line names the format.
const HEADER: &str = "varbind-values 1\n";
/// The file is rewritten when it is larger than that, and than four times its size after the last rewrite.
const LARGE: u64 = 64 * 1024;

pub(super) type Values = BTreeMap<Oid, Value>;

/// The file to which changes are appended.
///
/// Invariant: up to `length` it consists of whole lines that are on the disk.
#[derive(Debug)]
pub(super) struct Journal {
    directory: PathBuf,
    file: File,
    length: u64,
    /// The length of a rewritten file with the same values.
    length_when_new: u64,
    reserve: Reserve,
    /// Why nothing can be appended any more.
    failure: Option<String>,
}

/// The content of a file of values.
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
    let mut lines = octets.split_inclusive(|&octet| octet == b'\n');
    let header = lines.next().unwrap_or_default();
    if header != HEADER.as_bytes() {
        content.damaged = 1;
    }
    let (mut intact, mut damaged) = (0, 0);
    for line in lines {
        match line.strip_suffix(b"\n").and_then(decode) {
            Some(bindings) => {
                intact += 1;
                bindings
                    .into_iter()
                    .for_each(|binding| content.apply(binding));
            }
            None => damaged += 1,
        }
    }
    // Lines that have the checksum of this format are of this format, whatever the first line says.
    if is_other_format(header) && intact == 0 && damaged > 0 {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the file was written by another version of varbind",
        ));
    }
    content.damaged += damaged;
    Ok(content)
}

/// Whether the first line names another format than ours.
fn is_other_format(header: &[u8]) -> bool {
    header != HEADER.as_bytes() && header.starts_with(b"varbind-values ") && header.ends_with(b"\n")
}

/// The length of a file that holds nothing but these values.
fn length_of(values: &Values) -> u64 {
    let lines = values
        .iter()
        .map(|(name, value)| encode([(name, Some(value))]).len());
    (HEADER.len() + lines.sum::<usize>()) as u64
}

impl Journal {
    /// Opens the file in `directory`, which exists, and reads its values. A damaged file is kept aside and replaced by
    /// what can be read of it.
    pub(super) fn open(directory: &Path) -> io::Result<(Self, Values)> {
        let (mut journal, values) = Self::open_file(directory)?;
        if journal.has_grown() {
            journal.rewrite(&values);
        }
        journal.keep_reserve();
        Ok((journal, values))
    }

    fn open_file(directory: &Path) -> io::Result<(Self, Values)> {
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
            length_when_new: length_of(&content.values),
            length,
            reserve: Reserve::new(directory),
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
        let names = File::open(directory)?;
        fs::rename(&path, directory.join(NAME))?;
        // From here on there is no way back to the old file.
        let failure = names.sync_all().err();
        Ok(Self {
            directory: directory.to_owned(),
            file,
            length: offset,
            length_when_new: offset,
            reserve: Reserve::new(directory),
            failure: failure.map(|error| unusable(directory, &error)),
        })
    }

    /// Appends changes and waits until they are on the disk. After an error the file is as before.
    ///
    /// Where the disk is full, the file is written anew with `values`, which have the changes: that frees the room that
    /// former values take.
    pub(super) fn append(
        &mut self,
        changes: &[Binding],
        values: impl FnOnce() -> ValuesInTransit,
    ) -> Result<(), String> {
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
                self.truncate_failed_line();
                if self.failure.is_none() && is_full(&error) && self.shrink(&values().0) {
                    return self.failure.clone().map_or(Ok(()), Err);
                }
                Err(format!("{}: {error}", self.directory.join(NAME).display()))
            }
        }
    }

    /// Rewrites the file on a full disk, if that frees space; returns whether it did.
    fn shrink(&mut self, values: &Values) -> bool {
        let needed = length_of(values);
        if needed >= self.length {
            return false;
        }
        self.reserve.release();
        match Self::write(&self.directory, values) {
            Ok(journal) => *self = journal,
            Err(error) => {
                log::debug!("{}: {error}", self.directory.join(NEW_NAME).display());
                let _ = fs::remove_file(self.directory.join(NEW_NAME));
            }
        }
        if let Err(error) = self.reserve.renew(self.length_when_new) {
            log::debug!("no room is kept on the full disk: {error}");
        }
        self.length == needed
    }

    /// Removes what was written of a line. When that fails too the state of the disk is not known, and nothing more is
    /// written until the agent starts again and reads what is there.
    fn truncate_failed_line(&mut self) {
        let restored = self
            .file
            .set_len(self.length)
            .and_then(|()| self.file.sync_data());
        if let Err(error) = restored {
            self.failure = Some(unusable(&self.directory, &error));
        }
    }

    /// Reserves space for a full disk: for rewriting this file, and for the engine's identity.
    pub(super) fn keep_reserve(&self) {
        if let Err(error) = self.reserve.renew(self.length_when_new) {
            log::warn!(
                "{}: no room can be kept for the case that the disk is full: {error}",
                self.directory.display()
            );
        }
    }

    /// Whether the file has grown far beyond its values.
    pub(super) fn has_grown(&self) -> bool {
        self.length >= LARGE.max(self.length_when_new.saturating_mul(4))
    }

    /// Rewrites the file without its old content.
    pub(super) fn rewrite(&mut self, values: &Values) {
        match Self::write(&self.directory, values) {
            Ok(journal) => {
                *self = journal;
                self.keep_reserve();
            }
            Err(error) => {
                // Tried again when it has grown as much again.
                self.length_when_new = self.length;
                log::warn!("{}: {error}", self.directory.join(NEW_NAME).display());
            }
        }
    }
}

fn unusable(directory: &Path, error: &io::Error) -> String {
    format!(
        "{}: {error}; nothing is stored until the agent is restarted",
        directory.join(NAME).display()
    )
}

#[cfg(test)]
mod tests;
