//! Room on the disk that is kept for the moment when there is no other.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const NAME: &str = "reserve";
/// What a file takes at least, on most disks.
const BLOCK: u64 = 4096;
const ZEROS: [u8; 4096] = [0; 4096];

/// A file that is there to be removed.
#[derive(Debug)]
pub(super) struct Reserve(PathBuf);

impl Reserve {
    pub(super) fn new(directory: &Path) -> Self {
        Self(directory.join(NAME))
    }

    /// Keeps room for a file of `length` octets, and for the file `engine` beside it: all of it, or none.
    pub(super) fn renew(&self, length: u64) -> io::Result<()> {
        let wanted = length.div_ceil(BLOCK).saturating_add(1);
        self.grow(wanted).inspect_err(|_| self.release())
    }

    fn grow(&self, blocks: u64) -> io::Result<()> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&self.0)?;
        let present = file.metadata()?.len() / BLOCK;
        if present >= blocks {
            return Ok(());
        }
        // Written, since room that was only announced is not taken on every disk.
        let written = (present..blocks)
            .try_for_each(|block| file.write_all_at(&ZEROS, block.saturating_mul(BLOCK)));
        written.and_then(|()| file.sync_all())
    }

    /// Gives the room back.
    pub(super) fn release(&self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Whether there is no room, or the owner of the file may have no more of it.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}
