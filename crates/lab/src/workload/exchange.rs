use std::io;
use std::time::{Duration, Instant};

use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;

use super::ledger::{Arrival, Attempt, Expired, Ledger};
use super::{Measured, PATIENCE, Workload};
use crate::measurement::Outcome;
use crate::request::{
    Answer, Expectation, MessageTemplate, WalkMessages, WalkProgress, WrongAnswer,
};
use crate::security::{Discovered, Discovery, Secured, Undiscovered};
use crate::session::{Session, Wait};

/// A session with the request-ids used in it.
pub(super) struct Exchanger {
    pub(super) session: Session,
    pub(super) secured: Secured,
    pub(super) ledger: Ledger,
    pub(super) version: Version,
    pub(super) answered_by: PduType,
    pub(super) timeout: Duration,
    pub(super) retries: u32,
    pub(super) outcome: Outcome,
}

/// Why an operation has no result.
#[derive(Debug)]
pub(super) enum Failure {
    /// No answer to any attempt.
    TimedOut,
    /// A wrong answer; it is counted already.
    Wrong,
    /// The session cannot be used further.
    Broken,
}

impl From<io::Error> for Failure {
    fn from(_: io::Error) -> Self {
        Self::Broken
    }
}

impl Exchanger {
    pub(super) fn new(
        session: Session,
        secured: Secured,
        workload: &Workload,
        timeout: Duration,
    ) -> Self {
        let retries = if session.is_reliable() {
            0
        } else {
            workload.retries
        };
        Self {
            session,
            secured,
            ledger: Ledger::new(),
            version: workload.security.version(),
            answered_by: workload.answered_by,
            timeout,
            retries,
            outcome: Outcome::default(),
        }
    }

    /// Adds the counts to those of the repetition, and gives the session back.
    pub(super) fn finish(self, measured: &mut Measured) -> Session {
        measured.outcome.add(&self.outcome);
        self.session
    }

    /// Finds out who the engine is, where that is needed; `None` if it failed.
    pub(super) fn discover(
        &mut self,
        discovery: Option<&mut Discovery>,
    ) -> Option<Option<Discovered>> {
        let patience = (self.timeout, self.retries);
        let (session, outcome) = (&mut self.session, &mut self.outcome);
        let discovered = match (&mut self.secured, discovery) {
            (Secured::Community, _) => return Some(None),
            (Secured::User(user), Some(discovery)) => {
                discovery.discover(user, session, patience, outcome)
            }
            (Secured::User(_), None) => return None,
            (Secured::Transport(engine), _) => engine.probe(session, patience, outcome),
        };
        if let Err(Undiscovered::Wrong(wrong)) = &discovered {
            self.outcome.wrong(*wrong);
        }
        discovered.ok().map(Some)
    }

    /// Sends one request behind the other; `false` if the session broke.
    pub(super) fn closed_loop(
        &mut self,
        templates: &mut [MessageTemplate],
        expectation: &Expectation,
        exchanges: u32,
        measured: &mut Measured,
    ) -> bool {
        let alternatives = templates.len().max(1);
        let mut given_up = 0;
        for operation in 0..exchanges {
            let Some(template) = templates.get_mut(operation as usize % alternatives) else {
                return true;
            };
            let begun = Instant::now();
            let objects = self.exchange(template, operation, begun, |answer| {
                expectation.check(answer)
            });
            let latency = begun.elapsed();
            match objects {
                Ok(objects) => {
                    measured.completed(operation == 0, latency, objects);
                    given_up = 0;
                }
                Err(failure) if !endures(&failure, &mut given_up) => return false,
                Err(_) => {}
            }
        }
        true
    }

    /// Walks again and again; `false` if the session broke.
    pub(super) fn walks(
        &mut self,
        walk: &mut WalkMessages,
        walks: u32,
        measured: &mut Measured,
    ) -> bool {
        let (mut given_up, mut step) = (0, 0);
        for operation in 0..walks {
            let begun = Instant::now();
            let objects = self.walk(walk, &mut step);
            let latency = begun.elapsed();
            match objects {
                Ok(objects) => {
                    measured.completed(operation == 0, latency, objects);
                    given_up = 0;
                }
                Err(failure) if !endures(&failure, &mut given_up) => return false,
                Err(_) => {}
            }
        }
        true
    }

