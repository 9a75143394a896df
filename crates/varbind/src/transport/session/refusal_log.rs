use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::transport::{SourceBlock, Transport};

/// How many refusals are logged in one period; of the rest only the number.
const LINES: u32 = 10;
const PERIOD: Duration = Duration::from_secs(10);
/// Of a source's handshakes that are not finished, one is logged in this time: who tries which versions an agent speaks makes
/// some, and an attack looks no different.
const UNFINISHED_PERIOD: Duration = Duration::from_secs(60);
/// Sources that are remembered.
const SOURCES: usize = 256;

/// Tells of peers that were refused, without letting a flood of them become a flood of log lines.
#[derive(Debug, Default)]
pub(crate) struct RefusalLog {
    period: Mutex<Option<Period>>,
    unfinished: Mutex<HashMap<SourceBlock, Unfinished>>,
}

/// Handshakes of a source.
#[derive(Debug)]
struct Unfinished {
    since: Instant,
    silent: u64,
}

#[derive(Debug)]
struct Period {
    since: Instant,
    lines: u32,
    silent: u64,
}

impl RefusalLog {
    /// Tells that a peer was refused.
    pub(crate) fn log(&self, transport: Transport, remote: SocketAddr, why: &dyn fmt::Display) {
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

    /// Logs that a handshake was not finished, so that no peer was authenticated.
    pub(crate) fn handshake_unfinished(
        &self,
        transport: Transport,
        remote: SocketAddr,
        why: &dyn fmt::Display,
    ) {
        let source = SourceBlock::of(remote.ip());
        match self.count_unfinished(source, Instant::now()) {
            Some(0) => self.log(transport, remote, why),
            Some(silent) => {
                let why =
                    format!("{why}; {silent} more handshakes from {source} were not finished");
                self.log(transport, remote, &why);
            }
            None => log::debug!("{transport}:{remote}: {why}"),
        }
    }

    /// If this one is to be logged, how many of its source were not.
    fn count_unfinished(&self, source: SourceBlock, now: Instant) -> Option<u64> {
        let mut unfinished = self
            .unfinished
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = unfinished.get_mut(&source)
            && now.saturating_duration_since(known.since) < UNFINISHED_PERIOD
        {
            known.silent += 1;
            return None;
        }
        if unfinished.len() >= SOURCES {
            unfinished.clear();
        }
        let fresh = Unfinished {
            since: now,
            silent: 0,
        };
        let former = unfinished.insert(source, fresh);
        Some(former.map_or(0, |former| former.silent))
    }

    /// Whether this one is logged, and how many were not in the period before.
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
    fn of_the_unfinished_handshakes_of_a_source_one_is_logged() {
        let log = RefusalLog::default();
        let start = Instant::now();
        let source = |address: &str| SourceBlock::of(address.parse().unwrap());
        assert_eq!(log.count_unfinished(source("192.0.2.1"), start), Some(0));
        for _ in 0..7 {
            assert_eq!(log.count_unfinished(source("192.0.2.1"), start), None);
        }
        assert_eq!(log.count_unfinished(source("2001:db8::1"), start), Some(0));
        let later = start + UNFINISHED_PERIOD;
        assert_eq!(log.count_unfinished(source("192.0.2.1"), later), Some(7));
        for number in 0..10_000_u32 {
            let address = std::net::IpAddr::V4((number << 8).into());
            log.count_unfinished(SourceBlock::of(address), later);
        }
        assert!(log.unfinished.lock().unwrap().len() <= SOURCES);
    }

    #[test]
    fn a_flood_of_refusals_is_reported_in_few_lines() {
        let log = RefusalLog::default();
        let start = Instant::now();
        let told = (0..1000).filter(|_| log.count(start).0).count();
        assert_eq!(told, LINES as usize);
        assert_eq!(log.count(start + PERIOD), (true, 990));
        assert_eq!(log.count(start + PERIOD), (true, 0));
    }
}
