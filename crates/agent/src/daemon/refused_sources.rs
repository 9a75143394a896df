//! Log lines about addresses from which a community may not be used: one for each source, and few at a time.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use varbind_engine::discard::Discard;

/// How many sources are remembered; sources of UDP can be forged.
const SOURCES: usize = 1024;
/// At most so many lines in that time.
const LINES: u32 = 10;
const PERIOD: Duration = Duration::from_secs(60);

/// The sources that were refused.
#[derive(Debug, Default)]
pub(super) struct RefusedSources(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Sources that were logged.
    known: HashSet<IpAddr>,
    period: Option<Instant>,
    lines: u32,
    /// Sources that were not logged in this period.
    silent: u64,
}

impl RefusedSources {
    /// A message was discarded.
    pub(super) fn message_discarded(&self, remote: SocketAddr, discard: &Discard) {
        if *discard != Discard::SourceNotAllowed {
            return;
        }
        let line = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .line(remote.ip(), Instant::now());
        if let Some(line) = line {
            log::warn!("{line}");
        }
    }

    /// Forgets all sources, as another configuration may mean others.
    pub(super) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
    }
}

impl State {
    fn line(&mut self, source: IpAddr, now: Instant) -> Option<String> {
        let source = source.to_canonical();
        if self.known.contains(&block(source)) {
            return None;
        }
        let is_over = self
            .period
            .is_none_or(|since| now.saturating_duration_since(since) >= PERIOD);
        let mut others = String::new();
        if is_over {
            self.period = Some(now);
            self.lines = 0;
            if self.silent > 0 {
                others = format!(
                    "; so were {} requests from other addresses before",
                    self.silent
                );
                self.silent = 0;
            }
        }
        if self.lines == LINES {
            self.silent += 1;
            return None;
        }
        self.lines += 1;
        if self.known.len() == SOURCES {
            self.known.clear();
        }
        self.known.insert(block(source));
        Some(format!(
            "{source}: requests are refused, since their community may not be used from there: if they are to be answered, add \
             \"{source}\" to `sources` of that [[community]]{others}"
        ))
    }
}

/// What one peer is: an IPv4 address, or an IPv6 network of 64 bits.
fn block(source: IpAddr) -> IpAddr {
    match source {
        IpAddr::V4(_) => source,
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(
        state: &mut State,
        sources: impl IntoIterator<Item = u32>,
        now: Instant,
    ) -> Vec<String> {
        let lines = sources
            .into_iter()
            .map(|source| state.line(IpAddr::V4(source.into()), now));
        lines.flatten().collect()
    }

    #[test]
    fn each_source_is_one_line_and_many_are_few() {
        let mut state = State::default();
        let start = Instant::now();
        let repeated = lines(&mut state, [0x0a00_0001; 100], start);
        assert_eq!(repeated.len(), 1, "{repeated:?}");
        assert!(
            repeated[0].contains("\"10.0.0.1\" to `sources`"),
            "{repeated:?}"
        );
        let flood = lines(&mut state, 1..=5000, start);
        assert_eq!(flood.len(), 9);
        let later = lines(&mut state, 5001..=5100, start + PERIOD);
        assert_eq!(later.len(), 10);
        assert!(later[0].contains("4991 requests from other"), "{later:?}");
        for minute in 2..300 {
            lines(
                &mut state,
                minute * 100..minute * 100 + 100,
                start + PERIOD * minute,
            );
            assert!(state.known.len() <= SOURCES);
        }
    }

    #[test]
    fn addresses_of_one_network_are_one_source() {
        let mut state = State::default();
        let now = Instant::now();
        assert!(state.line("2001:db8::1".parse().unwrap(), now).is_some());
        assert!(state.line("2001:db8::2".parse().unwrap(), now).is_none());
        assert!(
            state
                .line("::ffff:192.0.2.1".parse().unwrap(), now)
                .is_some()
        );
        assert!(state.line("192.0.2.1".parse().unwrap(), now).is_none());
    }
}
