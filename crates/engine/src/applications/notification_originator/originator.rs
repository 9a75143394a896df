use std::collections::{HashMap, VecDeque};

use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::VarBind;

use super::message::{OutgoingTrap, Sender, TrapSender, originator_engine};
use super::{
    NotSent, NotificationHandle, OriginatorConfiguration, OriginatorEvent, OriginatorOutput,
    OriginatorStatistics,
};
use crate::applications::command_generator::{
    self, Command, CommandGenerator, ContextEngine, FailureReason, GeneratorDiscard,
    MessageProcessing, RequestHandle, TransportFailure,
};
use crate::applications::notification::{NoTrapV1, Notification, TrapV1Parameters};
use crate::applications::notification_receiver::NotificationKind;
use crate::clock::Instant;
use crate::security::usm::LocalEngine;
use crate::statistics::Counter;

/// The notifications to one target over one transport.
///
/// Any order of calls is right, and output that is not fetched stays.
#[derive(Debug)]
pub struct NotificationOriginator {
    configuration: OriginatorConfiguration,
    traps: VecDeque<OutgoingTrap>,
    /// Of traps of SNMPv3.
    trap_sender: Option<TrapSender>,
    /// Sends informs, and sends them again.
    informs: CommandGenerator,
    handles: HashMap<RequestHandle, NotificationHandle>,
    next_handle: u64,
    /// Of the traps, which are not answered.
    next_request_id: i32,
    /// Whether the message that was transmitted last is a trap.
    transmitted_trap: bool,
    statistics: OriginatorStatistics,
}

impl NotificationOriginator {
    /// An originator that has sent nothing.
    #[must_use]
    pub fn new(configuration: OriginatorConfiguration) -> Self {
        let of_informs = command_generator::GeneratorConfiguration {
            retry: configuration.retry,
            max_message_size: configuration.max_message_size,
            msg_max_size: configuration.max_message_size,
            max_window: configuration.max_window,
            reliable: configuration.reliable,
            ..command_generator::GeneratorConfiguration::new(of_originator(
                configuration.processing.clone(),
                configuration.engine.as_deref(),
            ))
        };
        let informs = CommandGenerator::new(of_informs, configuration.seed);
        let trap_sender = match (&configuration.processing, &configuration.engine) {
            (MessageProcessing::V3(parameters), Some(engine)) => {
                TrapSender::new(engine, parameters)
            }
            _ => None,
        };
        Self {
            configuration,
            traps: VecDeque::new(),
            trap_sender,
            informs,
            handles: HashMap::new(),
            next_handle: 0,
            next_request_id: 1,
            transmitted_trap: false,
            statistics: OriginatorStatistics::default(),
        }
    }

    /// Its settings.
    #[must_use]
    pub const fn configuration(&self) -> &OriginatorConfiguration {
        &self.configuration
    }

    /// From now on the target is sent to from another address.
    pub const fn set_agent_address(&mut self, agent_address: [u8; 4]) {
        self.configuration.agent_address = agent_address;
    }

    /// Sends a notification. An inform ends with an event.
    ///
    /// # Errors
    /// When the target does not want it, the version or the largest message cannot hold it, or too many wait.
    pub fn send(&mut self, notification: &Notification) -> Result<NotificationHandle, NotSent> {
        let sent = self.accept(notification, None);
        self.count(sent)
    }

    /// Gives a Trap-PDU of SNMPv1 with just these parameters, for those who choose each of them. Other versions send what
    /// the trap is for them (RFC 3584 section 3.1).
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn send_trap_v1(
        &mut self,
        parameters: &TrapV1Parameters,
        var_binds: Vec<VarBind>,
    ) -> Result<NotificationHandle, NotSent> {
        let sent = match parameters.trap_oid() {
            Err(_) => Err(NotSent::NoTrapV1(NoTrapV1::EnterpriseTooLong)),
            Ok(trap_oid) => {
                let mut notification =
                    Notification::new(parameters.time_stamp, trap_oid, var_binds);
                if self.configuration.version() != Version::V1 {
                    notification.append_origin(parameters, None);
                }
                self.accept(&notification, Some(parameters))
            }
        };
        self.count(sent)
    }

