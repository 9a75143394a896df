//! How requests follow each other over sessions, and what that took.

mod delivery;
mod exchange;
mod ledger;
mod measured;
mod memory;
mod notifications;
mod packets;
mod pipeline;
mod wire;

pub use measured::Measured;
pub(crate) use memory::memory_of_sessions;
#[cfg(test)]
pub(crate) use memory::open_session_steps;
pub(crate) use notifications::{NotificationSession, NotificationWay, Sending};
pub(crate) use wire::{FURTHER, LATE};

use std::time::{Duration, Instant};

use varbind_codec::pdu::PduType;

use crate::measurement::Mode;
use crate::request::{Expectation, MessageTemplate, Request, TemplateError, WalkMessages};
use crate::security::{Discovery, Secured, Security, TransportSession};
use crate::session::{SecureAccess, Session, Target};
use exchange::Exchanger;
use pipeline::Schedule;

/// Operations given up one behind the other after which a session counts as broken.
const PATIENCE: u32 = 3;
/// Steps of a walk that warms up.
const STEPS_OF_WARM_UP: u32 = 100;

/// The work of one repetition of a configuration.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Where the agent listens.
    pub target: Target,
    /// What a secure transport needs. Over UDP and TCP, sessions with it are the library's.
    pub access: Option<SecureAccess>,
    /// Who asks, and how that is shown.
    pub security: Security,
    /// Whether in SNMPv3 each session turns the passwords into keys, and its time counts.
    pub derives_per_session: bool,
    /// What is asked.
    pub request: Request,
    /// Sessions, one behind the other.
    pub sessions: u32,
    /// Operations in each.
    pub exchanges: u32,
    /// How requests follow each other; a walk is always a closed loop.
    pub mode: Mode,
    /// Time-out of each attempt.
    pub timeout: Duration,
    /// The PDU that answers: a Response, or from the bare echo the request itself.
    pub answered_by: PduType,
    /// Attempts after the first, over UDP; over TCP the first attempt waits as long as all of them would.
    pub retries: u32,
    /// Time between a session and the next, which counts nowhere.
    pub pause: Duration,
}

/// The messages of a request.
enum Messages {
    Templates {
        templates: Vec<MessageTemplate>,
        expectation: Expectation,
    },
    Walk(WalkMessages),
}

impl Workload {
    /// Does the work once.
    ///
    /// Failures of the agent and of the network are results: they are in [`Measured::outcome`].
    ///
    /// # Errors
    /// If the request cannot be made a message.
    pub fn run(&self) -> Result<Measured, TemplateError> {
        Ok(self.run_with(self.messages()?))
    }

    fn run_with(&self, mut messages: Messages) -> Measured {
        let mut discovery = self.discovery();
        let mut measured = Measured::default();
        let mut broken_in_row = 0;
        for at in 0..self.sessions {
            if at > 0 && !self.pause.is_zero() {
                std::thread::sleep(self.pause);
            }
            let before = measured.outcome.broken_sessions;
            self.session(&mut messages, discovery.as_mut(), &mut measured);
            if measured.outcome.broken_sessions == before {
                broken_in_row = 0;
            } else {
                broken_in_row += 1;
            }
            if broken_in_row >= PATIENCE {
                break;
            }
        }
        measured
    }

