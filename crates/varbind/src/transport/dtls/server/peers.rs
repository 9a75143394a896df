use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use varbind_engine::transport::TransportState;

use super::super::association::Association;
use super::super::deadlines::Deadlines;
use super::{DtlsStatistics, ServerConfiguration};
use crate::transport::session::SessionLimits;
use crate::transport::udp::LocalAddress;

/// Two ends of datagrams: a peer, and which of our addresses it sends to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Ends {
    pub(super) remote: SocketAddr,
    pub(super) local: Option<LocalAddress>,
}

impl Ends {
    fn source(&self) -> IpAddr {
        self.remote.ip().to_canonical()
    }
}

/// What there is of a peer: a session, a handshake, or both while a peer that has restarted begins anew.
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
}

pub(super) struct Session {
    pub(super) association: Association,
    pub(super) random: [u8; 32],
    pub(super) state: TransportState,
    pub(super) last_heard: Instant,
    /// Whether a message has come.
    pub(super) has_spoken: bool,
    /// Answers to come.
    pub(super) pending: usize,
}

#[derive(Clone, Copy, Default)]
struct Source {
    sessions: usize,
    handshakes: usize,
}

/// All peers of a socket. Invariant: whoever is in here has shown by a cookie that it receives what is sent to its
/// address, and the counts are those of the peers.
pub(super) struct Peers {
    by_ends: HashMap<Ends, Peer>,
    by_source: HashMap<IpAddr, Source>,
    total: Source,
    deadlines: Deadlines<Ends>,
    statistics: Arc<DtlsStatistics>,
}

impl Peers {
    pub(super) fn new(statistics: Arc<DtlsStatistics>) -> Self {
        Self {
            by_ends: HashMap::new(),
            by_source: HashMap::new(),
            total: Source::default(),
            deadlines: Deadlines::default(),
            statistics,
        }
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

    pub(super) fn count(&self) -> usize {
        self.by_ends.len()
    }

    pub(super) fn ends(&self) -> Vec<Ends> {
        self.by_ends.keys().copied().collect()
    }

    /// Why there is no place for another handshake of this peer, if there is none.
    pub(super) fn refusal(
        &self,
        ends: &Ends,
        limits: &SessionLimits,
        handshakes: usize,
    ) -> Option<&'static str> {
        let source = self.by_source.get(&ends.source());
        let source = source.copied().unwrap_or_default();
        let own = self.by_ends.get(ends);
        // What it would replace makes room for it.
        let own_session = usize::from(own.is_some_and(|own| own.session.is_some()));
        let own_handshake = usize::from(own.is_some_and(|own| own.handshake.is_some()));
        let taken = self.total.sessions + self.total.handshakes - own_session - own_handshake;
        let taken_by_source = source.sessions + source.handshakes - own_session - own_handshake;
        if taken >= limits.sessions {
            Some("too many sessions are open")
        } else if taken_by_source >= limits.sessions_per_source {
            Some("too many sessions of its address are open")
        } else if self.total.handshakes - own_handshake >= handshakes {
            Some("too many handshakes are in progress")
        } else if source.handshakes - own_handshake >= limits.handshakes_per_source {
            Some("too many handshakes of its address are in progress")
        } else {
            None
        }
    }

    /// Begins a handshake, in place of another of the same peer.
    pub(super) fn begin(&mut self, ends: Ends, handshake: Handshake) {
        self.end_handshake(&ends);
        let peer = self.by_ends.entry(ends).or_default();
        peer.handshake = Some(Box::new(handshake));
        self.total.handshakes += 1;
        self.by_source.entry(ends.source()).or_default().handshakes += 1;
        self.publish();
    }

    /// Takes out the handshake of a peer.
    pub(super) fn end_handshake(&mut self, ends: &Ends) -> Option<Box<Handshake>> {
        let handshake = self.by_ends.get_mut(ends)?.handshake.take()?;
        self.total.handshakes -= 1;
        if let Some(source) = self.by_source.get_mut(&ends.source()) {
            source.handshakes -= 1;
        }
        self.tidy(ends);
        Some(handshake)
    }

    /// Opens a session, in place of a former one of the same peer.
    pub(super) fn open(&mut self, ends: Ends, session: Session) {
        self.close(&ends);
        self.by_ends.entry(ends).or_default().session = Some(Box::new(session));
        self.total.sessions += 1;
        self.by_source.entry(ends.source()).or_default().sessions += 1;
        self.publish();
    }

    /// Takes out the session of a peer.
    pub(super) fn close(&mut self, ends: &Ends) -> Option<Box<Session>> {
        let session = self.by_ends.get_mut(ends)?.session.take()?;
        self.total.sessions -= 1;
        if let Some(source) = self.by_source.get_mut(&ends.source()) {
            source.sessions -= 1;
        }
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
        let source = ends.source();
        let is_gone = |source: &Source| source.sessions + source.handshakes == 0;
        if self.by_source.get(&source).is_some_and(is_gone) {
            self.by_source.remove(&source);
            shrink(&mut self.by_source);
        }
        self.publish();
    }

    fn publish(&self) {
        self.statistics
            .set_open(self.total.sessions, self.total.handshakes);
    }

    /// Has a peer looked at again when its handshake or its session needs it.
    pub(super) fn schedule(&mut self, ends: Ends, now: Instant, idle: Duration) {
        let Some(peer) = self.by_ends.get_mut(&ends) else {
            return;
        };
        let handshake = peer.handshake.as_ref().map(|handshake| {
            let retransmission = handshake.association.retransmission(now);
            retransmission.map_or(handshake.ends_at, |at| at.min(handshake.ends_at))
        });
        let session = peer.session.as_ref();
        let idle = session.and_then(|session| session.last_heard.checked_add(idle));
        let Some(at) = [handshake, idle].into_iter().flatten().min() else {
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
