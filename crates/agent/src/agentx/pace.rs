//! How a session keeps up with what it is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// How many requests may wait for a session that did not answer the last one: those of others go on.
const MOST_WAITING: usize = 4;
/// After so many answers in a row that did not come in time a session is ended (RFC 2741 section 7.2.5.1).
const MOST_OVERDUE: u32 = 3;
/// After so many GetBulk-PDUs in a row that it refused a session is asked by GetNext.
const MOST_BULK_REFUSALS: u32 = 3;

/// What is known of a session.
#[derive(Debug, Default)]
pub(super) struct Pace {
    waiting: AtomicUsize,
    /// Answers in a row that did not come in time.
    overdue: AtomicU32,
    /// GetBulk-PDUs in a row that it answered with an error, or without variables.
    bulk_refusals: AtomicU32,
}

impl Pace {
    /// A place among those that wait for an answer; `None` if there are too many for a session that is slow.
    pub(super) fn enter(self: &Arc<Self>) -> Option<Place> {
        let place = Place(Arc::clone(self));
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let is_slow = self.overdue.load(Ordering::Relaxed) > 0;
        (before < MOST_WAITING || !is_slow).then_some(place)
    }

    pub(super) fn note_answer(&self) {
        self.overdue.store(0, Ordering::Relaxed);
    }

    pub(super) fn note_timeout(&self) {
        self.overdue.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether nothing more is expected of the session.
    pub(super) fn is_given_up(&self) -> bool {
        self.overdue.load(Ordering::Relaxed) >= MOST_OVERDUE
    }

    pub(super) fn note_bulk(&self, is_refused: bool) {
        if is_refused {
            self.bulk_refusals.fetch_add(1, Ordering::Relaxed);
        } else {
            self.bulk_refusals.store(0, Ordering::Relaxed);
        }
    }

    /// Whether the session is asked by GetBulk. Some libraries know GetNext alone.
    pub(super) fn takes_bulk(&self) -> bool {
        self.bulk_refusals.load(Ordering::Relaxed) < MOST_BULK_REFUSALS
    }
}

/// A place among the requests that wait for a session.
#[derive(Debug)]
pub(super) struct Place(Arc<Pace>);

impl Place {
    pub(super) fn pace(&self) -> &Pace {
        &self.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_requests_wait_for_a_session_that_is_slow() {
        let pace = Arc::<Pace>::default();
        let many: Vec<_> = (0..20).map(|_| pace.enter()).collect();
        assert!(many.iter().all(Option::is_some));
        pace.note_timeout();
        assert!(pace.enter().is_none());
        drop(many);
        let few: Vec<_> = (0..6).map(|_| pace.enter()).collect();
        assert_eq!(few.iter().flatten().count(), MOST_WAITING);
        pace.note_answer();
        assert!(pace.enter().is_some());
    }

    #[test]
    fn rfc2741_7_2_5_1_three_timeouts_in_a_row_end_a_session() {
        let pace = Pace::default();
        for _ in 0..2 {
            pace.note_timeout();
            pace.note_timeout();
            assert!(!pace.is_given_up());
            pace.note_answer();
        }
        for _ in 0..3 {
            pace.note_timeout();
        }
        assert!(pace.is_given_up());
    }
}
