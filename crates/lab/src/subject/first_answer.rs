use std::io;
use std::time::{Duration, Instant};

use varbind_codec::pdu::PduType;
use varbind_codec::smi::Oid;

use super::SubjectError;
use crate::measurement::Outcome;
use crate::request::{
    Expectation, FIRST_REQUEST_ID, MessageTemplate, Request, TemplateError, WrongAnswer,
};
use crate::security::{Discovery, Secured, Security, TransportSession, Undiscovered};
use crate::session::{SecureAccess, Session, Target, Wait};

/// The interval of attempts after a refused port.
const PAUSE: Duration = Duration::from_micros(200);
/// sysUpTime.0: every agent has it (RFC 3418).
const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];

/// Asks an agent for sysUpTime.0 until it answers.
pub(crate) struct FirstAnswer {
    security: Security,
    discovery: Option<Discovery>,
    template: MessageTemplate,
    expectation: Expectation,
    /// What was wrong with the last answer, if there was one.
    wrong: Option<WrongAnswer>,
}

impl FirstAnswer {
    /// Gets all ready, so that nothing but the agent takes time later.
    pub(crate) fn new(security: &Security) -> Result<Self, SubjectError> {
        let request = Request::Get {
            names: Oid::new(&SYS_UP_TIME).into_iter().collect(),
        };
        let template = MessageTemplate::of_request(&request, &security.envelope())
            .map_err(SubjectError::Request)?
            .pop()
            .ok_or(SubjectError::Request(TemplateError::NotInV1))?;
        let discovery = match security {
            Security::Community { .. } | Security::Transport => None,
            Security::User(user) => {
                let mut discovery = Discovery::new(user.clone());
                discovery.prepare();
                Some(discovery)
            }
        };
        Ok(Self {
            security: security.clone(),
            discovery,
            template,
            expectation: Expectation::of_request(&request),
            wrong: None,
        })
    }

    /// Asks until there is an answer; `false` if `gives_up`, which is told what was wrong with the last answer, says so
    /// before. `patience` is the wait before asking again.
    pub(super) fn wait(
        &mut self,
        target: Target,
        patience: Duration,
        mut gives_up: impl FnMut(Option<WrongAnswer>) -> bool,
    ) -> bool {
        while !gives_up(self.wrong) {
            if let Ok(true) = self.request(target, None, patience) {
                return true;
            }
            std::thread::sleep(PAUSE);
        }
        false
    }

    /// The same of an agent that runs already.
    ///
    /// # Errors
    /// If nothing listens there.
    pub(super) fn wait_for_running(
        &mut self,
        target: Target,
        patience: Duration,
        mut gives_up: impl FnMut(Option<WrongAnswer>) -> bool,
    ) -> io::Result<bool> {
        while !gives_up(self.wrong) {
            match self.request(target, None, patience) {
                Ok(true) => return Ok(true),
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    return Err(error);
                }
                Ok(false) | Err(_) => std::thread::sleep(PAUSE),
            }
        }
        Ok(false)
    }

    /// What was wrong with the last answer, if there was one.
    pub(super) const fn wrong(&self) -> Option<WrongAnswer> {
        self.wrong
    }

    /// Sends one request; `false` if there was no right answer.
    pub(super) fn request(
        &mut self,
        target: Target,
        access: Option<&SecureAccess>,
        patience: Duration,
    ) -> io::Result<bool> {
        let mut session = Session::open(target, patience, access)?;
        self.request_over(&mut session, patience)
    }

    /// Sends one request over an open session; `false` if there was no right answer.
    pub(crate) fn request_over(
        &mut self,
        session: &mut Session,
        patience: Duration,
    ) -> io::Result<bool> {
        self.requests_over(session, 1, patience)
    }

    /// Sends so many requests over an open session, one after the other; `false` if one of them had no right answer.
    pub(super) fn requests_over(
        &mut self,
        session: &mut Session,
        count: u32,
        patience: Duration,
    ) -> io::Result<bool> {
        let Some(mut secured) = self.secured(session, patience)? else {
            return Ok(false);
        };
        for (request_id, _) in (FIRST_REQUEST_ID..).zip(0..count) {
            if !self.exchange(session, &mut secured, request_id, patience)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Discovers what a session needs to secure its messages; `None` if there was no right answer.
    fn secured(
        &mut self,
        session: &mut Session,
        patience: Duration,
    ) -> io::Result<Option<Secured>> {
        let mut outcome = Outcome::default();
        let (secured, discovered) = match (&self.security, &mut self.discovery) {
            (Security::Transport, _) => {
                let mut engine = TransportSession::new(session.security_level());
                let discovered = engine.probe(session, (patience, 0), &mut outcome);
                (Secured::Transport(Box::new(engine)), discovered.map(|_| ()))
            }
            (_, Some(discovery)) => {
                let mut user = discovery.session();
                let patience = (patience, 0);
                let discovered = discovery.discover(&mut user, session, patience, &mut outcome);
                (Secured::User(Box::new(user)), discovered.map(|_| ()))
            }
            (_, None) => (Secured::Community, Ok(())),
        };
        match discovered {
            Ok(()) => Ok(Some(secured)),
            Err(Undiscovered::Wrong(wrong)) => {
                self.wrong = Some(wrong);
                Ok(None)
            }
            Err(Undiscovered::TimedOut) => Ok(None),
            Err(Undiscovered::Broken) => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }

    fn exchange(
        &mut self,
        session: &mut Session,
        secured: &mut Secured,
        request_id: i32,
        patience: Duration,
    ) -> io::Result<bool> {
        let message = secured
            .outgoing(&mut self.template, request_id)
            .map_err(|error| io::Error::other(error.to_string()))?;
        session.send(message)?;
        let Some(message) = session.receive(Wait::Until(Instant::now() + patience))? else {
            return Ok(false);
        };
        let answer = secured.incoming(message, self.security.version(), PduType::Response);
        match answer.and_then(|answer| self.expectation.check(answer)) {
            Ok(_) => Ok(true),
            Err(wrong) => {
                self.wrong = Some(wrong);
                Ok(false)
            }
        }
    }
}
