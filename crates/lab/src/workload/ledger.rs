use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::request::FIRST_REQUEST_ID;

/// Request-ids that are remembered, so that late and repeated responses are distinguished from wrong ones.
const REMEMBERED: usize = 8192;

/// Every attempt of a session by its request-id: each attempt has an id of its own, one greater than the one before.
#[derive(Debug)]
pub(super) struct Ledger {
    first_id: i32,
    attempts: VecDeque<Attempt>,
    /// Index of the oldest attempt that may still wait: all before are settled.
    oldest: usize,
    waiting: usize,
}

/// One request message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    /// Which operation it belongs to.
    pub(super) operation: u32,
    /// 0 for the first attempt of the operation.
    pub(super) number: u32,
    /// When the operation should have begun.
    pub(super) intended: Instant,
    /// When its first attempt was sent.
    pub(super) begun: Instant,
    /// When this attempt was sent.
    pub(super) sent: Instant,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The latest attempt of its operation.
    Waiting,
    /// A later attempt was sent.
    Superseded,
    /// Its operation ended without it.
    Closed,
    Answered,
}

/// What an answer means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arrival {
    /// It ends the operation of this attempt.
    Ends {
        /// The attempt answered.
        attempt: Attempt,
        /// Whether a later attempt had been sent already.
        is_late: bool,
    },
    /// The operation had ended before.
    Late,
    /// The same attempt was answered before.
    Duplicate,
    /// No attempt had this id.
    Unknown,
}

impl Attempt {
    /// The first attempt of an operation.
    pub(super) const fn first(operation: u32, intended: Instant, now: Instant) -> Self {
        Self {
            operation,
            number: 0,
            intended,
            begun: now,
            sent: now,
            state: State::Waiting,
        }
    }

    /// The attempt that follows this one.
    pub(super) const fn next(self, now: Instant) -> Self {
        Self {
            number: self.number + 1,
            sent: now,
            state: State::Waiting,
            ..self
        }
    }
}

impl Ledger {
    pub(super) const fn new() -> Self {
        Self {
            first_id: FIRST_REQUEST_ID,
            attempts: VecDeque::new(),
            oldest: 0,
            waiting: 0,
        }
    }

    /// Operations that wait for an answer.
    pub(super) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Enters an attempt and returns its request-id.
    pub(super) fn enter(&mut self, attempt: Attempt) -> i32 {
        if self.attempts.len() >= REMEMBERED && self.oldest > 0 {
            self.attempts.pop_front();
            self.first_id = self.first_id.wrapping_add(1).max(FIRST_REQUEST_ID);
            self.oldest -= 1;
        }
        self.waiting += 1;
        self.attempts.push_back(attempt);
        let offset = i32::try_from(self.attempts.len() - 1).unwrap_or_default();
        self.first_id.wrapping_add(offset)
    }

    /// Takes an answer to `request_id`.
    pub(super) fn arrive(&mut self, request_id: i32) -> Arrival {
        let offset = i64::from(request_id) - i64::from(self.first_id);
        let at = usize::try_from(offset).unwrap_or(usize::MAX);
        let Some(attempt) = self.attempts.get_mut(at) else {
            return Arrival::Unknown;
        };
        let was = std::mem::replace(&mut attempt.state, State::Answered);
        let attempt = *attempt;
        match was {
            State::Answered => Arrival::Duplicate,
            State::Closed => Arrival::Late,
            State::Waiting | State::Superseded => {
                let is_late = was == State::Superseded;
                self.waiting -= 1;
                if is_late || attempt.number > 0 {
                    self.close(attempt.operation);
                }
                self.settle();
                Arrival::Ends { attempt, is_late }
            }
        }
    }

    /// The oldest attempt that waits.
    pub(super) fn oldest_waiting(&self) -> Option<Attempt> {
        let attempt = self.attempts.get(self.oldest).copied();
        attempt.filter(|attempt| attempt.state == State::Waiting)
    }

