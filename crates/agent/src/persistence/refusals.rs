//! Log lines about Sets that were refused: few, however many Sets there are.

use std::time::{Duration, Instant};

/// At most one line in this time.
const INTERVAL: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Refusals {
    /// When the last line was written; none since a Set was stored.
    last: Option<Instant>,
    /// Refusals since then.
    silent: u64,
}

impl Refusals {
    /// A Set could not be stored.
    pub(super) fn refused(&mut self, reason: &str, now: Instant) {
        if let Some(line) = self.line(reason, now) {
            log::error!("{line}");
        }
    }

    /// What is to be logged, if it is time for that.
    fn line(&mut self, reason: &str, now: Instant) -> Option<String> {
        if let Some(last) = self.last
            && now.saturating_duration_since(last) < INTERVAL
        {
            self.silent += 1;
            return None;
        }
        self.last = Some(now);
        let more = match std::mem::take(&mut self.silent) {
            0 => String::new(),
            silent => format!(" ({silent} more since the last such line)"),
        };
        Some(format!(
            "a Set was refused because it could not be stored: {reason}{more}"
        ))
    }

    /// A Set was stored.
    pub(super) fn stored(&mut self) {
        if self.last.take().is_some() {
            let silent = std::mem::take(&mut self.silent);
            log::info!("Sets are stored again; {silent} more were refused meanwhile");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_refusals_is_one_line_in_each_interval() {
        let mut refusals = Refusals::default();
        let start = Instant::now();
        let lines: Vec<_> = (0..3000)
            .filter_map(|number| refusals.line("full", start + Duration::from_millis(30) * number))
            .collect();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].ends_with("stored: full"), "{lines:?}");
        assert!(lines[1].contains("(1999 more"), "{lines:?}");
        refusals.stored();
        assert!(refusals.line("full", start + INTERVAL * 2).is_some());
    }
}
