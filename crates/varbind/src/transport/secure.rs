//! What the secure transports share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A number for a session that no other session of the process has (tmSessionID, RFC 5590 section 5.2.4).
pub(crate) fn next_session_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A counter of a transport model.
#[derive(Debug, Default)]
pub struct TransportCounter(AtomicU64);

impl TransportCounter {
    /// Adds one.
    pub fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Observations while sessions are opened, successful or not, for tools that examine a peer.
///
/// `T` is what the transport can tell: `transport::certificate::TlsFacts` or `transport::ssh::SshFacts`.
#[derive(Debug, Default)]
pub struct Observation<T>(Mutex<T>);

impl<T: Default> Observation<T> {
    /// What was found out since this was called last.
    #[must_use]
    pub fn take(&self) -> T {
        std::mem::take(&mut self.facts())
    }

    /// Records an observation, if there is an observer.
    pub(crate) fn note(observation: Option<&Self>, note: impl FnOnce(&mut T)) {
        if let Some(observation) = observation {
            note(&mut observation.facts());
        }
    }

    fn facts(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