    fn count(
        &mut self,
        sent: Result<NotificationHandle, NotSent>,
    ) -> Result<NotificationHandle, NotSent> {
        self.statistics.notifications += 1;
        match &sent {
            Ok(_) => {}
            Err(NotSent::Filtered) => self.statistics.filtered += 1,
            Err(NotSent::QueueFull) => self.statistics.dropped += 1,
            Err(_) => self.statistics.not_encodable += 1,
        }
        sent
    }

    /// `chosen` are the parameters of a Trap-PDU of SNMPv1 where they do not follow from the notification.
    fn accept(
        &mut self,
        notification: &Notification,
        chosen: Option<&TrapV1Parameters>,
    ) -> Result<NotificationHandle, NotSent> {
        if !self.configuration.filter.passes(notification) {
            return Err(NotSent::Filtered);
        }
        if self.waiting() >= self.configuration.max_waiting {
            return Err(NotSent::QueueFull);
        }
        let handle = NotificationHandle(self.next_handle);
        match self.configuration.kind {
            NotificationKind::Inform => {
                if !self.knows_context() {
                    return Err(NotSent::NoEngine);
                }
                let var_binds = notification.to_var_binds();
                let request = self.informs.send(Command::Inform(&var_binds))?;
                self.handles.insert(request, handle);
            }
            NotificationKind::Trap => {
                let trap = self.trap(notification, chosen)?;
                let sender = sender(&self.configuration.processing, self.trap_sender.as_ref())?;
                trap.check_size(&sender, self.configuration.max_message_size)?;
                self.traps.push_back(trap);
            }
        }
        self.next_handle += 1;
        Ok(handle)
    }

    /// Whether it is known whose objects an inform is about: not those of the engine that takes it.
    fn knows_context(&self) -> bool {
        match &self.informs.configuration().processing {
            MessageProcessing::V3(parameters) => {
                matches!(parameters.context_engine, ContextEngine::Known(_))
            }
            MessageProcessing::V1 { .. } | MessageProcessing::V2c { .. } => true,
        }
    }

    fn trap(
        &self,
        notification: &Notification,
        chosen: Option<&TrapV1Parameters>,
    ) -> Result<OutgoingTrap, NotSent> {
        if self.configuration.version() != Version::V1 {
            return Ok(OutgoingTrap::new(None, &notification.to_var_binds())?);
        }
        let converted = notification.to_trap_v1(self.configuration.agent_address);
        let parameters = match (chosen, converted) {
            (Some(chosen), Ok(_) | Err(NoTrapV1::TrapOidTooShort)) => chosen.clone(),
            (_, converted) => converted?,
        };
        Ok(OutgoingTrap::new(
            Some(parameters),
            &notification.var_binds,
        )?)
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
    pub fn handle_message(&mut self, now: Instant, message: &[u8]) -> Result<(), GeneratorDiscard> {
        self.informs.handle_message(now, message)
    }

    /// Takes in what the transport reports. Informs that were sent fail; on a reliable transport all that waits does,
    /// since nothing can follow.
    pub fn handle_transport_failure(&mut self, now: Instant, failure: impl Into<TransportFailure>) {
        if self.configuration.reliable {
            let lost = u64::try_from(self.traps.len()).unwrap_or(u64::MAX);
            self.statistics.transport_failures += lost;
            self.traps.clear();
        }
        self.informs.handle_transport_failure(now, failure);
    }

    /// Takes in that the transport did not take the message that was transmitted last.
    pub fn handle_unsent(&mut self, now: Instant, failure: impl Into<TransportFailure>) {
        if self.transmitted_trap {
            self.statistics.traps_sent = self.statistics.traps_sent.saturating_sub(1);
            self.statistics.transport_failures += 1;
        }
        if !self.transmitted_trap || self.configuration.reliable {
            self.handle_transport_failure(now, failure);
        }
    }

    /// What the caller has to do next. A message to transmit is written into `buffer`, which has to hold
    /// [`max_message_size`](OriginatorConfiguration::max_message_size) octets.
    pub fn poll_output<'b>(&mut self, now: Instant, buffer: &'b mut [u8]) -> OriginatorOutput<'b> {
        while let Some(trap) = self.traps.pop_front() {
            let id = self.next_request_id;
            self.next_request_id = id.checked_add(1).unwrap_or(1);
            let sender = sender(&self.configuration.processing, self.trap_sender.as_ref());
            let written = sender.map(|sender| trap.write(now, &sender, id, buffer));
            match written {
                Ok(Ok(range)) => {
                    self.statistics.traps_sent += 1;
                    self.transmitted_trap = true;
                    self.configuration.counters.count(Counter::SnmpOutTraps);
                    self.configuration.counters.count(Counter::SnmpOutPkts);
                    return OriginatorOutput::Transmit(buffer.get(range).unwrap_or(&[]));
                }
                // Its size was checked: only a buffer that is too small leads here.
                Ok(Err(_)) | Err(_) => self.statistics.not_encodable += 1,
            }
        }
        let output = self.informs.poll_output(now, buffer);
        self.statistics.retries = self.informs.statistics().retries;
        match output {
            command_generator::GeneratorOutput::Transmit(message) => {
                self.transmitted_trap = false;
                self.configuration.counters.count(Counter::SnmpOutPkts);
                OriginatorOutput::Transmit(message)
            }
            command_generator::GeneratorOutput::WaitUntil(until) => {
                OriginatorOutput::WaitUntil(until)
            }
            command_generator::GeneratorOutput::Idle => OriginatorOutput::Idle,
            command_generator::GeneratorOutput::Event(event) => {
                if matches!(event, command_generator::GeneratorEvent::Response(_)) {
                    self.configuration
                        .counters
                        .count(Counter::SnmpInGetResponses);
                }
                OriginatorOutput::Event(outcome(&mut self.handles, &mut self.statistics, event))
            }
        }
    }

    /// What became of the notifications so far.
    #[must_use]
    pub const fn statistics(&self) -> &OriginatorStatistics {
        &self.statistics
    }
}

