//! Reads of any number of names.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use varbind_codec::ber::EncodeError;
use varbind_codec::pdu::{ErrorStatus, var_bind_length};
use varbind_codec::smi::{Oid, Value, ValueRef, VarBind};

use super::{
    Command, CommandGenerator, Failure, FailureReason, GeneratorEvent, RequestHandle, Response,
    SendError,
};

/// A Get or a GetNext of any number of names: names that do not fit into one request go into several, names whose response
/// is too large are asked for in halves, and the responses become one.
///
/// ```
/// use varbind_codec::smi::Oid;
/// use varbind_engine::applications::command_generator::{
///     CommandGenerator, GeneratorConfiguration, GeneratorOutput, MessageProcessing, Read,
/// };
/// use varbind_engine::clock::Instant;
///
/// let processing = MessageProcessing::V2c { community: b"public".to_vec() };
/// let mut generator = CommandGenerator::new(GeneratorConfiguration::new(processing), 42);
/// let names: Vec<Oid> = (1..=200).map(|row| Oid::new(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 2, row])).collect::<Result<_, _>>()?;
/// let mut read = Read::get(&names);
/// let mut buffer = [0; 1472];
/// let now = Instant::ORIGIN;
/// loop {
///     if let Some(outcome) = read.poll(&mut generator) {
///         println!("{outcome:?}");
///         break;
///     }
///     match generator.poll_output(now, &mut buffer) {
///         GeneratorOutput::Transmit(_message) => {} // send it
///         GeneratorOutput::Event(event) => drop(read.handle_event(event)),
///         // Wait for a message and hand it to `generator.handle_message`, or for the time.
///         GeneratorOutput::WaitUntil(_) | GeneratorOutput::Idle => break,
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Read {
    operation: Operation,
    names: Vec<Oid>,
    /// In the order of the names; empty until the first poll.
    parts: Vec<Part>,
    failure: Option<Failure>,
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Get,
    GetNext,
}

/// Names that are asked for together.
#[derive(Debug)]
struct Part {
    names: Range<usize>,
    /// How long requests for more took that were refused.
    before: Duration,
    state: State,
}

#[derive(Debug)]
enum State {
    Unsent,
    Sent(RequestHandle),
    Answered(Response),
}

/// Why a read has no response.
#[derive(Clone, Debug)]
pub enum ReadFailure {
    /// A request cannot be sent.
    Send(SendError),
    /// A request has no answer.
    Failed(Failure),
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Send(error) => error.fmt(f),
            Self::Failed(failure) => failure.reason.fmt(f),
        }
    }
}

impl std::error::Error for ReadFailure {}

impl Read {
    /// The values of these instances.
    #[must_use]
    pub fn get(names: &[Oid]) -> Self {
        Self::new(Operation::Get, names)
    }

    /// The instances that follow these names.
    #[must_use]
    pub fn get_next(names: &[Oid]) -> Self {
        Self::new(Operation::GetNext, names)
    }

    fn new(operation: Operation, names: &[Oid]) -> Self {
        Self {
            operation,
            names: names.to_vec(),
            parts: Vec::new(),
            failure: None,
        }
    }

    /// Sends the requests that can be sent, and returns the outcome once; `None` when the command generator has to go on
    /// first. The error-status is that of the first name concerned, and its error-index counts all names.
    pub fn poll(
        &mut self,
        generator: &mut CommandGenerator,
    ) -> Option<Result<Response, ReadFailure>> {
        if self.parts.is_empty() {
            let groups = fitting_groups(&self.names, usize::MAX, generator.var_bind_room());
            self.parts = groups.into_iter().map(Part::new).collect();
        }
        let outcome = match self.failure.take() {
            Some(failure) => Err(ReadFailure::Failed(failure)),
            None => match self.send(generator) {
                Ok(()) => Ok(self.joined()?),
                Err(error) => Err(ReadFailure::Send(error)),
            },
        };
        self.cancel(generator);
        Some(outcome)
    }

    fn send(&mut self, generator: &mut CommandGenerator) -> Result<(), SendError> {
        for part in &mut self.parts {
            if matches!(part.state, State::Unsent) {
                let names = self.names.get(part.names.clone()).unwrap_or_default();
                let handle = generator.send(match self.operation {
                    Operation::Get => Command::Get(names),
                    Operation::GetNext => Command::GetNext(names),
                })?;
                part.state = State::Sent(handle);
            }
        }
        Ok(())
    }

