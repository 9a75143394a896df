use std::fmt;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::transport::Transport;

/// How many refusals are told in one period; of the rest, only how many there were.
const LINES: u32 = 10;
const PERIOD: Duration = Duration::from_secs(10);

/// Tells of peers that were refused, without letting a flood of them become a flood of log lines.
#[derive(Debug, Default)]
pub(crate) struct RefusalLog {
    period: Mutex<Option<Period>>,
}

#[derive(Debug)]
struct Period {
    since: Instant,
    lines: u32,
    silent: u64,
}

impl RefusalLog {
    /// Tells that a peer was refused.
    pub(crate) fn tell(&self, transport: Transport, remote: SocketAddr, why: &dyn fmt::Display) {
        let (is_told, silent) = self.count(Instant::now());
        if silent > 0 {
            log::info!("{silent} more peers were refused before");
        }
        if is_told {
            log::info!("{transport}:{remote}: {why}");
        } else {
            log::debug!("{transport}:{remote}: {why}");
        }
    }

    /// Whether this one is told, and how many were not told in the period before.
    fn count(&self, now: Instant) -> (bool, u64) {
        let mut period = self.period.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = Period {
            since: now,
            lines: 0,
            silent: 0,
        };
        let mut silent = 0;
        let current = match &mut *period {
            Some(current) if now.saturating_duration_since(current.since) < PERIOD => current,
            over => {
                silent = over.as_ref().map_or(0, |over| over.silent);
                over.insert(fresh)
            }
        };
        if current.lines < LINES {
            current.lines += 1;
            (true, silent)
        } else {
            current.silent += 1;
            (false, silent)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_refusals_is_told_in_few_lines() {
        let log = RefusalLog::default();
        let start = Instant::now();
        let told = (0..1000).filter(|_| log.count(start).0).count();
        assert_eq!(told, LINES as usize);
        assert_eq!(log.count(start + PERIOD), (true, 990));
        assert_eq!(log.count(start + PERIOD), (true, 0));
    }
}
