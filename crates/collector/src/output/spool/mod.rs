//! Batches on disk until they are delivered. They survive the end of the process, however it comes; a loss of power may cost the last
//! seconds, since nothing waits for the disk.

mod position;
mod record;
mod segment;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::sink::{Batch, Size};
use position::{Position, PositionFile};
use segment::{Flaw, Segment};

/// A spool has about so many segments when it is full: the oldest is what makes room.
const SEGMENTS: u64 = 16;
/// No segment is larger, but by one batch.
const LARGEST_SEGMENT: u64 = 64 << 20;

/// Why a spool cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpoolError {
    /// A file cannot be read or written.
    #[error("{path}: {source}: check permissions and free space of the spool directory")]
    File {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another output or another process has it.
    #[error(
        "{0}: another output or process uses this spool: give each output of each collector its own directory"
    )]
    InUse(PathBuf),
    /// It belongs to an output of another type.
    #[error(
        "{path}: the spool is for batches of type {found}, not {expected}: give this output another directory, or deliver the batches with the former configuration and remove the directory"
    )]
    Format {
        /// The segment, or the directory.
        path: PathBuf,
        /// The format of its batches.
        found: String,
        /// The format of the output.
        expected: &'static str,
    },
    /// A batch exceeds the whole spool.
    #[error(
        "a batch of {octets} octets exceeds max-bytes of the spool: make batches smaller or the spool larger"
    )]
    TooLarge {
        /// Its octets.
        octets: u64,
    },
}

/// A queue of batches on disk.
#[derive(Debug)]
pub(super) struct Spool {
    directory: PathBuf,
    format: &'static str,
    max_bytes: u64,
    segments: VecDeque<Segment>,
    /// The file of the last segment, unless the next batch begins another one.
    writer: Option<File>,
    /// The file of the first segment, at the position.
    reader: Option<BufReader<File>>,
    /// The first batch, if it has been read, and the octets of its record.
    head: Option<(Arc<Batch>, u64)>,
    position: Position,
    position_file: PositionFile,
    /// Held while this process uses the spool.
    _lock: File,
}