    /// Takes the oldest attempt out of waiting if it was sent `timeout` or longer ago: for another attempt, or given up.
    pub(super) fn expire(
        &mut self,
        now: Instant,
        timeout: Duration,
        retries: u32,
    ) -> Option<Expired> {
        let attempt = self.oldest_waiting()?;
        if now.saturating_duration_since(attempt.sent) < timeout {
            return None;
        }
        self.waiting -= 1;
        let expired = if attempt.number < retries {
            self.set_oldest(State::Superseded);
            Expired::Retry(attempt.next(now))
        } else {
            self.set_oldest(State::Closed);
            self.close(attempt.operation);
            Expired::GivenUp
        };
        self.settle();
        Some(expired)
    }

    fn set_oldest(&mut self, state: State) {
        if let Some(attempt) = self.attempts.get_mut(self.oldest) {
            attempt.state = state;
        }
    }

    /// Closes all unanswered attempts of an operation that has ended.
    fn close(&mut self, operation: u32) {
        for attempt in &mut self.attempts {
            if attempt.operation == operation && attempt.state != State::Answered {
                attempt.state = State::Closed;
            }
        }
    }

    fn settle(&mut self) {
        let waits = |attempt: &Attempt| attempt.state == State::Waiting;
        while self
            .attempts
            .get(self.oldest)
            .is_some_and(|attempt| !waits(attempt))
        {
            self.oldest += 1;
        }
    }
}

/// What becomes of an attempt that was not answered in time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expired {
    /// This attempt is to be sent.
    Retry(Attempt),
    /// There are no attempts left.
    GivenUp,
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(10);

    #[test]
    fn an_answer_to_an_earlier_attempt_ends_the_operation() {
        let mut ledger = Ledger::new();
        let start = Instant::now();
        let first = ledger.enter(Attempt::first(0, start, start));
        assert!(ledger.expire(start, TIMEOUT, 1).is_none());
        let Some(Expired::Retry(retry)) = ledger.expire(start + TIMEOUT, TIMEOUT, 1) else {
            panic!("a retry is due")
        };
        let second = ledger.enter(retry);
        assert_eq!((second, ledger.waiting()), (first + 1, 1));
        let Arrival::Ends { attempt, is_late } = ledger.arrive(first) else {
            panic!("it ends the operation")
        };
        assert!(is_late && attempt.begun == start);
        assert_eq!(ledger.waiting(), 0);
        assert!(matches!(ledger.arrive(second), Arrival::Late));
        assert!(matches!(ledger.arrive(second), Arrival::Duplicate));
        assert!(matches!(ledger.arrive(first), Arrival::Duplicate));
        assert!(matches!(ledger.arrive(second + 1), Arrival::Unknown));
        assert!(matches!(ledger.arrive(-1), Arrival::Unknown));
    }

    #[test]
    fn an_operation_is_given_up_after_its_last_attempt() {
        let mut ledger = Ledger::new();
        let start = Instant::now();
        let id = ledger.enter(Attempt::first(7, start, start));
        let expired = ledger.expire(start + TIMEOUT, TIMEOUT, 0);
        assert!(matches!(expired, Some(Expired::GivenUp)));
        assert!(matches!(ledger.arrive(id), Arrival::Late));
        assert_eq!(ledger.waiting(), 0);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut ledger = Ledger::new();
        let start = Instant::now();
        for operation in 0..50_000 {
            let id = ledger.enter(Attempt::first(operation, start, start));
            assert_eq!(id, FIRST_REQUEST_ID + i32::try_from(operation).unwrap());
            assert!(matches!(ledger.arrive(id), Arrival::Ends { .. }));
        }
        assert!(ledger.attempts.len() <= REMEMBERED);
        assert!(matches!(ledger.arrive(FIRST_REQUEST_ID), Arrival::Unknown));
        assert!(matches!(
            ledger.arrive(FIRST_REQUEST_ID + 49_999),
            Arrival::Duplicate
        ));
    }
}