    /// Takes an event of the command generator, and gives it back if it concerns another request.
    pub fn handle_event(&mut self, event: GeneratorEvent) -> Option<GeneratorEvent> {
        let handle = event.handle();
        let is_sent = |part: &Part| matches!(part.state, State::Sent(sent) if sent == handle);
        let Some(at) = self.parts.iter().position(is_sent) else {
            return Some(event);
        };
        let part = self.parts.get_mut(at)?;
        let has_several = part.names.len() > 1;
        match event {
            GeneratorEvent::Response(response) if has_several && is_too_big(&response) => {
                self.halve(at, response.elapsed);
            }
            GeneratorEvent::Response(response) => part.state = State::Answered(response),
            // What the peer takes was learnt after the names were divided.
            GeneratorEvent::Failed(failure)
                if has_several
                    && failure.reason == FailureReason::Encode(EncodeError::BufferFull) =>
            {
                self.halve(at, failure.elapsed);
            }
            GeneratorEvent::Failed(failure) => self.failure = Some(failure),
        }
        None
    }

    /// Ends the read: nothing more is asked.
    pub fn cancel(&mut self, generator: &mut CommandGenerator) {
        for part in self.parts.drain(..) {
            if let State::Sent(handle) = part.state {
                generator.cancel(handle);
            }
        }
    }

    fn halve(&mut self, at: usize, elapsed: Duration) {
        let Some(part) = self.parts.get_mut(at) else {
            return;
        };
        let middle = part.names.start + part.names.len() / 2;
        let behind = middle..part.names.end;
        part.names.end = middle;
        part.before += elapsed;
        part.state = State::Unsent;
        let behind = Part {
            before: part.before,
            ..Part::new(behind)
        };
        self.parts.insert(at + 1, behind);
    }

    /// The responses as one, when there are all.
    fn joined(&self) -> Option<Response> {
        let answers: Option<Vec<(&Part, &Response)>> = self
            .parts
            .iter()
            .map(|part| match &part.state {
                State::Answered(response) => Some((part, response)),
                State::Unsent | State::Sent(_) => None,
            })
            .collect();
        let answers = answers?;
        let failed = answers
            .iter()
            .find(|(_, response)| response.error_status != ErrorStatus::NoError);
        let (part, first) = failed.or(answers.first())?;
        let mut joined = (*first).clone();
        if answers.len() == 1 {
            joined.elapsed += part.before;
            return Some(joined);
        }
        if failed.is_some() {
            let offset = u32::try_from(part.names.start).unwrap_or(u32::MAX);
            if joined.error_index > 0 {
                joined.error_index = joined.error_index.saturating_add(offset);
            }
            // RFC 3416 4.2.1: the variable bindings of the request.
            let requested = self.names.iter().cloned();
            joined.var_binds = requested
                .map(|name| VarBind::new(name, Value::Null))
                .collect();
        } else {
            let var_binds = answers.iter().flat_map(|(_, answer)| &answer.var_binds);
            joined.var_binds = var_binds.cloned().collect();
        }
        joined.attempts = answers.iter().map(|(_, answer)| answer.attempts).sum();
        for (part, answer) in answers {
            joined.round_trip = joined.round_trip.max(answer.round_trip);
            joined.elapsed = joined.elapsed.max(part.before + answer.elapsed);
            joined.message_length = joined.message_length.max(answer.message_length);
        }
        Some(joined)
    }
}

impl Part {
    const fn new(names: Range<usize>) -> Self {
        Self {
            names,
            before: Duration::ZERO,
            state: State::Unsent,
        }
    }
}

/// Whether fewer names may be answered. An agent that names the variable of a genErr means that variable.
fn is_too_big(response: &Response) -> bool {
    match response.error_status {
        ErrorStatus::TooBig => true,
        ErrorStatus::GenErr => response.error_index == 0,
        _ => false,
    }
}

/// Divides names into groups of at most `count`, each of which takes at most `room` octets in a request unless it is a
/// single name. There is always one group.
pub(super) fn fitting_groups(names: &[Oid], count: usize, room: usize) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let mut start = 0;
    let mut octets = 0;
    for (at, name) in names.iter().enumerate() {
        // What cannot be encoded is refused when it is sent.
        let length = var_bind_length(name.arcs(), &ValueRef::Null).unwrap_or(0);
        if at > start && (at - start >= count || octets + length > room) {
            groups.push(start..at);
            start = at;
            octets = 0;
        }
        octets += length;
    }
    groups.push(start..names.len());
    groups
}