impl Spool {
    /// Opens a spool, and finds what a former process left in it.
    pub(super) fn open(
        directory: &Path,
        format: &'static str,
        max_bytes: u64,
    ) -> Result<Self, SpoolError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| SpoolError::File { path, source }
        };
        fs::create_dir_all(directory).map_err(failed(directory))?;
        let lock = lock(&directory.join("lock"))?;
        let path = directory.join("position");
        let (position_file, stored) = PositionFile::open(&path).map_err(failed(&path))?;
        let mut spool = Self {
            directory: directory.to_owned(),
            format,
            max_bytes,
            segments: VecDeque::new(),
            writer: None,
            reader: None,
            head: None,
            position: stored,
            position_file,
            _lock: lock,
        };
        for number in segment::numbers(directory).map_err(failed(directory))? {
            let path = segment::path(directory, number);
            if number < stored.segment {
                fs::remove_file(&path).map_err(failed(&path))?;
                continue;
            }
            let offset = if number == stored.segment {
                stored.offset
            } else {
                0
            };
            match segment::recover(directory, number, format, offset) {
                Ok(segment) => spool.segments.push_back(segment),
                Err(Flaw::Read(source)) => return Err(SpoolError::File { path, source }),
                Err(Flaw::Format(found)) => {
                    return Err(SpoolError::Format {
                        path,
                        found,
                        expected: format,
                    });
                }
            }
        }
        let first = spool.segments.front();
        // A position in a segment that is missing, or beyond its end, says nothing.
        let holds = first
            .is_some_and(|first| first.number == stored.segment && stored.offset <= first.length);
        if !holds {
            spool.position = spool.beginning_of_first();
        }
        Ok(spool)
    }

    fn beginning_of_first(&self) -> Position {
        Position {
            segment: self
                .segments
                .front()
                .map_or(self.position.segment, |first| first.number),
            offset: segment::first_record(self.format),
        }
    }

    /// Octets that are not delivered.
    pub(super) fn octets(&self) -> u64 {
        let all: u64 = self.segments.iter().map(|segment| segment.length).sum();
        let headers =
            segment::first_record(self.format) * self.segments.len().saturating_sub(1) as u64;
        all.saturating_sub(self.position.offset)
            .saturating_sub(headers)
    }

    /// Octets on the disk.
    fn used(&self) -> u64 {
        self.segments.iter().map(|segment| segment.length).sum()
    }

    /// Appends a batch. What has to make room for it is added to `dropped`, even if the batch cannot be written then.
    pub(super) fn append(&mut self, batch: &Batch, dropped: &mut Size) -> Result<(), SpoolError> {
        let octets = record::length(batch);
        let needed = octets + segment::first_record(self.format);
        let Some(record) = record::record(batch).filter(|_| needed <= self.max_bytes) else {
            return Err(SpoolError::TooLarge { octets });
        };
        while self.used() + needed > self.max_bytes {
            let Some(lost) = self.remove_first() else {
                break;
            };
            *dropped = *dropped + lost;
        }
        self.write(&record, batch.size)
    }

    fn write(&mut self, record: &[u8], size: Size) -> Result<(), SpoolError> {
        let largest = (self.max_bytes / SEGMENTS).min(LARGEST_SEGMENT);
        if self
            .segments
            .back()
            .is_none_or(|last| last.length >= largest)
        {
            self.writer = None;
        }
        let mut file = match self.writer.take() {
            Some(file) => file,
            None => self.begin_segment()?,
        };
        let Some(last) = self.segments.back_mut() else {
            return Ok(());
        };
        if let Err(source) = file.write_all(record) {
            // A torn record would hide those behind it; if it cannot be removed, the next batch begins another segment.
            if file.set_len(last.length).is_ok() {
                self.writer = Some(file);
            }
            let path = segment::path(&self.directory, last.number);
            return Err(SpoolError::File { path, source });
        }
        self.writer = Some(file);
        last.length += record.len() as u64;
        last.pending = last.pending + size;
        Ok(())
    }

    fn begin_segment(&mut self) -> Result<File, SpoolError> {
        let number = match self.segments.back() {
            Some(last) => last.number + 1,
            None => self.position.segment + 1,
        };
        let path = segment::path(&self.directory, number);
        let created = segment::create(&self.directory, number, self.format);
        let (segment, file) = created.map_err(|source| SpoolError::File { path, source })?;
        self.segments.push_back(segment);
        if self.segments.len() == 1 {
            self.position = self.beginning_of_first();
            self.reader = None;
        }
        Ok(file)
    }

    /// The first batch; `None` if all are delivered. The size of what cannot be read any more is added to `lost`.
    pub(super) fn head(&mut self, lost: &mut Size) -> Result<Option<Arc<Batch>>, SpoolError> {
        while self.head.is_none() {
            let Some(first) = self.segments.front() else {
                return Ok(None);
            };
            let available = first.length.saturating_sub(self.position.offset);
            if available == 0 {
                if self.segments.len() == 1 {
                    return Ok(None);
                }
                self.remove_first();
                continue;
            }
            let path = segment::path(&self.directory, first.number);
            let failed = |source| SpoolError::File {
                path: path.clone(),
                source,
            };
            let mut reader = match self.reader.take() {
                Some(reader) => reader,
                None => segment::open_at(&self.directory, first.number, self.position.offset)
                    .map_err(failed)?,
            };
            match record::read(&mut reader, available).map_err(failed)? {
                Some(batch) => {
                    let octets = record::length(&batch);
                    self.head = Some((Arc::new(batch), octets));
                    self.reader = Some(reader);
                }
                // Something else wrote into it.
                None => {
                    log::warn!(
                        "{}: damaged: the rest of it is not delivered",
                        path.display()
                    );
                    *lost = *lost + self.remove_first().unwrap_or_default();
                }
            }
        }
        Ok(self.head.as_ref().map(|(batch, _)| Arc::clone(batch)))
    }

    /// The first batch has been delivered.
    pub(super) fn advance(&mut self) -> Result<(), SpoolError> {
        if let Some((batch, octets)) = self.head.take() {
            self.position.offset += octets;
            if let Some(first) = self.segments.front_mut() {
                first.pending.polls = first.pending.polls.saturating_sub(batch.size.polls);
                first.pending.samples = first.pending.samples.saturating_sub(batch.size.samples);
            }
        }
        self.store_position()
    }

    fn store_position(&self) -> Result<(), SpoolError> {
        self.position_file
            .store(self.position)
            .map_err(|source| SpoolError::File {
                path: self.directory.join("position"),
                source,
            })
    }

    /// Removes the first segment. Returns what in it was not delivered; `None` if there is no segment.
    fn remove_first(&mut self) -> Option<Size> {
        let first = self.segments.pop_front()?;
        (self.reader, self.head) = (None, None);
        if self.segments.is_empty() {
            self.writer = None;
            self.position.segment = first.number;
        }
        self.position = self.beginning_of_first();
        // With the position behind it, what is left of a segment is removed at the next start.
        let stored = self.store_position();
        let path = segment::path(&self.directory, first.number);
        let removed = fs::remove_file(&path).map_err(|source| SpoolError::File { path, source });
        if let Err(error) = stored.and(removed) {
            log::warn!("{error}");
        }
        Some(first.pending)
    }
}

fn lock(path: &Path) -> Result<File, SpoolError> {
    let failed = |source| SpoolError::File {
        path: path.to_owned(),
        source,
    };
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path);
    let file = file.map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(SpoolError::InUse(path.parent().unwrap_or(path).to_owned()))
        }
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}
