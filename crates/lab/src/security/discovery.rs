use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

use varbind_codec::message::SecurityLevel;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::{Credentials, EngineTime, UserSecurity, UsmError};

use super::User;
use super::message::{EngineSession, Probe, report_of};
use crate::measurement::Outcome;
use crate::request::WrongAnswer;
use crate::session::{Session, Wait};

/// The msgID of the first message that asks for the engine; those of requests are greater.
const FIRST_ID: i32 = 0x2000_0000;

/// Finds out who an engine is, and makes the user's keys for it.
#[derive(Debug)]
pub(crate) struct Discovery {
    user: User,
    masters: Option<Credentials>,
    keys: HashMap<EngineId, UserSecurity>,
    next_id: i32,
}

/// What it took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Discovered {
    /// Until the engine ID and the time were known.
    pub(crate) discovery: Duration,
    /// From passwords to keys, if there are any and they were not known.
    pub(crate) key_derivation: Option<Duration>,
}

/// Why an engine is not discovered.
#[derive(Debug)]
pub(crate) enum Undiscovered {
    /// No answer to any attempt.
    TimedOut,
    /// A response without information.
    Wrong(WrongAnswer),
    /// The session is broken.
    Broken,
}

impl From<io::Error> for Undiscovered {
    fn from(_: io::Error) -> Self {
        Self::Broken
    }
}

impl Discovery {
    pub(crate) fn new(user: User) -> Self {
        Self {
            user,
            masters: None,
            keys: HashMap::new(),
            next_id: FIRST_ID,
        }
    }

    /// Turns the passwords into keys now, so that it need not be done later.
    pub(crate) fn prepare(&mut self) {
        self.masters = Some(self.user.derive_keys());
    }

    /// Forgets all keys.
    pub(crate) fn forget(&mut self) {
        self.masters = None;
        self.keys.clear();
    }

    /// A session of the user, with no engine yet.
    pub(crate) fn session(&self) -> EngineSession {
        EngineSession::of_user(&self.user)
    }

    /// Asks an engine who it is and what time it has (RFC 3414 section 4).
    ///
    /// One message does where the Report tells the time, as nearly every engine's does; the first answer vouches for it.
    pub(crate) fn discover(
        &mut self,
        user: &mut EngineSession,
        session: &mut Session,
        patience: (Duration, u32),
        outcome: &mut Outcome,
    ) -> Result<Discovered, Undiscovered> {
        let begun = Instant::now();
        let (id, time) = self.request_report(Probe::Discovery, user, session, patience, outcome)?;
        let mut discovery = begun.elapsed();

        let begun = Instant::now();
        let is_known = self.keys.contains_key(&id);
        let keys = self.keys(id).ok_or(Undiscovered::Broken)?;
        let derivation = begun.elapsed();
        user.adopt(id, keys, time);
        let is_timeless = time == EngineTime { boots: 0, time: 0 };
        if user.is_authenticated() && is_timeless {
            let begun = Instant::now();
            // The session takes the time from the Report.
            self.request_report(Probe::Synchronization, user, session, patience, outcome)?;
            discovery += begun.elapsed();
        }
        Ok(Discovered {
            discovery,
            key_derivation: (user.is_authenticated() && !is_known).then_some(derivation),
        })
    }

    fn keys(&mut self, id: EngineId) -> Option<UserSecurity> {
        if let Some(keys) = self.keys.get(&id) {
            return Some(keys.clone());
        }
        let user = &self.user;
        let masters = self.masters.get_or_insert_with(|| user.derive_keys());
        let keys = masters.localize(&id).ok()?;
        self.keys.insert(id, keys.clone());
        Some(keys)
    }

    /// Sends a message that is answered by a Report, again where that is needed.
    fn request_report(
        &mut self,
        what: Probe,
        user: &mut EngineSession,
        session: &mut Session,
        (timeout, retries): (Duration, u32),
        outcome: &mut Outcome,
    ) -> Result<(EngineId, EngineTime), Undiscovered> {
        let expected = match what {
            Probe::Synchronization => UsmError::NotInTimeWindow,
            Probe::Discovery => UsmError::UnknownEngineId,
        };
        for attempt in 0..=retries {
            let msg_id = self.next_id;
            self.next_id = self.next_id.wrapping_add(1).max(FIRST_ID);
            let message = user.probe(what, msg_id).map_err(|_| Undiscovered::Broken)?;
            outcome.requests += 1;
            outcome.retries += u64::from(attempt > 0);
            session.send(message)?;
            let deadline = Instant::now() + timeout;
            let mut wait = Wait::Silence;
            while let Some(message) = session.receive(wait)? {
                wait = Wait::Until(deadline);
                let Ok((origin, answer)) = user.open(message) else {
                    outcome.wrong_answers += 1;
                    continue;
                };
                if answer.id != msg_id {
                    // To an earlier attempt, or to a request before this session.
                    outcome.late_answers += 1;
                    continue;
                }
                let found = report_of(&answer.pdu);
                let is_vouched_for =
                    what == Probe::Discovery || origin.level > SecurityLevel::NoAuthNoPriv;
                match origin.engine_id {
                    Some(id) if found == Some(expected) && is_vouched_for => {
                        return Ok((id, origin.time));
                    }
                    _ => return Err(Undiscovered::Wrong(WrongAnswer::Report(found))),
                }
            }
        }
        outcome.timeouts += 1;
        Err(Undiscovered::TimedOut)
    }
}
