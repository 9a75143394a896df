//! Records of a segment: a header with length, sizes and checksum, then the octets of a batch.

use std::io::{self, Read};

use super::super::sink::{Batch, Size};

/// Octets of a header.
pub(super) const HEADER: u64 = 16;

/// A header: length, polls, samples, checksum; each four octets, little-endian.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) length: u32,
    pub(super) size: Size,
    checksum: u32,
}

fn sizes(length: u32, size: Size) -> [u8; 12] {
    let mut octets = [0; 12];
    let fields = [length, size.polls, size.samples];
    for (place, field) in octets.chunks_exact_mut(4).zip(fields) {
        place.copy_from_slice(&field.to_le_bytes());
    }
    octets
}

fn checksum(sizes: &[u8; 12], content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(sizes);
    hasher.update(content);
    hasher.finalize()
}

/// The record of a batch; `None` if it is too large for one.
pub(super) fn record(batch: &Batch) -> Option<Vec<u8>> {
    let length = u32::try_from(batch.octets.len()).ok()?;
    let sizes = sizes(length, batch.size);
    let checksum = checksum(&sizes, &batch.octets);
    Some([&sizes[..], &checksum.to_le_bytes(), &batch.octets].concat())
}

/// Reads a record of which at most `available` octets exist; `None` if it is torn or wrong.
pub(super) fn read(input: &mut impl Read, available: u64) -> io::Result<Option<Batch>> {
    match read_whole(input, available) {
        // The file was truncated meanwhile.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        read => read,
    }
}

fn read_whole(input: &mut impl Read, available: u64) -> io::Result<Option<Batch>> {
    if available < HEADER {
        return Ok(None);
    }
    let mut fields = [[0; 4]; 4];
    for field in &mut fields {
        input.read_exact(field)?;
    }
    let [length, polls, samples, checksum] = fields.map(u32::from_le_bytes);
    let size = Size { polls, samples };
    let header = Header {
        length,
        size,
        checksum,
    };
    if available - HEADER < u64::from(length) {
        return Ok(None);
    }
    let mut octets = vec![0; length as usize];
    input.read_exact(&mut octets)?;
    Ok(header.accepts(&octets).then_some(Batch { octets, size }))
}

impl Header {
    fn accepts(&self, octets: &[u8]) -> bool {
        checksum(&sizes(self.length, self.size), octets) == self.checksum
    }
}

/// Octets that the record of a batch has.
pub(super) const fn length(batch: &Batch) -> u64 {
    HEADER + batch.octets.len() as u64
}
