use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What happened at a DTLS socket.
#[derive(Debug, Default)]
pub struct DtlsStatistics {
    sessions: AtomicUsize,
    handshakes: AtomicUsize,
    counters: [AtomicU64; Counted::ALL],
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Counted {
    /// HelloVerifyRequests sent, of which nothing is kept.
    CookieRequests,
    /// Handshakes begun, after a cookie.
    HandshakesBegun,
    /// Handshakes that failed or took too long.
    HandshakesFailed,
    /// Handshakes that were refused for lack of a place.
    HandshakesRefused,
    /// Sessions opened.
    SessionsOpened,
    /// Resumed sessions among them.
    SessionsResumed,
    /// Sessions closed by the peer or for its silence.
    SessionsClosed,
    /// Datagrams that were no records, or of no session.
    DatagramsDiscarded,
    /// Messages that found no place because too many answers of their session were to come.
    MessagesDropped,
}

impl Counted {
    const ALL: usize = 9;
}

impl DtlsStatistics {
    pub(super) fn count(&self, what: Counted) {
        if let Some(counter) = self.counters.get(what as usize) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn set_open(&self, sessions: usize, handshakes: usize) {
        self.sessions.store(sessions, Ordering::Relaxed);
        self.handshakes.store(handshakes, Ordering::Relaxed);
    }

    /// How often something happened.
    #[must_use]
    pub fn counted(&self, what: Counted) -> u64 {
        self.counters
            .get(what as usize)
            .map_or(0, |counter| counter.load(Ordering::Relaxed))
    }

    /// Sessions that are open.
    #[must_use]
    pub fn open_sessions(&self) -> usize {
        self.sessions.load(Ordering::Relaxed)
    }

    /// Handshakes in progress.
    #[must_use]
    pub fn open_handshakes(&self) -> usize {
        self.handshakes.load(Ordering::Relaxed)
    }
}
