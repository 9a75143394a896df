use std::io::{self, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// Short runs need no progress.
const SILENT: Duration = Duration::from_secs(1);
/// Between lines, where standard error is not a terminal.
const INTERVAL: Duration = Duration::from_secs(5);

/// Shows the progress of a run on standard error: in place on a terminal, elsewhere by a line every few seconds.
pub(crate) struct Progress {
    begun: Instant,
    shown: Instant,
    stage: String,
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(begun: Instant) -> Self {
        let bar = ProgressBar::new(0);
        let template = "{elapsed}  {msg}: {pos} of {len}{prefix} {wide_bar}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self {
            begun,
            shown: begun,
            stage: String::new(),
            bar,
        }
    }

    /// Reports that `done` of `total` parts of a `stage` are done, all of which take as long as each other.
    pub(crate) fn report(&mut self, stage: &str, done: usize, total: usize) {
        if self.is_silent() {
            return;
        }
        self.set(stage, (done, total));
        let left = self.bar.eta();
        self.show((done, total), Some(left));
    }

    /// Reports how much of a `stage` is done, and how long the rest takes, if that is known.
    pub(crate) fn report_left(
        &mut self,
        stage: &str,
        (done, total): (usize, usize),
        left: Option<Duration>,
    ) {
        if self.is_silent() {
            return;
        }
        self.set(stage, (done, total));
        self.show((done, total), left);
    }

    fn is_silent(&self) -> bool {
        self.begun.elapsed() < SILENT
    }

    fn set(&mut self, stage: &str, (done, total): (usize, usize)) {
        if self.stage != stage {
            stage.clone_into(&mut self.stage);
            self.bar.set_message(self.stage.clone());
            self.bar.reset_eta();
        }
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
    }

    fn show(&mut self, (done, total): (usize, usize), left: Option<Duration>) {
        let stage = &self.stage;
        let left = left.map_or_else(String::new, |left| {
            format!(", about {} left", HumanDuration(left))
        });
        self.bar.set_prefix(left.clone());
        let is_due = self.shown.elapsed() >= INTERVAL || done == total;
        if self.bar.is_hidden() && is_due {
            self.shown = Instant::now();
            let seconds = self.begun.elapsed().as_secs();
            // Progress that cannot be shown is no reason to stop.
            let _lost = writeln!(
                io::stderr(),
                "{seconds:3} s  {stage}: {done} of {total}{left}"
            );
        }
    }

    /// Prints a line.
    pub(crate) fn print(&self, text: &str) {
        self.bar.suspend(|| {
            // The same.
            let _lost = writeln!(io::stderr(), "{text}");
        });
    }

    /// Clears the line.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
