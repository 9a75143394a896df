//! Progress of long commands.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use varbind_mib::compile::CompileProgress;

use crate::messages::program_name;

/// Shows the progress of reading modules on standard error, once it takes more than a second.
pub struct ProgressMeter {
    start: Instant,
    is_shown: bool,
}

impl Default for ProgressMeter {
    fn default() -> Self {
        Self::new()
    }
}

impl ProgressMeter {
    /// A meter that shows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            is_shown: false,
        }
    }

    /// Shows how far it is, if that is due.
    pub fn show(&mut self, progress: CompileProgress) {
        let CompileProgress { done, total } = progress;
        if self.start.elapsed() < Duration::from_secs(1) || done == total && !self.is_shown {
            return;
        }
        let program = program_name();
        let mut stderr = io::stderr().lock();
        // A failure to write progress is ignored.
        let _ = match stderr.is_terminal() {
            true => write!(
                stderr,
                "\r{program}: {done} of {total} MIB modules are read"
            ),
            false if !self.is_shown => writeln!(stderr, "{program}: reading {total} MIB modules"),
            false => Ok(()),
        };
        self.is_shown = true;
    }

    /// Clears the line.
    pub fn end(&self) {
        if self.is_shown && io::stderr().is_terminal() {
            eprint!("\r\x1b[K");
        }
    }
}
