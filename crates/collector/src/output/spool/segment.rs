//! A segment of a spool: an append-only file.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::super::sink::Size;
use super::record;

const EXTENSION: &str = "spool";
/// The beginning of each segment; the name of the format and a line feed follow.
const MAGIC: &str = "varbind spool 1 ";

#[derive(Debug)]
pub(super) struct Segment {
    pub(super) number: u64,
    /// Octets up to the end of the last whole record.
    pub(super) length: u64,
    /// What is in it and not delivered.
    pub(super) pending: Size,
}

/// Why a segment cannot be used.
#[derive(Debug)]
pub(super) enum Flaw {
    Read(io::Error),
    /// It has batches of another format.
    Format(String),
}

impl From<io::Error> for Flaw {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

pub(super) fn path(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:020}.{EXTENSION}"))
}

/// The numbers of the segments in a directory, in order.
pub(super) fn numbers(directory: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in directory.read_dir()? {
        let path = PathBuf::from(entry?.file_name());
        if path
            .extension()
            .is_some_and(|extension| extension == EXTENSION)
        {
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            numbers.extend(stem.and_then(|stem| stem.parse::<u64>().ok()));
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn beginning(format: &str) -> String {
    format!("{MAGIC}{format}\n")
}

/// Where the first record of a segment begins.
pub(super) fn first_record(format: &str) -> u64 {
    beginning(format).len() as u64
}

/// Begins a segment.
pub(super) fn create(directory: &Path, number: u64, format: &str) -> io::Result<(Segment, File)> {
    let path = path(directory, number);
    let mut file = OpenOptions::new()
        .append(true)
        .create_new(true)
        .open(&path)?;
    if let Err(error) = io::Write::write_all(&mut file, beginning(format).as_bytes()) {
        // Without its beginning it could not be read later.
        let _ = std::fs::remove_file(&path);
        return Err(error);
    }
    let segment = Segment {
        number,
        length: first_record(format),
        pending: Size::default(),
    };
    Ok((segment, file))
}

/// Reads a segment after a restart: its records from `offset` on are pending, and what follows the last whole record is cut off.
pub(super) fn recover(
    directory: &Path,
    number: u64,
    format: &str,
    offset: u64,
) -> Result<Segment, Flaw> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path(directory, number))?;
    let end = file.metadata()?.len();
    let mut reader = BufReader::new(&file);
    let expected = beginning(format);
    let mut found = Vec::new();
    (&mut reader)
        .take(expected.len() as u64)
        .read_to_end(&mut found)?;
    let mut segment = Segment {
        number,
        length: expected.len() as u64,
        pending: Size::default(),
    };
    if found != expected.as_bytes() {
        if expected.as_bytes().starts_with(&found) {
            // It was being created.
            io::Write::write_all(
                &mut &file,
                expected.as_bytes().get(found.len()..).unwrap_or_default(),
            )?;
            return Ok(segment);
        }
        let line = found
            .split(|octet| *octet == b'\n')
            .next()
            .unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let other = line.strip_prefix(MAGIC).unwrap_or(&line);
        return Err(Flaw::Format(other.to_owned()));
    }
    while let Some(batch) = record::read(&mut reader, end - segment.length)? {
        if segment.length >= offset {
            segment.pending = segment.pending + batch.size;
        }
        segment.length += record::length(&batch);
    }
    if segment.length < end {
        let torn = end - segment.length;
        log::warn!(
            "{}: {torn} octets of an unfinished record are removed",
            path(directory, number).display()
        );
        file.set_len(segment.length)?;
    }
    Ok(segment)
}

/// Opens a segment to read from a place.
pub(super) fn open_at(directory: &Path, number: u64, offset: u64) -> io::Result<BufReader<File>> {
    let mut file = File::open(path(directory, number))?;
    file.seek(SeekFrom::Start(offset))?;
    Ok(BufReader::new(file))
}
