//! Asks subagents for variables (RFC 2741 section 7.2): all that one request wants of a session by one PDU, and all sessions at
//! once.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use varbind_codec::agentx::{AgentxPdu, Packet, ResponseError, SearchRange};
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::instrumentation::{Expected, ReadError};

use super::connection::NoAnswer;
use super::context::Context;
use super::fetched::{Fetched, Found};
use super::regions::{Piece, Registration, SessionId};
use super::sessions::Asked;

/// How many instances a subagent is asked for at once, one behind the other.
const MOST_REPETITIONS: u16 = 100;
/// And in all: their answer is to fit the largest PDU.
const MOST_INSTANCES: usize = 1000;

/// Asks subagents, and keeps their answers until the request comes to them.
pub(super) struct Fetching {
    context: Context,
    fetched: Mutex<Fetched>,
}

/// The objects that one request fetches from a session.
struct Batch<T> {
    timeout: Duration,
    wanted: Vec<T>,
}

/// A search in a piece, and for how many instances.
type Search = (Piece, u16);

/// What is wrong with an answer: the session as a whole did not answer, or it told an error and where.
enum NotFetched {
    NoAnswer,
    /// The place of what it is about, counted from 1.
    Error(usize),
}

impl Fetching {
    pub(super) fn new(context: Context) -> Self {
        Self {
            context,
            fetched: Mutex::default(),
        }
    }

    /// Fetches what a request is about to read.
    pub(super) fn expect(&self, transaction: u32, expected: &[Expected]) {
        let (mut instances, mut searches) = (Vec::new(), Vec::new());
        for one in expected {
            match one {
                Expected::Instance(name) => {
                    let found = self.context.find(name.arcs());
                    instances.extend(found.map(|registration| (registration, name.clone())));
                }
                Expected::Next {
                    start,
                    is_included,
                    end,
                    repetitions,
                } => {
                    let end = end.as_ref().map(Oid::arcs);
                    let piece = self.context.next(start.arcs(), *is_included, end);
                    searches.extend(piece.map(|piece| (piece, *repetitions)));
                }
            }
        }
        self.fetch_instances(transaction, instances);
        self.fetch_successors(transaction, searches);
    }

    /// The value of an instance, if it was fetched.
    pub(super) fn known(&self, transaction: u32, name: &Oid) -> Option<Result<Value, ReadError>> {
        self.fetched().take_instance(transaction, name)
    }

    /// Fetches the value of an instance.
    pub(super) fn read(
        &self,
        transaction: u32,
        registration: &Registration,
        name: &Oid,
    ) -> Result<Value, ReadError> {
        self.fetch_instances(transaction, vec![(*registration, name.clone())]);
        let known = self.known(transaction, name);
        known.unwrap_or(Err(ReadError::Failed))
    }

    /// The first instance in a piece.
    pub(super) fn read_next(&self, transaction: u32, piece: &Piece, repetitions: u16) -> Found {
        if let Some(known) = self.fetched().take_successor(transaction, piece) {
            return known;
        }
        self.fetch_successors(transaction, vec![(piece.clone(), repetitions)]);
        let known = self.fetched().take_successor(transaction, piece);
        known.unwrap_or(Found::Nothing)
    }

    fn fetch_instances(&self, transaction: u32, wanted: Vec<(Registration, Oid)>) {
        let batches = self.batches(wanted, |(registration, _)| registration);
        let asked = self.start_all(transaction, batches, |wanted| {
            AgentxPdu::Get(ranges(wanted))
        });
        for (_, asked, names) in asked {
            let count = names.len();
            let answer = self.finish(asked).and_then(|answer| match answer.len() {
                length if length == count => Ok(answer),
                _ => Err(NotFetched::Error(0)),
            });
            let mut fetched = self.fetched();
            match answer {
                Ok(answer) => {
                    for ((_, name), found) in names.into_iter().zip(answer) {
                        let value = value(&name, found);
                        fetched.keep_instance(transaction, name, value);
                    }
                }
                // What the error is not about is asked for alone, if the request comes to it.
                Err(error) => {
                    for (_, name) in error.concerned(names) {
                        fetched.keep_instance(transaction, name, Err(ReadError::Failed));
                    }
                }
            }
        }
    }

