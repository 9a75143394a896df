use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// A line on standard error that says how far a long command is. It appears after a second, on a terminal that does not
/// show the results themselves.
pub(crate) struct Progress {
    started: Instant,
    shown: Option<Instant>,
    is_wanted: bool,
}

const FIRST: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(200);

impl Progress {
    pub(crate) fn new(results_are_seen: bool) -> Self {
        Self {
            started: Instant::now(),
            shown: None,
            is_wanted: !results_are_seen && io::stderr().is_terminal(),
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn show_objects(&mut self, objects: u64) {
        self.show(format_args!("{objects} objects"));
    }

    /// Tells how many hosts are done.
    pub(crate) fn show_hosts(&mut self, finished: usize, total: usize, failed: usize) {
        match failed {
            0 => self.show(format_args!("{finished} of {total} hosts")),
            _ => self.show(format_args!("{finished} of {total} hosts, {failed} failed")),
        }
    }

    fn show(&mut self, what: std::fmt::Arguments<'_>) {
        if !self.is_wanted || self.elapsed() < FIRST {
            return;
        }
        if self.shown.is_some_and(|shown| shown.elapsed() < INTERVAL) {
            return;
        }
        self.shown = Some(Instant::now());
        let seconds = self.elapsed().as_secs_f64();
        // Progress that cannot be shown is not a failure.
        let _ = write!(io::stderr(), "\r{what}, {seconds:.1} s ");
    }

    /// Removes the line.
    pub(crate) fn finish(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
