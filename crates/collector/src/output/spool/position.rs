//! How far a spool has been delivered: one small file that is written in place.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A place in a spool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    /// The number of a segment.
    pub(super) segment: u64,
    /// The octet in it where the first record begins that is not delivered.
    pub(super) offset: u64,
}

const LENGTH: usize = 20;

#[derive(Debug)]
pub(super) struct PositionFile(File);

impl PositionFile {
    /// Opens the file. A position that was half written counts as the beginning: batches are then delivered twice, never lost.
    pub(super) fn open(path: &Path) -> io::Result<(Self, Position)> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let mut octets = [0; LENGTH];
        let position = match file.read_exact_at(&mut octets, 0) {
            Ok(()) => read(&octets).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Position::default(),
            Err(error) => return Err(error),
        };
        let file = Self(file);
        if file.0.metadata()?.len() < LENGTH as u64 {
            // Its octets have their place from now on, also when the disk is full later. On a full disk it may have none yet.
            let _ = file.store(position);
        }
        Ok((file, position))
    }

    pub(super) fn store(&self, position: Position) -> io::Result<()> {
        let mut octets = [0; LENGTH];
        let (numbers, checksum) = octets.split_at_mut(16);
        let (segment, offset) = numbers.split_at_mut(8);
        segment.copy_from_slice(&position.segment.to_le_bytes());
        offset.copy_from_slice(&position.offset.to_le_bytes());
        checksum.copy_from_slice(&crc32fast::hash(numbers).to_le_bytes());
        self.0.write_all_at(&octets, 0)
    }
}

fn read(octets: &[u8; LENGTH]) -> Option<Position> {
    let (numbers, checksum) = octets.split_at_checked(16)?;
    let (segment, offset) = numbers.split_at_checked(8)?;
    let is_whole = crc32fast::hash(numbers).to_le_bytes() == *checksum;
    is_whole.then_some(Position {
        segment: u64::from_le_bytes(segment.try_into().ok()?),
        offset: u64::from_le_bytes(offset.try_into().ok()?),
    })
}