    fn fetch_successors(&self, transaction: u32, mut wanted: Vec<Search>) {
        // RFC 2741 6.2.7: the non-repeaters come first.
        wanted.sort_by_key(|(_, repetitions)| *repetitions > 1);
        let (mut by_bulk, mut by_next) = (Vec::new(), Vec::new());
        for (session, batch) in self.batches(wanted, |(piece, _)| &piece.registration) {
            let is_bulk = batch.wanted.iter().any(|(_, repetitions)| *repetitions > 1);
            let takes_bulk = || {
                self.context
                    .pace(session)
                    .is_some_and(|pace| pace.takes_bulk())
            };
            match is_bulk && takes_bulk() {
                true => by_bulk.push((session, batch)),
                false => by_next.push((session, batch)),
            }
        }
        let by_bulk = self.start_all(transaction, by_bulk, get_bulk);
        let by_next = self.start_all(transaction, by_next, |wanted| {
            AgentxPdu::GetNext(ranges(wanted))
        });
        let mut refused = Vec::new();
        for (session, asked, wanted) in by_bulk {
            let answer = self.finish(asked);
            // Some libraries answer what they do not know without variables.
            let is_refused = match &answer {
                Ok(answer) => answer.is_empty(),
                Err(NotFetched::Error(_)) => true,
                Err(NotFetched::NoAnswer) => false,
            };
            if let Some(pace) = self.context.pace(session)
                && !matches!(answer, Err(NotFetched::NoAnswer))
            {
                pace.note_bulk(is_refused);
            }
            if is_refused {
                refused.extend(wanted);
            } else {
                self.keep_columns(transaction, wanted, answer);
            }
        }
        let again = self.batches(refused, |(piece, _)| &piece.registration);
        let again = self.start_all(transaction, again, |wanted| {
            AgentxPdu::GetNext(ranges(wanted))
        });
        for (_, asked, wanted) in by_next.into_iter().chain(again) {
            let answer = self.finish(asked);
            self.keep_columns(transaction, wanted, answer);
        }
    }

    /// Sorts what is wanted by the sessions that have it. Absent ones have nothing.
    fn batches<T>(
        &self,
        wanted: Vec<T>,
        registration: impl Fn(&T) -> &Registration,
    ) -> Vec<(SessionId, Batch<T>)> {
        let mut batches = BTreeMap::<_, Batch<T>>::new();
        for one in wanted {
            let registration = registration(&one);
            if registration.is_absent() {
                continue;
            }
            let timeout = self.context.timeout(registration);
            let batch = batches.entry(registration.session).or_insert(Batch {
                timeout,
                wanted: Vec::new(),
            });
            batch.timeout = batch.timeout.max(timeout);
            batch.wanted.push(one);
        }
        batches.into_iter().collect()
    }

    /// Asks all sessions before any answer is waited for.
    fn start_all<T>(
        &self,
        transaction: u32,
        batches: Vec<(SessionId, Batch<T>)>,
        pdu: impl Fn(&[T]) -> AgentxPdu,
    ) -> Vec<(SessionId, Result<Asked, NoAnswer>, Vec<T>)> {
        let ask = |(session, Batch { timeout, wanted })| {
            let pdu = pdu(&wanted);
            let asked = self.context.start(session, timeout, transaction, pdu);
            (session, asked, wanted)
        };
        batches.into_iter().map(ask).collect()
    }

    fn finish(&self, asked: Result<Asked, NoAnswer>) -> Result<Vec<VarBind>, NotFetched> {
        let answer = asked.and_then(|asked| self.context.finish(asked));
        match answer.map(|packet: Packet| packet.pdu) {
            Ok(AgentxPdu::Response {
                error: ResponseError::NO_ERROR,
                var_binds,
                ..
            }) => Ok(var_binds),
            Ok(AgentxPdu::Response { error, index, .. }) => {
                log::debug!("a subagent answers with the error {}", error.0);
                Err(NotFetched::Error(index.into()))
            }
            Ok(_) | Err(NoAnswer::Busy | NoAnswer::TimedOut | NoAnswer::Lost) => {
                Err(NotFetched::NoAnswer)
            }
        }
    }

