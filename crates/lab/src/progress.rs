use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Short runs need no progress.
const SILENT: Duration = Duration::from_secs(1);

/// Tells on standard error how far a run is: in place on a terminal, else by a line now and then.
pub(crate) struct Progress {
    begun: Instant,
    shown: Option<Instant>,
    is_terminal: bool,
    stage: Option<Stage>,
}

/// Where a stage was when it was first told of.
struct Stage {
    name: String,
    done: usize,
    begun: Instant,
}

impl Stage {
    /// About how long the rest takes, once that can be told.
    fn rest(&self, done: usize, total: usize) -> Option<Duration> {
        const PATIENCE: Duration = Duration::from_secs(10);
        let elapsed = self.begun.elapsed();
        let since = done.checked_sub(self.done).filter(|since| *since > 0)?;
        let left = total.checked_sub(done).filter(|left| *left > 0)?;
        (elapsed > PATIENCE).then(|| elapsed.mul_f64(left as f64 / since as f64))
    }
}

impl Progress {
    pub(crate) fn new(begun: Instant) -> Self {
        Self {
            begun,
            shown: None,
            is_terminal: io::stderr().is_terminal(),
            stage: None,
        }
    }

    /// Says that `done` of `total` parts of a `stage` are done.
    pub(crate) fn tell(&mut self, stage: &str, done: usize, total: usize) {
        let interval = if self.is_terminal {
            Duration::from_millis(200)
        } else {
            Duration::from_secs(5)
        };
        let begin = || Stage {
            name: stage.to_owned(),
            done,
            begun: Instant::now(),
        };
        let current = self.stage.take().filter(|current| current.name == stage);
        let rest = self
            .stage
            .insert(current.unwrap_or_else(begin))
            .rest(done, total);
        if self.begun.elapsed() < SILENT {
            return;
        }
        let since = self.shown.unwrap_or(self.begun).elapsed();
        if since < interval && done != total {
            return;
        }
        self.shown = Some(Instant::now());
        let seconds = self.begun.elapsed().as_secs();
        let rest = rest.map_or_else(String::new, |rest| format!(", about {} left", rough(rest)));
        let (before, after) = if self.is_terminal {
            ("\r\x1b[K", "")
        } else {
            ("", "\n")
        };
        // Progress that cannot be shown is no reason to stop.
        let _lost = write!(
            io::stderr(),
            "{before}{seconds:3} s  {stage}: {done} of {total}{rest}{after}"
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

/// In the unit that suits it.
fn rough(time: Duration) -> String {
    match time.as_secs() + 1 {
        seconds @ ..120 => format!("{seconds} s"),
        seconds @ ..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_are_left_are_told_roughly() {
        for (seconds, told) in [(4, "5 s"), (119, "2 min"), (7100, "118 min"), (7300, "2 h")] {
            assert_eq!(rough(Duration::from_secs(seconds)), told);
        }
    }

    #[test]
    fn what_is_left_takes_as_long_as_what_was_done() {
        let begun = Instant::now().checked_sub(Duration::from_secs(20)).unwrap();
        let stage = Stage {
            name: "measurement".into(),
            done: 100,
            begun,
        };
        let rest = stage.rest(140, 220).unwrap();
        assert!(rest >= Duration::from_secs(40), "{rest:?}");
        assert_eq!(stage.rest(100, 220), None);
        assert_eq!(stage.rest(220, 220), None);
    }
}
