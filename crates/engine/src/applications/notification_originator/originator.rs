use std::collections::{HashMap, VecDeque};

use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;

use super::message::OutgoingTrap;
use super::{Configuration, Event, NotSent, NotificationHandle, Output, Statistics};
use crate::applications::command_generator::{
    self, Command, CommandGenerator, Discard, FailureReason, RequestHandle, TransportError,
};
use crate::applications::notification::Notification;
use crate::applications::notification_receiver::NotificationKind;
use crate::clock::Instant;

/// The notifications to one target over one transport.
///
/// Any order of calls is right, and output that is not fetched stays.
#[derive(Debug)]
pub struct NotificationOriginator {
    configuration: Configuration,
    traps: VecDeque<OutgoingTrap>,
    /// Sends informs, and sends them again.
    informs: CommandGenerator,
    handles: HashMap<RequestHandle, NotificationHandle>,
    next_handle: u64,
    /// Of the traps, which are not answered.
    next_request_id: i32,
    /// Whether the message that was transmitted last is a trap.
    transmitted_trap: bool,
    statistics: Statistics,
}

impl NotificationOriginator {
    /// An originator that has sent nothing.
    #[must_use]
    pub fn new(configuration: Configuration) -> Self {
        let informs = CommandGenerator::new(command_generator::Configuration {
            retry: configuration.retry,
            max_message_size: configuration.max_message_size,
            max_window: configuration.max_window,
            reliable: configuration.reliable,
            ..command_generator::Configuration::new(
                configuration.processing.clone(),
                configuration.seed,
            )
        });
        Self {
            configuration,
            traps: VecDeque::new(),
            informs,
            handles: HashMap::new(),
            next_handle: 0,
            next_request_id: 1,
            transmitted_trap: false,
            statistics: Statistics::default(),
        }
    }

    /// Its settings.
    #[must_use]
    pub const fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// From now on the target is sent to from another address.
    pub const fn set_agent_address(&mut self, agent_address: [u8; 4]) {
        self.configuration.agent_address = agent_address;
    }

    /// Gives a notification. What becomes of it is told if it is an inform.
    ///
    /// # Errors
    /// When the target does not want it, the version or the largest message cannot hold it, or too many wait.
    pub fn send(&mut self, notification: &Notification) -> Result<NotificationHandle, NotSent> {
        self.statistics.notifications += 1;
        let sent = self.accept(notification);
        match &sent {
            Ok(_) => {}
            Err(NotSent::Filtered) => self.statistics.filtered += 1,
            Err(NotSent::QueueFull) => self.statistics.dropped += 1,
            Err(_) => self.statistics.not_encodable += 1,
        }
        sent
    }

    fn accept(&mut self, notification: &Notification) -> Result<NotificationHandle, NotSent> {
        if !self.configuration.filter.passes(notification) {
            return Err(NotSent::Filtered);
        }
        if self.waiting() >= self.configuration.max_waiting {
            return Err(NotSent::QueueFull);
        }
        let handle = NotificationHandle(self.next_handle);
        match self.configuration.kind {
            NotificationKind::Inform => {
                let var_binds = notification.to_var_binds();
                let request = self.informs.send(Command::Inform(&var_binds))?;
                self.handles.insert(request, handle);
            }
            NotificationKind::Trap => {
                let trap = self.trap(notification)?;
                let Configuration {
                    processing,
                    max_message_size,
                    ..
                } = &self.configuration;
                trap.check_size(processing, *max_message_size)?;
                self.traps.push_back(trap);
            }
        }
        self.next_handle += 1;
        Ok(handle)
    }

    fn trap(&self, notification: &Notification) -> Result<OutgoingTrap, NotSent> {
        if self.configuration.version() == Version::V1 {
            let v1 = notification.to_trap_v1(self.configuration.agent_address)?;
            return Ok(OutgoingTrap::new(Some(v1), &notification.var_binds)?);
        }
        Ok(OutgoingTrap::new(None, &notification.to_var_binds())?)
    }