    /// Keeps what was found in the pieces: once in those that come first, and then again and again in the others.
    fn keep_columns(
        &self,
        transaction: u32,
        wanted: Vec<Search>,
        answer: Result<Vec<VarBind>, NotFetched>,
    ) {
        let mut fetched = self.fetched();
        let answer = match answer {
            Ok(answer) => answer,
            // What cannot be had costs its own rows: the search goes on behind them.
            Err(error) => {
                for (piece, _) in error.concerned(wanted) {
                    fetched.keep_failure(transaction, &piece);
                }
                return;
            }
        };
        let non_repeaters = non_repeaters(&wanted);
        let repeaters = wanted.len() - non_repeaters;
        let mut columns: Vec<Vec<VarBind>> = wanted.iter().map(|_| Vec::new()).collect();
        for (at, found) in answer.into_iter().enumerate() {
            let column = match at.checked_sub(non_repeaters) {
                Some(at) if repeaters > 0 => non_repeaters + at % repeaters,
                _ => at,
            };
            if let Some(column) = columns.get_mut(column) {
                column.push(found);
            }
        }
        for ((piece, _), column) in wanted.iter().zip(columns) {
            if let Err(name) = fetched.keep_column(transaction, piece, column) {
                let session = piece.registration.session;
                log::warn!("session {session} of a subagent answers backwards, with {name}");
            }
        }
    }

    fn fetched(&self) -> MutexGuard<'_, Fetched> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NotFetched {
    /// What is not to be had because of it.
    fn concerned<T>(self, mut wanted: Vec<T>) -> Vec<T> {
        match self {
            Self::Error(place) if (1..=wanted.len()).contains(&place) => {
                vec![wanted.swap_remove(place - 1)]
            }
            Self::Error(_) | Self::NoAnswer => wanted,
        }
    }
}

/// What a subagent is to be asked for.
trait Wanted {
    fn range(&self) -> SearchRange;
}

impl Wanted for (Registration, Oid) {
    fn range(&self) -> SearchRange {
        SearchRange {
            start: self.1.clone(),
            is_included: true,
            end: None,
        }
    }
}

impl Wanted for Search {
    fn range(&self) -> SearchRange {
        let (piece, _) = self;
        SearchRange {
            start: piece.start.clone(),
            is_included: piece.is_included,
            end: piece.end.clone(),
        }
    }
}

fn ranges(wanted: &[impl Wanted]) -> Vec<SearchRange> {
    wanted.iter().map(Wanted::range).collect()
}

fn non_repeaters(wanted: &[Search]) -> usize {
    wanted.partition_point(|(_, repetitions)| *repetitions <= 1)
}

fn get_bulk(wanted: &[Search]) -> AgentxPdu {
    let non_repeaters = non_repeaters(wanted);
    let repeaters = (wanted.len() - non_repeaters).max(1);
    let repetitions = wanted.iter().map(|(_, repetitions)| *repetitions).max();
    let most = u16::try_from(MOST_INSTANCES / repeaters).unwrap_or(u16::MAX);
    AgentxPdu::GetBulk {
        non_repeaters: u16::try_from(non_repeaters).unwrap_or(u16::MAX),
        max_repetitions: repetitions
            .unwrap_or(1)
            .min(MOST_REPETITIONS)
            .min(most)
            .max(1),
        ranges: ranges(wanted),
    }
}

/// The value in an answer to a Get.
fn value(asked: &Oid, VarBind { name, value }: VarBind) -> Result<Value, ReadError> {
    if name != *asked {
        log::warn!("a subagent was asked for {asked} and responded with {name}");
        return Err(ReadError::Failed);
    }
    match value {
        Value::NoSuchObject => Err(ReadError::NoSuchObject),
        Value::NoSuchInstance | Value::EndOfMibView => Err(ReadError::NoSuchInstance),
        value => Ok(value),
    }
}