/// How messages are made, with the context of this engine where none is chosen.
fn of_originator(
    mut processing: MessageProcessing,
    engine: Option<&LocalEngine>,
) -> MessageProcessing {
    if let MessageProcessing::V3(parameters) = &mut processing {
        let own = originator_engine(&parameters.context_engine, engine.map(LocalEngine::id));
        parameters.context_engine = ContextEngine::from(own.copied());
    }
    processing
}

/// In whose name traps are sent.
fn sender<'a>(
    processing: &'a MessageProcessing,
    trap_sender: Option<&'a TrapSender>,
) -> Result<Sender<'a>, NotSent> {
    match processing {
        MessageProcessing::V1 { .. } | MessageProcessing::V2c { .. } => {
            Ok(Sender::Community(processing))
        }
        MessageProcessing::V3(_) => trap_sender.map(Sender::V3).ok_or(NotSent::NoEngine),
    }
}

/// Counts what became of an inform.
fn outcome(
    handles: &mut HashMap<RequestHandle, NotificationHandle>,
    statistics: &mut OriginatorStatistics,
    event: command_generator::GeneratorEvent,
) -> OriginatorEvent {
    let mut handle_of = |request| {
        // Every inform has a handle until its outcome is reported.
        let unknown = NotificationHandle(u64::MAX);
        handles.remove(&request).unwrap_or(unknown)
    };
    match event {
        command_generator::GeneratorEvent::Response(response) => {
            let handle = handle_of(response.handle);
            if response.error_status == ErrorStatus::NoError {
                statistics.acknowledged += 1;
                OriginatorEvent::Acknowledged {
                    handle,
                    elapsed: response.elapsed,
                    attempts: response.attempts,
                }
            } else {
                statistics.refused += 1;
                OriginatorEvent::Refused {
                    handle,
                    error_status: response.error_status,
                }
            }
        }
        command_generator::GeneratorEvent::Failed(failure) => {
            match failure.reason {
                FailureReason::Transport(_) => statistics.transport_failures += 1,
                FailureReason::Encode(_) => statistics.not_encodable += 1,
                _ => statistics.unanswered += 1,
            }
            OriginatorEvent::Failed {
                handle: handle_of(failure.handle),
                failure,
            }
        }
    }
}
