//! Where a recording goes: standard output, or a file that changes only when the recording is complete.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};

use varbind_terminal::Failure;

use super::IfIncomplete;

/// Where a recording goes.
pub(super) enum Destination {
    StandardOutput(BufWriter<StdoutLock<'static>>),
    File(RecordingFile),
}

/// A file that is written beside the one that is wanted.
pub(super) struct RecordingFile {
    output: BufWriter<File>,
    path: PathBuf,
    part: PathBuf,
    if_incomplete: IfIncomplete,
}

impl Destination {
    pub(super) fn open(path: Option<&Path>, if_incomplete: IfIncomplete) -> Result<Self, Failure> {
        let Some(path) = path else {
            return Ok(Self::StandardOutput(BufWriter::new(io::stdout().lock())));
        };
        let mut part = OsString::from(path);
        part.push(".part");
        let part = PathBuf::from(part);
        let unwritable = |error: io::Error| {
            Failure::Usage(format!("{} cannot be written: {error}", part.display()))
        };
        let file = File::options().create(true).append(true).open(&part);
        let file = file.map_err(unwritable)?;
        // Locked before it is emptied: it may be another recording's.
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::Usage(format!(
                    "{}: another recording is being written there: choose another file",
                    part.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(unwritable(error)),
        }
        file.set_len(0).map_err(unwritable)?;
        Ok(Self::File(RecordingFile {
            output: BufWriter::new(file),
            path: path.to_owned(),
            part,
            if_incomplete,
        }))
    }

    /// Whether people see the recording as it is written.
    pub(super) fn is_terminal(&self) -> bool {
        matches!(self, Self::StandardOutput(output) if output.get_ref().is_terminal())
    }

    /// Puts a complete recording in its place.
    pub(super) fn complete(mut self) -> io::Result<()> {
        self.flush()?;
        match &self {
            Self::StandardOutput(_) => Ok(()),
            Self::File(file) => file.put_in_place(),
        }
    }

    /// Keeps or removes a recording that broke off, and says so.
    pub(super) fn break_off(mut self) -> String {
        // What does not fit any more is missing anyway.
        let _ = self.flush();
        let Self::File(file) = &self else {
            return String::new();
        };
        let (path, part) = (file.path.display(), file.part.display());
        let done = match file.if_incomplete {
            IfIncomplete::Part => Ok(format!("; they are in {part}, and {path} is as it was")),
            IfIncomplete::Replace => file
                .put_in_place()
                .map(|()| format!("; they are in {path}")),
            IfIncomplete::Discard => fs::remove_file(&file.part)
                .map(|()| format!("; nothing is kept, and {path} is as it was")),
        };
        done.unwrap_or_else(|error| format!("; they are in {part} ({path}: {error})"))
    }
}

impl RecordingFile {
    fn put_in_place(&self) -> io::Result<()> {
        self.output.get_ref().sync_all()?;
        fs::rename(&self.part, &self.path)?;
        let directory = self.path.parent();
        let directory = directory.filter(|directory| !directory.as_os_str().is_empty());
        File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
    }
}

impl Write for Destination {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        match self {
            Self::StandardOutput(output) => output.write(octets),
            Self::File(file) => file.output.write(octets),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::StandardOutput(output) => output.flush(),
            Self::File(file) => file.output.flush(),
        }
    }
}