    fn walk(&mut self, walk: &mut WalkMessages, step: &mut u32) -> Result<u64, Failure> {
        let mut total = 0;
        let mut template = walk.first().map_err(|_| Failure::Wrong)?;
        loop {
            let progress = self.exchange(&mut template, *step, Instant::now(), |answer| {
                walk.follow(answer)
            })?;
            *step += 1;
            match progress {
                WalkProgress::End { objects } => return Ok(total + objects),
                WalkProgress::Next { objects, message } => {
                    total += objects;
                    template = message;
                }
            }
        }
    }

    /// Sends a request, again where that is needed, until `read` has its answer.
    fn exchange<T>(
        &mut self,
        template: &mut MessageTemplate,
        operation: u32,
        begun: Instant,
        mut read: impl FnMut(Answer<'_>) -> Result<T, WrongAnswer>,
    ) -> Result<T, Failure> {
        self.send(template, Attempt::first(operation, begun, begun))?;
        let mut wait = Wait::Silence;
        loop {
            let Some(message) = self.session.receive(wait)? else {
                match self
                    .ledger
                    .expire(Instant::now(), self.timeout, self.retries)
                {
                    Some(Expired::Retry(attempt)) => {
                        self.send(template, attempt)?;
                        wait = Wait::Silence;
                    }
                    Some(Expired::GivenUp) => {
                        self.outcome.timeouts += 1;
                        return Err(Failure::TimedOut);
                    }
                    // The kernel's clock woke us early.
                    None => wait = self.until_timeout(),
                }
                continue;
            };
            let read_message = self
                .secured
                .incoming(message, self.version, self.answered_by);
            let Ok(answer) = read_message else {
                self.outcome.wrong_answers += 1;
                wait = self.until_timeout();
                continue;
            };
            match self.ledger.arrive(answer.id) {
                Arrival::Ends { is_late, .. } => {
                    let result = read(answer);
                    self.outcome.late_answers += u64::from(is_late);
                    return result.map_err(|wrong| self.outcome.wrong(wrong));
                }
                other => self.outcome.stray(other),
            }
            wait = self.until_timeout();
        }
    }

    pub(super) fn send(
        &mut self,
        template: &mut MessageTemplate,
        attempt: Attempt,
    ) -> io::Result<()> {
        let request_id = self.ledger.enter(attempt);
        self.outcome.requests += 1;
        self.outcome.retries += u64::from(attempt.number > 0);
        let message = self
            .secured
            .outgoing(template, request_id)
            .map_err(|error| io::Error::other(error.to_string()))?;
        self.session.send(message)
    }

    pub(super) fn until_timeout(&self) -> Wait {
        self.ledger
            .oldest_waiting()
            .map_or(Wait::Silence, |attempt| {
                Wait::Until(attempt.sent + self.timeout)
            })
    }
}

impl Outcome {
    /// Counts a wrong answer.
    pub(super) fn wrong(&mut self, wrong: WrongAnswer) -> Failure {
        match wrong {
            WrongAnswer::Error(_) => self.errors += 1,
            _ => self.wrong_answers += 1,
        }
        Failure::Wrong
    }

    /// Counts an unexpected response.
    pub(super) const fn stray(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Late => self.late_answers += 1,
            Arrival::Duplicate => self.duplicate_answers += 1,
            Arrival::Unknown | Arrival::Ends { .. } => self.wrong_answers += 1,
        }
    }
}

/// Whether the session continues after a failure.
fn endures(failure: &Failure, given_up: &mut u32) -> bool {
    match failure {
        Failure::TimedOut => {
            *given_up += 1;
            *given_up < PATIENCE
        }
        Failure::Wrong => true,
        Failure::Broken => false,
    }
}
