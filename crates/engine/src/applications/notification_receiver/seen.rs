use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::SocketAddr;
use std::time::Duration;

use varbind_codec::pdu::CommonPdu;

use crate::clock::Instant;

/// How many informs are remembered.
const REMEMBERED: usize = 4096;
/// Retention: longer than any originator retransmits.
const MEMORY: Duration = Duration::from_secs(300);

/// By what an inform is known that is sent again: its originator repeats request-id and content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Fingerprint {
    source: SocketAddr,
    request_id: i32,
    content: u64,
}

impl Fingerprint {
    pub(super) fn new(source: SocketAddr, sender: &str, pdu: &CommonPdu<'_>) -> Self {
        let mut hasher = DefaultHasher::new();
        sender.hash(&mut hasher);
        pdu.var_binds.encoded().hash(&mut hasher);
        Self {
            source,
            request_id: pdu.request_id,
            content: hasher.finish(),
        }
    }
}

/// Whether an inform came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sighting {
    First,
    /// It waits to be delivered.
    Pending,
    Delivered,
}

/// The informs that wait to be delivered, and the latest that were.
#[derive(Debug, Default)]
pub(super) struct SeenInforms {
    pending: HashSet<Fingerprint>,
    known: HashSet<Fingerprint>,
    in_order: VecDeque<(Instant, Fingerprint)>,
}

impl SeenInforms {
    /// Takes note of an inform. One that is seen first is pending from now on.
    pub(super) fn note(&mut self, now: Instant, fingerprint: Fingerprint) -> Sighting {
        self.forget_old(now);
        if self.known.contains(&fingerprint) {
            Sighting::Delivered
        } else if self.pending.insert(fingerprint) {
            Sighting::First
        } else {
            Sighting::Pending
        }
    }

    fn forget_old(&mut self, now: Instant) {
        while let Some((passed_on, oldest)) = self.in_order.front()
            && now.saturating_since(*passed_on) > MEMORY
        {
            self.known.remove(oldest);
            self.in_order.pop_front();
        }
    }

    /// A pending inform was not delivered: if it comes again it is the first.
    pub(super) fn forget(&mut self, fingerprint: &Fingerprint) {
        self.pending.remove(fingerprint);
    }

    pub(super) fn deliver(&mut self, now: Instant, fingerprint: Fingerprint) {
        self.pending.remove(&fingerprint);
        if !self.known.insert(fingerprint) {
            return;
        }
        if self.in_order.len() >= REMEMBERED
            && let Some((_, oldest)) = self.in_order.pop_front()
        {
            self.known.remove(&oldest);
        }
        self.in_order.push_back((now, fingerprint));
    }
}
