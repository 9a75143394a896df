use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use varbind_engine::transport::TransportState;

use super::super::association::Association;
use super::super::deadlines::Deadlines;
use super::super::resumption::ResumableSessions;
use super::{DtlsStatistics, ServerConfiguration};
use crate::transport::SourceBlock;
use crate::transport::places::{
    AuthenticatedBy, NoPlace, Place, PlaceId, PlaceLimits, Places, Source,
};
use crate::transport::session::SessionLimits;
use crate::transport::udp::LocalAddress;

/// Handshakes in progress, in all.
const HANDSHAKES: usize = 256;
/// How long a handshake may take that begins when half of these are in progress.
const SHORT_TIME: Duration = Duration::from_secs(3);

/// Two ends of datagrams: a peer, and which of our addresses it sends to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Ends {
    pub(super) remote: SocketAddr,
    pub(super) local: Option<LocalAddress>,
}

impl Ends {
    const fn source(&self) -> Source {
        Source::Address(self.remote.ip())
    }

    pub(super) const fn block(&self) -> SourceBlock {
        SourceBlock::of(self.remote.ip())
    }
}

/// The state of a peer: a session, a handshake, or both while a restarted peer opens a new session.
#[derive(Default)]
pub(super) struct Peer {
    pub(super) handshake: Option<Box<Handshake>>,
    pub(super) session: Option<Box<Session>>,
    /// When it is to be looked at again.
    scheduled: Option<Instant>,
}

/// A handshake in progress; its peer receives what is sent to its address.
pub(super) struct Handshake {
    pub(super) association: Association,
    /// Of the ClientHello, by which its repetitions are known.
    pub(super) random: [u8; 32],
    pub(super) ends_at: Instant,
    /// What it began with, whatever holds when it ends.
    pub(super) configuration: Arc<ServerConfiguration>,
    pub(super) place: Place,
}

pub(super) struct Session {
    pub(super) association: Association,
    pub(super) random: [u8; 32],
    pub(super) state: TransportState,
    /// By what its peer was accepted last.
    pub(super) accepted_by: Arc<ServerConfiguration>,
    /// Among which it is, if it can be resumed.
    pub(super) resumable: Arc<ResumableSessions>,
    pub(super) opened: Instant,
    pub(super) last_heard: Instant,
    /// Whether a message has come.
    pub(super) has_spoken: bool,
    /// Answers to come.
    pub(super) pending: usize,
    pub(super) _place: Place,
}

impl Session {
    /// When it ends if nothing more comes, or if it has been open for too long. Answers that are to come have as long as a
    /// message.
    pub(super) fn ends_at(&self, limits: &SessionLimits) -> Option<Instant> {
        let idle = self.last_heard.checked_add(limits.idle);
        let patience = match self.pending {
            0 => Duration::ZERO,
            _ => limits.message_time,
        };
        let lifetime = limits.lifetime.map(|it| it.saturating_add(patience));
        let expiry = lifetime.and_then(|lifetime| self.opened.checked_add(lifetime));
        [idle, expiry].into_iter().flatten().min()
    }
}

/// All peers of a socket. Invariant: each peer has shown by a cookie that it receives datagrams at its
/// address, and the counts are those of the peers. A handshake has a place from its beginning, which its session keeps.
pub(super) struct Peers {
    by_ends: HashMap<Ends, Peer>,
    places: Places,
    handshakes: HashMap<PlaceId, Ends>,
    sessions: usize,
    deadlines: Deadlines<Ends>,
    statistics: Arc<DtlsStatistics>,
}

impl Peers {
    pub(super) fn new(statistics: Arc<DtlsStatistics>) -> Self {
        Self {
            by_ends: HashMap::new(),
            places: Places::default(),
            handshakes: HashMap::new(),
            sessions: 0,
            deadlines: Deadlines::default(),
            statistics,
        }
    }

    /// Whether a peer of the same block has authenticated before.
    pub(super) fn knows(&self, ends: &Ends) -> bool {
        self.places.knows(ends.source())
    }

    pub(super) fn get(&self, ends: &Ends) -> Option<&Peer> {
        self.by_ends.get(ends)
    }

    pub(super) fn session(&mut self, ends: &Ends) -> Option<&mut Session> {
        self.by_ends.get_mut(ends)?.session.as_deref_mut()
    }

    pub(super) fn handshake(&mut self, ends: &Ends) -> Option<&mut Handshake> {
        self.by_ends.get_mut(ends)?.handshake.as_deref_mut()
    }

    #[cfg(any(test, fuzzing))]
    pub(super) fn count(&self) -> usize {
        self.by_ends.len()
    }

    pub(super) fn ends(&self) -> Vec<Ends> {
        self.by_ends.keys().copied().collect()
    }

