use std::io::{self, IsTerminal, StdoutLock, Write};
use std::time::{Duration, Instant};

/// Standard output, locked, with a buffer of text in front.
///
/// Results appear at once on a terminal. Into a file or a pipe they go in large pieces, but they are not held back for
/// long from a reader when the agent is slow.
pub(crate) struct Sink {
    pub(crate) text: String,
    stdout: StdoutLock<'static>,
    is_terminal: bool,
    written: Instant,
}

const LARGE: usize = 64 * 1024;
const LONG: Duration = Duration::from_millis(100);

impl Sink {
    pub(crate) fn new() -> Self {
        let stdout = io::stdout().lock();
        Self {
            text: String::new(),
            is_terminal: stdout.is_terminal(),
            stdout,
            written: Instant::now(),
        }
    }

    pub(crate) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Writes the text if that is due.
    pub(crate) fn offer(&mut self) -> io::Result<()> {
        if self.is_terminal || self.text.len() >= LARGE || self.written.elapsed() >= LONG {
            self.write()
        } else {
            Ok(())
        }
    }

    /// Writes the text.
    pub(crate) fn write(&mut self) -> io::Result<()> {
        self.stdout.write_all(self.text.as_bytes())?;
        self.stdout.flush()?;
        self.text.clear();
        self.written = Instant::now();
        Ok(())
    }
}
