use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use varbind_codec::ber::EncodeError;
use varbind_codec::message::Version;

use super::command::{Command, RequestHandle, SendError};
use super::data_elements::MessageIds;
use super::outstanding::{Attempt, EndedAttempts, Outstanding};
use super::request_id::RequestIds;
use super::session::Session;
use super::v3_session::ContextDiscovery;
use super::window::Window;
use super::{
    AgentTiming, DiscardCounts, FailureReason, GeneratorConfiguration, GeneratorEvent,
    GeneratorOutput, GeneratorStatistics, RequestLimits, RetryPolicy, RoundTripSummary,
    TransportFailure,
};
use crate::clock::Instant;
#[cfg(feature = "experiments")]
use crate::compression::Compression;
use crate::message_processing::PduRoom;

/// The requests to one agent over one transport.
///
/// Any order of calls is right, and output that is not fetched stays.
#[derive(Debug)]
pub struct CommandGenerator {
    pub(super) configuration: Arc<GeneratorConfiguration>,
    pub(super) session: Session,
    /// What was decrypted and expanded last.
    pub(super) pdu_room: Option<Box<PduRoom>>,
    #[cfg(feature = "experiments")]
    pub(super) compression: Option<Compression>,
    ids: RequestIds,
    pub(super) timing: AgentTiming,
    pub(super) window: Window,
    next_handle: u64,
    waiting: VecDeque<Box<Outstanding>>,
    #[expect(
        clippy::vec_box,
        reason = "requests move from one list to the other, and an answer moves those behind it"
    )]
    pub(super) in_flight: Vec<Box<Outstanding>>,
    pub(super) ended: EndedAttempts,
    pub(super) events: VecDeque<GeneratorEvent>,
    pub(super) statistics: GeneratorStatistics,
    pub(super) discarded: DiscardCounts,
}

/// How much there is of everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Activity {
    next_handle: u64,
    waiting: usize,
    pub(super) in_flight: usize,
    events: usize,
}

/// What comes next: [`GeneratorOutput`] without the octets of a message.
#[derive(Debug)]
pub(super) enum Step {
    Transmit(Range<usize>),
    Event(GeneratorEvent),
    WaitUntil(Instant),
    Idle,
}

impl CommandGenerator {
    /// A command generator without any request. Request-ids come from the `seed`: it has to be unpredictable, or strangers
    /// can forge responses.
    #[must_use]
    pub fn new(configuration: impl Into<Arc<GeneratorConfiguration>>, seed: u64) -> Self {
        let configuration = configuration.into();
        Self {
            ids: RequestIds::new(seed),
            timing: AgentTiming::new(),
            window: Window::new(configuration.max_window, configuration.reliable),
            next_handle: 0,
            waiting: VecDeque::new(),
            in_flight: Vec::new(),
            ended: EndedAttempts::default(),
            events: VecDeque::new(),
            statistics: GeneratorStatistics::default(),
            discarded: DiscardCounts::default(),
            session: Session::new(&configuration, seed),
            pdu_room: None,
            #[cfg(feature = "experiments")]
            compression: None,
            configuration,
        }
    }

    /// Its settings.
    #[must_use]
    pub fn configuration(&self) -> &GeneratorConfiguration {
        &self.configuration
    }

    /// Gives a command.
    ///
    /// # Errors
    /// When the request does not fit a message, or the version has no such command.
    pub fn send(&mut self, command: Command<'_>) -> Result<RequestHandle, SendError> {
        self.send_within(command, self.configuration.retry.limits())
    }

