//! Where notifications are written.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use varbind::notification::Receipt;
use varbind_terminal::{Failure, print_message};

/// Text is written when there is so much of it, or after so long, or when nothing more waits.
const LARGE: usize = 64 * 1024;
const LONG: Duration = Duration::from_millis(100);

/// Standard output, or a file to which lines are appended.
#[derive(Debug)]
pub(super) struct Output {
    destination: Mutex<Destination>,
    is_terminal: bool,
}

#[derive(Debug)]
struct Destination {
    /// None for standard output.
    path: Option<PathBuf>,
    file: File,
}

impl Output {
    pub(super) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let destination = Destination::open(path)?;
        Ok(Self {
            is_terminal: destination.file.is_terminal(),
            destination: Mutex::new(destination),
        })
    }

    /// Opens the file again, which may have been renamed. Standard output stays.
    pub(super) fn reopen(&self, path: Option<&Path>) -> Result<(), Failure> {
        // Without the lock, since a writer to a pipe may hold it for long.
        if path.is_some() {
            let destination = Destination::open(path)?;
            *self.lock() = destination;
        }
        Ok(())
    }

    /// Whether it was a terminal that is no more.
    pub(super) fn has_hung_up(&self) -> bool {
        self.is_terminal && !io::stdout().is_terminal()
    }

    fn lock(&self) -> MutexGuard<'_, Destination> {
        self.destination
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Destination {
    fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let file = match path {
            None => io::stdout().as_fd().try_clone_to_owned().map(File::from),
            Some(path) => OpenOptions::new()
                .append(true)
                .create(true)
                .mode(0o640)
                .open(path),
        };
        let name = path.map_or("standard output".into(), Path::to_string_lossy);
        let file = file.map_err(|error| {
            Failure::Usage(format!("the output {name} cannot be opened: {error}"))
        })?;
        Ok(Self {
            path: path.map(Path::to_owned),
            file,
        })
    }

    /// How much was written, and what went wrong then.
    fn write(&mut self, octets: &[u8]) -> (usize, io::Result<()>) {
        let mut written = 0;
        while let Some(rest) = octets.get(written..).filter(|rest| !rest.is_empty()) {
            match self.file.write(rest) {
                Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
                Ok(more) => written += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (written, Err(error)),
            }
        }
        (written, self.file.flush())
    }
}

/// Writes notifications, and confirms those that are written whole. The others are lost, and count as such.
pub(super) struct Writer<'a> {
    output: &'a Output,
    pub(super) text: String,
    /// Where in the text each notification ends.
    waiting: Vec<(usize, Receipt)>,
    written: Instant,
    /// What was written last ends within a line.
    is_within_line: bool,
    is_failing: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(output: &'a Output) -> Self {
        Self {
            output,
            text: String::new(),
            waiting: Vec::new(),
            written: Instant::now(),
            is_within_line: false,
            is_failing: false,
        }
    }

    /// The text ends with this notification. It is written if that is due.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub(super) fn push(&mut self, receipt: Receipt) -> io::Result<()> {
        self.waiting.push((self.text.len(), receipt));
        let is_due =
            self.output.is_terminal || self.text.len() >= LARGE || self.written.elapsed() >= LONG;
        if is_due { self.write() } else { Ok(()) }
    }

    /// Writes the text.
    ///
    /// # Errors
    /// When the reader of the output is gone. Other failures may pass, as a full disk does: they are reported, and what comes
    /// later is tried again.
    pub(super) fn write(&mut self) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let output = self.output;
        let mut destination = output.lock();
        let mut result = Ok(());
        if self.is_within_line {
            let (completed, outcome) = destination.write(b"\n");
            self.is_within_line = completed == 0;
            result = outcome;
        }
        let mut written = 0;
        if result.is_ok() {
            (written, result) = destination.write(self.text.as_bytes());
        }
        let last = written
            .checked_sub(1)
            .and_then(|at| self.text.as_bytes().get(at));
        if let Some(last) = last {
            self.is_within_line = *last != b'\n';
        }
        for (end, receipt) in self.waiting.drain(..) {
            if end <= written {
                receipt.delivered();
            }
        }
        self.text.clear();
        self.written = Instant::now();
        self.report(&destination, result)
    }

    fn report(&mut self, destination: &Destination, result: io::Result<()>) -> io::Result<()> {
        let name = match &destination.path {
            Some(path) => path.display().to_string(),
            None => "standard output".to_owned(),
        };
        let was_failing = std::mem::replace(&mut self.is_failing, result.is_err());
        match (result, was_failing) {
            (Ok(()), true) => {
                print_message(format_args!("varbind: {name} can be written to again"));
            }
            (Err(error), false) => {
                print_message(format_args!(
                    "varbind: {name} cannot be written to: {error}"
                ));
                return self.unless_final(error);
            }
            (Err(error), true) => return self.unless_final(error),
            (Ok(()), false) => {}
        }
        Ok(())
    }

    /// The reader of a pipe that has left does not come back, nor does a terminal.
    fn unless_final(&self, error: io::Error) -> io::Result<()> {
        let is_final = error.kind() == io::ErrorKind::BrokenPipe || self.output.is_terminal;
        if is_final { Err(error) } else { Ok(()) }
    }
}
