use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use varbind::manager::Manager;
use varbind::transport::TransportAddress;

/// A line on standard error that says how far a long command is. It appears after a second, on a terminal that does not
/// show the results themselves.
pub(crate) struct Progress {
    started: Instant,
    told: Option<Instant>,
    is_wanted: bool,
}

const FIRST: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(200);

impl Progress {
    pub(crate) fn new(results_are_seen: bool) -> Self {
        Self {
            started: Instant::now(),
            told: None,
            is_wanted: !results_are_seen && io::stderr().is_terminal(),
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn tell(&mut self, objects: u64) {
        if !self.is_wanted || self.elapsed() < FIRST {
            return;
        }
        if self.told.is_some_and(|told| told.elapsed() < INTERVAL) {
            return;
        }
        self.told = Some(Instant::now());
        let seconds = self.elapsed().as_secs_f64();
        // Progress that cannot be shown is no failure.
        let _ = write!(io::stderr(), "\r{objects} objects, {seconds:.1} s ");
    }

    /// Removes the line.
    pub(crate) fn finish(&mut self) {
        if self.told.take().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// Tells on a terminal that the agent is silent, from the first second on.
pub(crate) fn tell_silence(manager: &mut Manager, target: &TransportAddress) {
    if !io::stderr().is_terminal() {
        return;
    }
    let target = target.to_string();
    let mut line = SilenceLine { is_shown: false };
    manager.observe_silence(INTERVAL, move |silence| line.show(&target, silence));
}

/// The line, which is removed with the session.
struct SilenceLine {
    is_shown: bool,
}

impl SilenceLine {
    fn show(&mut self, target: &str, silence: Duration) {
        if silence >= FIRST {
            self.is_shown = true;
            let seconds = silence.as_secs_f64();
            let _ = write!(io::stderr(), "\r{target} is silent for {seconds:.1} s ");
        } else {
            self.remove();
        }
    }

    fn remove(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for SilenceLine {
    fn drop(&mut self) {
        self.remove();
    }
}