    /// Gives a command with limits of its own.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn send_within(
        &mut self,
        command: Command<'_>,
        limits: RequestLimits,
    ) -> Result<RequestHandle, SendError> {
        if self.configuration.processing.version() == Version::V1 {
            if matches!(command, Command::GetBulk { .. }) {
                return Err(SendError::NoGetBulkInV1);
            }
            if matches!(command, Command::Inform(_)) {
                return Err(SendError::NoInformInV1);
            }
            if command.has_counter64() {
                return Err(SendError::NoCounter64InV1);
            }
        }
        let pdu = command.to_pdu()?;
        #[cfg(feature = "experiments")]
        let pdu = pdu.compressed(self.compression);
        let length = pdu.var_binds.len() + self.session.headroom();
        let max_message_size = self.configuration.max_message_size;
        if length > max_message_size {
            return Err(SendError::TooLarge {
                length,
                max_message_size,
            });
        }
        let handle = self.next_handle();
        self.next_handle += 1;
        self.statistics.requests += 1;
        let is_v3 = self.session.v3().is_some();
        let mut request = Outstanding::new(handle, pdu, limits);
        request.discarded_before.clone_from(&self.discarded);
        // RFC 3412 6.2: in SNMPv3 each message has its own msgID.
        request.has_one_message = request.has_one_request_id() && !is_v3;
        self.waiting.push_back(Box::new(request));
        Ok(handle)
    }

    /// The handle of the next request that is sent: those of later requests are greater.
    #[must_use]
    pub const fn next_handle(&self) -> RequestHandle {
        RequestHandle(self.next_handle)
    }

    /// Octets that the variable bindings of a request may take, by the agent's known limit.
    pub(super) fn var_bind_room(&self) -> usize {
        self.peer_max_message_size()
            .unwrap_or(usize::MAX)
            .min(self.configuration.max_message_size)
            .saturating_sub(self.session.headroom())
    }

    /// Gives a request up without an event. Returns false if it had ended.
    pub fn cancel(&mut self, handle: RequestHandle) -> bool {
        if let Some(index) = self.waiting.iter().position(|r| r.handle == handle) {
            self.waiting.remove(index);
            return true;
        }
        let found = self.in_flight.iter().position(|r| r.handle == handle);
        if let Some(index) = found {
            let request = self.in_flight.remove(index);
            self.remember(&request, None);
        }
        found.is_some()
    }

    pub(super) fn remember(&mut self, request: &Outstanding, answered: Option<usize>) {
        let lost = self.ended.remember(request, answered, self.in_flight.len());
        // The silence of an agent that never responded is no sign of loss.
        if answered.is_some() && !self.configuration.reliable {
            self.timing.add_losses(lost);
        }
    }

    /// Takes in what the transport reports: all that was sent fails, and what is waiting will be tried.
    ///
    /// On a reliable transport nothing can follow, so all requests fail.
    pub fn handle_transport_failure(&mut self, now: Instant, failure: impl Into<TransportFailure>) {
        if self.configuration.reliable {
            return self.handle_session_end(now, failure);
        }
        let failed = std::mem::take(&mut self.in_flight);
        self.end_all_without_answer(now, failed, failure.into());
    }

    /// Takes in that the session is over: all requests fail, over a lossy transport too. Those that are made from now on are
    /// for another session.
    pub fn handle_session_end(&mut self, now: Instant, failure: impl Into<TransportFailure>) {
        let mut failed = std::mem::take(&mut self.in_flight);
        failed.extend(self.waiting.drain(..));
        self.end_all_without_answer(now, failed, failure.into());
    }

    /// Takes in that messages go another way from now on, so that what was sent may be lost: all requests in flight are sent
    /// again at once, as often as the policy sends a request.
    pub fn repeat(&mut self) {
        for request in &mut self.in_flight {
            let has_attempts = request.attempt_count() < request.limits.max_attempts;
            if !request.due && has_attempts {
                request.repeat();
            }
        }
    }

    fn end_all_without_answer(
        &mut self,
        now: Instant,
        requests: impl IntoIterator<Item = Box<Outstanding>>,
        failure: TransportFailure,
    ) {
        let reason = FailureReason::Transport(failure);
        for request in requests {
            self.end_without_answer(now, &request, reason.clone());
        }
    }

    pub(super) fn end_without_answer(
        &mut self,
        now: Instant,
        request: &Outstanding,
        reason: FailureReason,
    ) {
        self.statistics.failures += 1;
        self.remember(request, None);
        self.push_event(GeneratorEvent::Failed(request.fail(
            now,
            reason,
            &self.discarded,
        )));
    }

    pub(super) fn push_event(&mut self, event: GeneratorEvent) {
        if self.events.capacity() == 0 {
            // Most have one at a time.
            self.events.reserve_exact(1);
        }
        self.events.push_back(event);
    }

    /// What the caller has to do next. A message to transmit is written into `buffer`, which has to hold
    /// [`max_message_size`](GeneratorConfiguration::max_message_size) octets.
    pub fn poll_output<'b>(&mut self, now: Instant, buffer: &'b mut [u8]) -> GeneratorOutput<'b> {
        match self.step(now, buffer, true) {
            Step::Transmit(range) => GeneratorOutput::Transmit(buffer.get(range).unwrap_or(&[])),
            Step::Event(event) => GeneratorOutput::Event(event),
            Step::WaitUntil(until) => GeneratorOutput::WaitUntil(until),
            Step::Idle => GeneratorOutput::Idle,
        }
    }

    /// As [`poll_output`](Self::poll_output), with the place of a message in `buffer`. Without `may_start` no request is sent
    /// for the first time.
    pub(super) fn step(&mut self, now: Instant, buffer: &mut [u8], may_start: bool) -> Step {
        let next = self.expire(now);
        if self.events.is_empty()
            && let Some(range) = self.transmit(now, buffer, may_start)
        {
            return Step::Transmit(range);
        }
        if let Some(event) = self.events.pop_front() {
            self.release_rooms();
            return Step::Event(event);
        }
        // Nothing expired, or there would be a message to transmit or an event.
        next.map_or(Step::Idle, Step::WaitUntil)
    }

    /// Gives back the lists when nothing is to be done. A client may have ten thousand generators, of which few are busy.
    fn release_rooms(&mut self) {
        if self.events.is_empty() && self.outstanding() == 0 {
            self.events = VecDeque::new();
            self.waiting = VecDeque::new();
            self.in_flight = Vec::new();
        }
    }

    /// When the latest attempt of a request, or the request, is given up.
    fn expiry(&self, request: &Outstanding) -> Option<Instant> {
        let give_up = request.first_sent()? + self.time_to_give_up(request);
        if self.configuration.reliable && !self.session.is_in_doubt() {
            return Some(give_up);
        }
        let last = request.attempts.last()?.sent;
        let timeout =
            self.configuration
                .retry
                .timeout(request.volleys, &self.timing, request.is_set());
        Some((last + timeout).min(give_up))
    }

    /// How long after its first attempt a request is given up. With a fixed time-out nothing but the number of attempts
    /// counts: timers that are late take none away.
    fn time_to_give_up(&self, request: &Outstanding) -> Duration {
        let GeneratorConfiguration {
            retry, reliable, ..
        } = &*self.configuration;
        match retry {
            RetryPolicy::Fixed { .. } if !reliable && request.limits == retry.limits() => {
                Duration::MAX
            }
            _ => request.limits.give_up_after,
        }
    }

    /// Gives up the attempts and requests whose time has passed. Returns when the next one expires.
    fn expire(&mut self, now: Instant) -> Option<Instant> {
        let mut next: Option<Instant> = None;
        let mut at = 0;
        while let Some(request) = self.in_flight.get(at) {
            let expiry = self.expiry(request);
            if expiry.is_none_or(|expiry| expiry > now) {
                next = next.into_iter().chain(expiry).min();
                at += 1;
                continue;
            }
            let is_last = self.configuration.reliable
                || request.attempt_count() >= request.limits.max_attempts;
            let is_out_of_time = request.age(now) >= self.time_to_give_up(request);
            // Not every agent answers to localEngineID: the next attempt asks who it is.
            let was_in_doubt = self
                .session
                .transport_mut()
                .is_some_and(ContextDiscovery::give_local_up);
            if is_out_of_time || is_last && !was_in_doubt {
                let request = self.in_flight.remove(at);
                let reason = self.silence();
                self.end_without_answer(now, &request, reason);
            } else if let Some(request) = self.in_flight.get_mut(at) {
                request.repeat();
                at += 1;
            }
        }
        next
    }

    /// Sends the oldest attempt that is due, or starts the next request that the window allows.
    fn transmit(
        &mut self,
        now: Instant,
        buffer: &mut [u8],
        may_start: bool,
    ) -> Option<Range<usize>> {
        if may_start
            && self.can_start()
            && !self.in_flight.iter().any(|request| request.due)
            && let Some(request) = self.waiting.pop_front()
        {
            self.in_flight.push(request);
        }
        let at = self.in_flight.iter().position(|request| request.due)?;
        match self.write_attempt(now, at, buffer) {
            Ok(range) => Some(range),
            Err(error) => {
                let request = self.in_flight.remove(at);
                self.end_without_answer(now, &request, FailureReason::Encode(error));
                None
            }
        }
    }

    /// Whether a request waits that the window allows.
    pub(super) fn can_start(&self) -> bool {
        // One discovery is enough.
        let window = if self.session.is_ready() {
            self.window.size()
        } else {
            1
        };
        !self.waiting.is_empty() && self.in_flight.len() < window
    }

    /// Whether a message with this msgID or request-id answers a request, or one that ended not long ago.
    pub(super) fn has_sent(&mut self, msg_id: i32) -> bool {
        let mut in_flight = self.in_flight.iter();
        in_flight.any(|request| request.position(msg_id).is_some())
            || self.ended.find(msg_id).is_some()
    }

    fn write_attempt(
        &mut self,
        now: Instant,
        at: usize,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, EncodeError> {
        let msg_id = self.unused_id();
        let copies = self.configuration.retry.copies(&self.timing);
        let is_reliable = self.configuration.reliable;

        let Some(request) = self.in_flight.get_mut(at) else {
            return Ok(0..0);
        };
        let first = request
            .attempts
            .first()
            .map_or(msg_id, |first| first.ids.request_id);
        let has_one_request_id = request.has_one_request_id();
        let ids = MessageIds {
            msg_id: if request.has_one_message {
                first
            } else {
                msg_id
            },
            request_id: if has_one_request_id { first } else { msg_id },
        };
        let is_discovery = !self.session.may_send(&request.pdu);
        let range = self
            .session
            .prepare_outgoing_message(now, &request.pdu, ids, buffer)?;
        self.statistics.retries += u64::from(!request.attempts.is_empty());
        request.copies += 1;
        let may_be_copied = !is_reliable && !is_discovery && !has_one_request_id;
        request.due = may_be_copied
            && request.copies < copies
            && request.attempt_count() + 1 < request.limits.max_attempts;
        request.add(Attempt {
            ids,
            sent: now,
            is_discovery,
        });
        self.statistics.attempts += 1;
        self.statistics.octets_sent += range.len() as u64;
        Ok(range)
    }

    fn unused_id(&mut self) -> i32 {
        loop {
            let id = self.ids.draw();
            if !self.has_sent(id) {
                return id;
            }
        }
    }

    /// Whether there may be something to do.
    pub(super) fn activity(&self) -> Activity {
        Activity {
            next_handle: self.next_handle,
            waiting: self.waiting.len(),
            in_flight: self.in_flight.len(),
            events: self.events.len(),
        }
    }

    /// How many requests are waiting or in flight.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.waiting.len() + self.in_flight.len()
    }

    /// How many requests may be in flight at present.
    #[must_use]
    pub fn window(&self) -> usize {
        self.window.size()
    }

    /// What is known of the time that the agent takes.
    #[must_use]
    pub const fn timing(&self) -> &AgentTiming {
        &self.timing
    }

    /// What happened so far.
    #[must_use]
    pub const fn statistics(&self) -> &GeneratorStatistics {
        &self.statistics
    }

    /// Messages so far that are no answer to any request.
    #[must_use]
    pub const fn discarded(&self) -> &DiscardCounts {
        &self.discarded
    }

    /// The round-trip times so far.
    #[must_use]
    pub fn round_trip(&self) -> RoundTripSummary {
        self.timing.round_trip.summary(self.timing.loss_rate())
    }

    /// How long the policy waits for an answer to the first attempt at present.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.configuration.retry.timeout(1, &self.timing, false)
    }
}