    /// How many notifications wait or are on their way.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.traps.len() + self.informs.outstanding()
    }

    /// Takes in a message from the target.
    ///
    /// # Errors
    /// Why the message was not used; nothing else is to be done.
    pub fn handle_message(&mut self, now: Instant, message: &[u8]) -> Result<(), Discard> {
        self.informs.handle_message(now, message)
    }

    /// Takes in what the transport reports. Informs that were sent fail; on a reliable transport all that waits does,
    /// since nothing can follow.
    pub fn handle_transport_error(&mut self, now: Instant, error: TransportError) {
        if self.configuration.reliable {
            let lost = u64::try_from(self.traps.len()).unwrap_or(u64::MAX);
            self.statistics.transport_failures += lost;
            self.traps.clear();
        }
        self.informs.handle_transport_error(now, error);
    }

    /// Takes in that the transport did not take the message that was transmitted last.
    pub fn handle_unsent(&mut self, now: Instant, error: TransportError) {
        if self.transmitted_trap {
            self.statistics.traps_sent = self.statistics.traps_sent.saturating_sub(1);
            self.statistics.transport_failures += 1;
        }
        if !self.transmitted_trap || self.configuration.reliable {
            self.handle_transport_error(now, error);
        }
    }

    /// What the caller has to do next. A message to transmit is written into `buffer`, which has to hold
    /// [`max_message_size`](Configuration::max_message_size) octets.
    pub fn poll_output<'b>(&mut self, now: Instant, buffer: &'b mut [u8]) -> Output<'b> {
        while let Some(trap) = self.traps.pop_front() {
            let id = self.next_request_id;
            self.next_request_id = id.checked_add(1).unwrap_or(1);
            match trap.write(&self.configuration.processing, id, buffer) {
                Ok(range) => {
                    self.statistics.traps_sent += 1;
                    self.transmitted_trap = true;
                    return Output::Transmit(buffer.get(range).unwrap_or(&[]));
                }
                // Its size was checked: only a buffer that is too small leads here.
                Err(_) => self.statistics.not_encodable += 1,
            }
        }
        let output = self.informs.poll_output(now, buffer);
        self.statistics.retries = self.informs.statistics().retries;
        match output {
            command_generator::Output::Transmit(message) => {
                self.transmitted_trap = false;
                Output::Transmit(message)
            }
            command_generator::Output::WaitUntil(until) => Output::WaitUntil(until),
            command_generator::Output::Idle => Output::Idle,
            command_generator::Output::Event(event) => {
                Output::Event(outcome(&mut self.handles, &mut self.statistics, event))
            }
        }
    }

    /// What became of the notifications so far.
    #[must_use]
    pub const fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}

/// Counts what became of an inform.
fn outcome(
    handles: &mut HashMap<RequestHandle, NotificationHandle>,
    statistics: &mut Statistics,
    event: command_generator::Event,
) -> Event {
    let mut handle_of = |request| {
        // Every inform has a handle until its outcome is told.
        let unknown = NotificationHandle(u64::MAX);
        handles.remove(&request).unwrap_or(unknown)
    };
    match event {
        command_generator::Event::Response(response) => {
            let handle = handle_of(response.handle);
            if response.error_status == ErrorStatus::NoError {
                statistics.acknowledged += 1;
                Event::Acknowledged {
                    handle,
                    elapsed: response.elapsed,
                    attempts: response.attempts,
                }
            } else {
                statistics.refused += 1;
                Event::Refused {
                    handle,
                    error_status: response.error_status,
                }
            }
        }
        command_generator::Event::Failed(failure) => {
            match failure.reason {
                FailureReason::Transport(_) => statistics.transport_failures += 1,
                FailureReason::Encode(_) => statistics.not_encodable += 1,
                _ => statistics.unanswered += 1,
            }
            Event::Failed {
                handle: handle_of(failure.handle),
                failure,
            }
        }
    }
}
