use std::time::Duration;

use crate::measurement::{Outcome, Traffic};
use crate::session::Opening;
use crate::statistics::Cluster;

/// What one repetition took.
#[derive(Debug, Default)]
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
}

impl Measured {
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

    /// Records an operation that ended with a right answer.
    pub(super) fn completed(&mut self, is_first: bool, latency: Duration, objects: u64) {
        if is_first {
            self.first_exchange.record(latency);
        } else {
            self.steady_state.record(latency);
        }
        self.outcome.completed += 1;
        self.objects += objects;
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
