//! Runs over TCP as most managers use it: a connection, and nothing set but TCP_NODELAY.

use std::io;
use std::time::{Duration, Instant};

use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;

use super::course::Course;
use super::{LinkTask, Method, Retrieval};
use crate::request::{
    Envelope, Expectation, FIRST_REQUEST_ID, MessageTemplate, Request, read_answer,
};
use crate::session::{Session, Target, Wait};
use crate::study::names::{SYS_CONTACT, oid};
use crate::subject::READ_COMMUNITY;

/// Runs a task; one for a table has no answer here.
pub(super) fn run(task: &LinkTask, target: Target) -> Course {
    let mut course = Course::begin(task.requests, task.limit());
    let request = Request::Get {
        names: match task.retrieval {
            Retrieval::Instance => vec![oid(SYS_CONTACT)],
            Retrieval::Instances { count, .. } => vec![oid(SYS_CONTACT); count.into()],
            Retrieval::Table => Vec::new(),
        },
    };
    let envelope = Envelope::Community {
        version: Version::V2c,
        community: READ_COMMUNITY.into(),
    };
    let template = MessageTemplate::of_request(&request, &envelope).map(|mut all| all.pop());
    let Ok(Some(template)) = template else {
        course.trouble = Some("the request cannot be encoded".to_owned());
        return course.end();
    };
    let mut client = Client {
        target,
        give_up: task.give_up(),
        patience: match task.method {
            Method::TcpRestarted(milliseconds) => Some(Duration::from_millis(milliseconds.into())),
            _ => None,
        },
        session: None,
        template,
        expectation: Expectation::of_request(&request),
        next_id: FIRST_REQUEST_ID,
        attempts: 0,
    };
    while course.goes_on() {
        match client.get(Instant::now() + task.give_up().min(course.left())) {
            Ok(objects) => course.note_answer(objects),
            Err(error) => course.note_failure(error.to_string()),
        }
    }
    course.attempts = client.attempts;
    course.end()
}

struct Client {
    target: Target,
    give_up: Duration,
    /// How long a connection may be silent before it is replaced.
    patience: Option<Duration>,
    session: Option<Session>,
    template: MessageTemplate,
    expectation: Expectation,
    next_id: i32,
    attempts: u64,
}

impl Client {
    /// Sends the Get until the deadline, in several connections if need be. The number of objects in the answer.
    fn get(&mut self, deadline: Instant) -> io::Result<u64> {
        loop {
            let until = self
                .patience
                .map_or(deadline, |patience| deadline.min(Instant::now() + patience));
            match self.get_once(until) {
                Ok(Some(objects)) => return Ok(objects),
                Ok(None) if until < deadline => self.session = None,
                Ok(None) => {
                    self.session = None;
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(error) => {
                    self.session = None;
                    // A connection that broke is replaced; one that is refused at once is not asked for all the time.
                    if Instant::now() >= deadline {
                        return Err(error);
                    }
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }

    /// Sends the Get in one connection; `None` if nothing comes in time.
    fn get_once(&mut self, until: Instant) -> io::Result<Option<u64>> {
        let left = until.saturating_duration_since(Instant::now());
        let session = match &mut self.session {
            Some(session) => session,
            None => {
                let silence = self.give_up.min(left).max(PAUSE);
                match Session::open(self.target, silence, None) {
                    Ok(session) => self.session.insert(session),
                    Err(error) if error.kind() == io::ErrorKind::TimedOut => return Ok(None),
                    Err(error) => return Err(error),
                }
            }
        };
        let id = self.next_id;
        self.next_id = id.wrapping_add(1).max(FIRST_REQUEST_ID);
        self.attempts += 1;
        session.send(self.template.with_request_id(id))?;
        loop {
            let Some(message) = session.receive(Wait::Until(until))? else {
                return Ok(None);
            };
            let told = |error| io::Error::other(format!("{error:?}"));
            let answer = read_answer(message, Version::V2c, PduType::Response).map_err(told)?;
            if answer.id == id {
                let objects = self.expectation.check(answer);
                return objects.map(Some).map_err(told);
            }
        }
    }
}

/// Between two connections that were refused.
const PAUSE: Duration = Duration::from_millis(10);
