use std::time::{Duration, Instant};

use crate::measurement::{Outcome, Traffic};
use crate::session::Opening;
use crate::statistics::Cluster;

/// Samples of one repetition that are kept with their time, about.
const TIMED_SAMPLES: u32 = 40;

/// What one repetition took.
#[derive(Debug)]
pub struct Measured {
    /// Opening each socket, and the TCP connection where there is one.
    pub open: Cluster,
    /// The handshake of each session over TLS or DTLS, or the key exchange over SSH.
    pub handshake: Cluster,
    /// Authentication of the user over SSH, and opening the channel.
    pub authentication: Cluster,
    /// Resumed sessions.
    pub resumed: u64,
    /// Why a session could not be opened: the first reason.
    pub refusal: Option<String>,
    /// Finding out who each engine is and what time it has, in SNMPv3.
    pub discovery: Cluster,
    /// From passwords to keys, in SNMPv3: once, or for each session.
    pub key_derivation: Cluster,
    /// The first operation of each session.
    pub first_exchange: Cluster,
    /// Later operations.
    pub steady_state: Cluster,
    /// Operations of an open loop from the time they really left.
    pub uncorrected: Cluster,
    /// Closing each session.
    pub close: Cluster,
    /// When each of some operations ended, and its latency.
    pub timed: Vec<(Instant, Duration)>,
    /// What went wrong.
    pub outcome: Outcome,
    /// What went over the wire.
    pub traffic: Traffic,
    /// Objects in right answers.
    pub objects: u64,
    /// Time in sessions, without open and close.
    pub in_session: Duration,
    /// Open, discovery, operations and close of all sessions.
    pub total: Duration,
    stride: u64,
    slowest: Option<(Instant, Duration)>,
}

impl Measured {
    pub(super) fn new(operations: u32) -> Self {
        Self {
            open: Cluster::new(),
            handshake: Cluster::new(),
            authentication: Cluster::new(),
            resumed: 0,
            refusal: None,
            discovery: Cluster::new(),
            key_derivation: Cluster::new(),
            first_exchange: Cluster::new(),
            steady_state: Cluster::new(),
            uncorrected: Cluster::new(),
            close: Cluster::new(),
            timed: Vec::new(),
            outcome: Outcome::default(),
            traffic: Traffic::default(),
            objects: 0,
            in_session: Duration::ZERO,
            total: Duration::ZERO,
            stride: u64::from((operations / TIMED_SAMPLES).max(1)),
            slowest: None,
        }
    }

    /// Records how a session was opened.
    pub(super) fn opened(&mut self, opening: &Opening) {
        self.open.record(opening.connect);
        if let Some(handshake) = opening.handshake {
            self.handshake.record(handshake);
        }
        if let Some(authentication) = opening.authentication {
            self.authentication.record(authentication);
        }
        self.resumed += u64::from(opening.is_resumed);
    }

    /// Records an operation that ended at `end` with a right answer.
    pub(super) fn completed(
        &mut self,
        is_first: bool,
        end: Instant,
        latency: Duration,
        objects: u64,
    ) {
        if is_first {
            self.first_exchange.record(latency);
        } else {
            self.steady_state.record(latency);
        }
        if self.outcome.completed.is_multiple_of(self.stride) {
            self.timed.push((end, latency));
        }
        if self.slowest.is_none_or(|(_, slowest)| latency > slowest) {
            self.slowest = Some((end, latency));
        }
        self.outcome.completed += 1;
        self.objects += objects;
    }

    /// The samples to plot over time: every so many, and the slowest.
    #[must_use]
    pub fn timed_samples(&self) -> Vec<(Instant, Duration)> {
        let mut samples = self.timed.clone();
        samples.extend(self.slowest.filter(|slowest| !samples.contains(slowest)));
        samples.sort_unstable();
        samples
    }

    /// Response time as Gamess and Hernandez (2021) define it: the total, open, discovery and close included, by the operations that
    /// were completed. `None` if none was.
    #[must_use]
    pub fn response_time(&self) -> Option<Duration> {
        let completed = u32::try_from(self.outcome.completed).ok()?;
        self.total.checked_div(completed)
    }

    /// Operations per second while a session is open.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let seconds = self.in_session.as_secs_f64();
        if seconds > 0.0 {
            self.outcome.completed as f64 / seconds
        } else {
            0.0
        }
    }
}