    /// A short session that is not measured, with so many exchanges, or the beginnings of so many walks, at most: caches fill, tables are read for the first time, and a
    /// session that is to be resumed has one to resume.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn warm_up(&self, exchanges: u32) -> Result<(), TemplateError> {
        let workload = Self {
            sessions: 1,
            exchanges: self.exchanges.min(exchanges),
            ..self.clone()
        };
        let messages = match workload.messages()? {
            Messages::Walk(walk) => Messages::Walk(walk.of_at_most(STEPS_OF_WARM_UP)),
            all @ Messages::Templates { .. } => all,
        };
        workload.run_with(messages);
        Ok(())
    }

    fn discovery(&self) -> Option<Discovery> {
        match &self.security {
            Security::Community { .. } | Security::Transport => None,
            Security::User(user) => Some(Discovery::new(user.clone())),
        }
    }

    fn messages(&self) -> Result<Messages, TemplateError> {
        let templates = MessageTemplate::of_request(&self.request, &self.security.envelope())?;
        Ok(match &self.request {
            Request::Walk { root, step } => {
                let mut walk = WalkMessages::new(root, *step, self.security.envelope());
                walk.first()?;
                Messages::Walk(walk)
            }
            _ => Messages::Templates {
                templates,
                expectation: Expectation::of_request(&self.request),
            },
        })
    }

    fn session(
        &self,
        messages: &mut Messages,
        discovery: Option<&mut Discovery>,
        measured: &mut Measured,
    ) {
        let patience = self.timeout * (self.retries + 1);
        let silence = if self.target.transport.is_reliable() {
            patience
        } else {
            self.timeout
        };
        let secured = self.secured(discovery.as_deref());
        let session = match Session::open(self.target, silence, self.access.as_ref()) {
            Ok(session) => session,
            Err(error) => {
                measured.outcome.broken_sessions += 1;
                measured.refusal.get_or_insert(error.to_string());
                return;
            }
        };
        let opening = session.opening();
        measured.opened(&opening);

        let mut exchanger = Exchanger::new(session, secured, self, silence);
        let discovered = self.discover(discovery, &mut exchanger, measured);
        let beginning = Instant::now();
        let alive = discovered.is_some() && self.drive(&mut exchanger, messages, measured);
        let in_session = beginning.elapsed();
        if !alive {
            measured.outcome.broken_sessions += 1;
        }
        let session = exchanger.finish(measured);
        measured.traffic.add(&session.traffic());

        let closing = Instant::now();
        session.close();
        let close = closing.elapsed();
        measured.close.record(close);
        measured.in_session += in_session;
        measured.total += opening.total + discovered.unwrap_or_default() + in_session + close;
    }

    /// How the messages of a session are secured.
    fn secured(&self, discovery: Option<&Discovery>) -> Secured {
        match (&self.security, discovery) {
            (Security::Transport, _) => {
                let level = self.target.transport.security_level();
                Secured::Transport(Box::new(TransportSession::new(level)))
            }
            (_, Some(discovery)) => Secured::User(Box::new(discovery.session())),
            (_, None) => Secured::Community,
        }
    }

    /// Finds out who the engine is; the time that counts, or `None` if that failed.
    fn discover(
        &self,
        mut discovery: Option<&mut Discovery>,
        exchanger: &mut Exchanger,
        measured: &mut Measured,
    ) -> Option<Duration> {
        if self.derives_per_session
            && let Some(discovery) = discovery.as_mut()
        {
            discovery.forget();
        }
        let Some(discovered) = exchanger.discover(discovery)? else {
            return Some(Duration::ZERO);
        };
        measured.discovery.record(discovered.discovery);
        let derivation = discovered.key_derivation;
        if let Some(derivation) = derivation {
            measured.key_derivation.record(derivation);
        }
        let counted = derivation.filter(|_| self.derives_per_session);
        Some(discovered.discovery + counted.unwrap_or_default())
    }

    /// Does all operations of a session; `false` if it broke.
    fn drive(
        &self,
        exchanger: &mut Exchanger,
        messages: &mut Messages,
        measured: &mut Measured,
    ) -> bool {
        let (templates, expectation) = match messages {
            Messages::Walk(walk) => return exchanger.walks(walk, self.exchanges, measured),
            Messages::Templates {
                templates,
                expectation,
            } => (templates, expectation),
        };
        let schedule = match self.mode {
            Mode::Closed => {
                return exchanger.closed_loop(templates, expectation, self.exchanges, measured);
            }
            Mode::Window { size } => Schedule::Window(size),
            Mode::Burst { size } => Schedule::Burst(size),
            Mode::Open { rate } => Schedule::rate(rate),
        };
        exchanger.pipeline(templates, expectation, self.exchanges, schedule, measured)
    }
}