    /// A place for another handshake of this peer, in place of one that is in progress, and the peers whose handshakes made
    /// room for it and are to be ended.
    pub(super) fn take_place(
        &mut self,
        ends: &Ends,
        limits: &SessionLimits,
    ) -> Result<(Place, Vec<Ends>), NoPlace> {
        self.end_handshake(ends);
        // What it would replace makes room for it.
        let own = usize::from(self.session(ends).is_some());
        let limits = PlaceLimits {
            total: limits.sessions + own,
            per_source: limits.sessions_per_source + own,
            per_block: limits.sessions_per_block.max(limits.sessions_per_source) + own,
            handshakes_per_source: limits.handshakes_per_source,
            handshakes: HANDSHAKES,
        };
        let mut place = self
            .places
            .take(ends.source(), AuthenticatedBy::Handshake, &limits)?;
        let displaced = place.take_displaced().into_iter();
        let displaced = displaced.filter_map(|place| self.handshakes.get(&place).copied());
        Ok((place, displaced.collect()))
    }

    /// How long a handshake may take that begins now.
    pub(super) fn handshake_time(&self, limits: &SessionLimits) -> Duration {
        match self.handshakes.len() < HANDSHAKES / 2 {
            true => limits.handshake_time,
            false => limits.handshake_time.min(SHORT_TIME),
        }
    }

    /// Begins a handshake.
    pub(super) fn begin(&mut self, ends: Ends, handshake: Handshake) {
        self.end_handshake(&ends);
        self.handshakes.insert(handshake.place.id(), ends);
        let peer = self.by_ends.entry(ends).or_default();
        peer.handshake = Some(Box::new(handshake));
        self.publish();
    }

    /// Takes out the handshake of a peer.
    pub(super) fn end_handshake(&mut self, ends: &Ends) -> Option<Box<Handshake>> {
        let handshake = self.by_ends.get_mut(ends)?.handshake.take()?;
        self.handshakes.remove(&handshake.place.id());
        self.tidy(ends);
        Some(handshake)
    }

    /// Opens a session, which replaces an old one of the same peer.
    pub(super) fn open(&mut self, ends: Ends, session: Session) {
        self.close(&ends);
        self.by_ends.entry(ends).or_default().session = Some(Box::new(session));
        self.sessions += 1;
        self.publish();
    }

    /// Takes out the session of a peer.
    pub(super) fn close(&mut self, ends: &Ends) -> Option<Box<Session>> {
        let session = self.by_ends.get_mut(ends)?.session.take()?;
        self.sessions -= 1;
        self.tidy(ends);
        Some(session)
    }

    /// Forgets a peer of whom nothing is left, and gives back room.
    fn tidy(&mut self, ends: &Ends) {
        let is_gone = |peer: &Peer| peer.handshake.is_none() && peer.session.is_none();
        if self.by_ends.get(ends).is_some_and(is_gone) {
            let gone = self.by_ends.remove(ends);
            if let Some(at) = gone.and_then(|gone| gone.scheduled) {
                self.deadlines.remove(at, *ends);
            }
            shrink(&mut self.by_ends);
        }
        self.publish();
    }

    fn publish(&self) {
        self.statistics
            .set_open(self.sessions, self.handshakes.len());
    }

    /// Has a peer looked at again when its handshake or its session needs it.
    pub(super) fn schedule(&mut self, ends: Ends, now: Instant, limits: &SessionLimits) {
        let Some(peer) = self.by_ends.get_mut(&ends) else {
            return;
        };
        let handshake = peer.handshake.as_ref().map(|handshake| {
            let retransmission = handshake.association.retransmission(now);
            retransmission.map_or(handshake.ends_at, |at| at.min(handshake.ends_at))
        });
        let session = peer.session.as_ref();
        let end = session.and_then(|session| session.ends_at(limits));
        let Some(at) = [handshake, end].into_iter().flatten().min() else {
            return;
        };
        if peer.scheduled.is_none_or(|scheduled| at < scheduled) {
            if let Some(later) = peer.scheduled.replace(at) {
                self.deadlines.remove(later, ends);
            }
            self.deadlines.add(at, ends);
        }
    }

    /// When the first peer is to be looked at.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.next()
    }

    /// A peer that is to be looked at now.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<Ends> {
        let ends = self.deadlines.take_due(now)?;
        if let Some(peer) = self.by_ends.get_mut(&ends) {
            peer.scheduled = None;
        }
        Some(ends)
    }
}

fn shrink<K: Eq + std::hash::Hash, V>(map: &mut HashMap<K, V>) {
    if map.capacity() > 64 && map.len() < map.capacity() / 4 {
        map.shrink_to(map.len() * 2);
    }
}
