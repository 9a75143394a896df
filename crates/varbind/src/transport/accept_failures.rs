use std::io;
use std::time::{Duration, Instant};

/// How long a listener waits after it could not accept a connection.
const PAUSE: Duration = Duration::from_millis(100);
/// How long nothing more is logged after a message.
const SILENCE: Duration = Duration::from_secs(60);

/// What a listener does when the system gives it no connection, mostly because the process has too many open files: it
/// waits a moment, and logs the first failure and then one message a minute.
#[derive(Debug)]
pub struct AcceptFailures {
    what: String,
    logged: Option<Instant>,
    unlogged: u64,
}

impl AcceptFailures {
    /// Those of a listener that accepts `what`, for the log.
    #[must_use]
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            logged: None,
            unlogged: 0,
        }
    }

    /// Logs a failure, unless one was logged a moment ago, and waits before the next try.
    pub async fn wait(&mut self, error: &io::Error) {
        self.log(error, Instant::now());
        tokio::time::sleep(PAUSE).await;
    }

    fn log(&mut self, error: &io::Error, now: Instant) {
        let count = self.count(now);
        let what = &self.what;
        match count {
            None => log::debug!("accepting {what} failed: {error}"),
            Some(0) => log::warn!("accepting {what} failed: {error}{}", advice(error)),
            Some(more) => log::warn!(
                "accepting {what} failed: {error}, and {more} times before{}",
                advice(error)
            ),
        }
    }

    /// How many failures were not logged before this one, if it is to be logged.
    fn count(&mut self, now: Instant) -> Option<u64> {
        let is_recent = |logged: Instant| now.saturating_duration_since(logged) < SILENCE;
        if self.logged.is_some_and(is_recent) {
            self.unlogged += 1;
            return None;
        }
        self.logged = Some(now);
        Some(std::mem::take(&mut self.unlogged))
    }
}

fn advice(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EMFILE) => {
            "; raise the limit of open files (ulimit -n, or LimitNOFILE of systemd), or lower tcp-sessions"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_logged_once_a_minute_with_their_number() {
        let mut failures = AcceptFailures::new("a session");
        let start = Instant::now();
        let tries = (0..700).map(|tenths| start + PAUSE * tenths);
        let logged: Vec<_> = tries.filter_map(|now| failures.count(now)).collect();
        assert_eq!(logged, [0, 599]);
    }
}
