use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::LinkError;
use super::lane::End;

/// A file of packets in the form of pcapng (draft-ietf-opsawg-pcapng), with an interface for each end.
///
/// At an end are the packets that it sent, when it sent them, and those that it received, when it received them: what
/// is lost is seen at one end only.
#[derive(Debug)]
pub(super) struct Capture {
    file: BufWriter<File>,
    path: PathBuf,
    began: Duration,
}

/// Packets begin with the header of IPv4 or IPv6.
const LINKTYPE_RAW: u16 = 101;
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

impl Capture {
    /// A capture that begins now.
    pub(super) fn create(path: &Path) -> Result<Self, LinkError> {
        let failed = |error| LinkError::Capture {
            path: path.to_owned(),
            error,
        };
        let mut capture = Self {
            file: BufWriter::new(File::create(path).map_err(failed)?),
            path: path.to_owned(),
            began: SystemTime::now()
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap_or_default(),
        };
        capture.write_headers().map_err(failed)?;
        Ok(capture)
    }

    fn write_headers(&mut self) -> io::Result<()> {
        const BYTE_ORDER: u32 = 0x1a2b_3c4d;
        let mut section = Vec::new();
        section.extend_from_slice(&BYTE_ORDER.to_ne_bytes());
        // Version 1.0, and no length of the section.
        section.extend_from_slice(&1_u16.to_ne_bytes());
        section.extend_from_slice(&0_u16.to_ne_bytes());
        section.extend_from_slice(&u64::MAX.to_ne_bytes());
        self.write_block(SECTION_HEADER, &section)?;
        for end in [End::Near, End::Far] {
            self.write_block(INTERFACE_DESCRIPTION, &interface(end))?;
        }
        Ok(())
    }

    /// Adds a packet that passed an end at that time, in nanoseconds since the capture began.
    pub(super) fn add(&mut self, end: End, at: u64, packet: &[u8]) -> Result<(), LinkError> {
        let time = (self.began + Duration::from_nanos(at)).as_nanos() as u64;
        let length = u32::try_from(packet.len()).unwrap_or(u32::MAX);
        let mut block = Vec::with_capacity(packet.len() + 24);
        for word in [end as u32, (time >> 32) as u32, time as u32, length, length] {
            block.extend_from_slice(&word.to_ne_bytes());
        }
        block.extend_from_slice(packet);
        pad(&mut block);
        let written = self.write_block(ENHANCED_PACKET, &block);
        written.map_err(|error| self.failed(error))
    }

    /// Writes what is left.
    pub(super) fn finish(mut self) -> Result<(), LinkError> {
        let flushed = self.file.flush();
        flushed.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> LinkError {
        LinkError::Capture {
            path: self.path.clone(),
            error,
        }
    }

    fn write_block(&mut self, kind: u32, content: &[u8]) -> io::Result<()> {
        let length = u32::try_from(content.len() + 12).unwrap_or(u32::MAX);
        self.file.write_all(&kind.to_ne_bytes())?;
        self.file.write_all(&length.to_ne_bytes())?;
        self.file.write_all(content)?;
        self.file.write_all(&length.to_ne_bytes())
    }
}

fn interface(end: End) -> Vec<u8> {
    const NAME: u16 = 2;
    const RESOLUTION: u16 = 9;
    const NANOSECONDS: u8 = 9;
    let mut block = Vec::new();
    block.extend_from_slice(&LINKTYPE_RAW.to_ne_bytes());
    block.extend_from_slice(&[0; 6]);
    for (option, value) in [
        (NAME, end.name().as_bytes()),
        (RESOLUTION, &[NANOSECONDS][..]),
    ] {
        let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
        block.extend_from_slice(&option.to_ne_bytes());
        block.extend_from_slice(&length.to_ne_bytes());
        block.extend_from_slice(value);
        pad(&mut block);
    }
    block.extend_from_slice(&[0; 4]);
    block
}

fn pad(block: &mut Vec<u8>) {
    block.resize(block.len().next_multiple_of(4), 0);
}
