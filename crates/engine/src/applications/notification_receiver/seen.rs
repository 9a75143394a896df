use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::SocketAddr;
use std::time::Duration;

use varbind_codec::pdu::CommonPdu;

use crate::clock::Instant;

/// How many informs are remembered.
const REMEMBERED: usize = 4096;
/// How long they are: longer than any originator goes on sending one again.
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

/// The latest informs that were passed on.
#[derive(Debug, Default)]
pub(super) struct SeenInforms {
    known: HashSet<Fingerprint>,
    in_order: VecDeque<(Instant, Fingerprint)>,
}

impl SeenInforms {
    pub(super) fn contain(&mut self, now: Instant, fingerprint: &Fingerprint) -> bool {
        while let Some((passed_on, oldest)) = self.in_order.front()
            && now.saturating_since(*passed_on) > MEMORY
        {
            self.known.remove(oldest);
            self.in_order.pop_front();
        }
        self.known.contains(fingerprint)
    }

    pub(super) fn add(&mut self, now: Instant, fingerprint: Fingerprint) {
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
