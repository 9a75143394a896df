use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Short runs need no progress.
const SILENT: Duration = Duration::from_secs(1);

/// Tells on standard error how far a run is: in place on a terminal, else by a line now and then.
pub(crate) struct Progress {
    begun: Instant,
    shown: Option<Instant>,
    is_terminal: bool,
}

impl Progress {
    pub(crate) fn new(begun: Instant) -> Self {
        Self {
            begun,
            shown: None,
            is_terminal: io::stderr().is_terminal(),
        }
    }

    /// Says that `done` of `total` parts of a `stage` are done.
    pub(crate) fn tell(&mut self, stage: &str, done: usize, total: usize) {
        let interval = if self.is_terminal {
            Duration::from_millis(200)
        } else {
            Duration::from_secs(5)
        };
        if self.begun.elapsed() < SILENT {
            return;
        }
        let since = self.shown.unwrap_or(self.begun).elapsed();
        if since < interval && done != total {
            return;
        }
        self.shown = Some(Instant::now());
        let seconds = self.begun.elapsed().as_secs();
        let (before, after) = if self.is_terminal {
            ("\r\x1b[K", "")
        } else {
            ("", "\n")
        };
        // Progress that cannot be shown is no reason to stop.
        let _lost = write!(
            io::stderr(),
            "{before}{seconds:3} s  {stage}: {done} of {total}{after}"
        );
    }

    /// Says something once.
    pub(crate) fn say(&self, text: &str) {
        self.finish();
        // The same.
        let _lost = writeln!(io::stderr(), "{text}");
    }

    /// Clears the line.
    pub(crate) fn finish(&self) {
        if self.is_terminal {
            let _lost = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
