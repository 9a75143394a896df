use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use varbind_codec::message::{CommunityMessage, V3Message, Version, message_version};
use varbind_codec::pdu::{CommonPdu, Pdu, PduType, TrapV1Pdu};

use super::acknowledgement::Responses;
use super::configuration::Current;
use super::received::is_engine_id_request;
use super::seen::{Fingerprint, SeenInforms, Sighting};
use super::user_based::{Trap, is_for};
use super::{
    Acknowledgement, NotificationKind, ReceivedNotification, ReceiverConfiguration,
    ReceiverDiscard, ReceiverLoss, ReceiverStatistics,
};
use crate::applications::notification::{Notification, TrapV1Parameters};
use crate::clock::Instant;
#[cfg(feature = "experiments")]
use crate::compression::CompressionSet;
use crate::discard::Discard;
use crate::message_processing::{
    self, DataElements, MessageSecurity, PduRoom, prepare_data_elements, sender,
};
use crate::security::usm::{self, Plaintext, Protected};
use crate::security::{SecurityLevel, SecurityModel, SecurityName, tsm};
use crate::statistics::Statistics;
use crate::transport::Received;

/// What is to be done with a message.
#[derive(Debug)]
pub enum ReceiverOutcome {
    /// Pass it on.
    Deliver(Box<Delivery>),
    /// Send the response that is in this part of the buffer, and nothing else.
    Respond(Range<usize>, ReceiverDiscard),
    /// Nothing.
    Discarded(ReceiverDiscard),
}

impl ReceiverOutcome {
    /// Under which reason the message is counted, unless it is passed on.
    #[must_use]
    pub const fn loss(&self) -> Option<ReceiverLoss> {
        match self {
            Self::Deliver(_) => None,
            Self::Respond(_, discard) if discard.is_discovery() => Some(ReceiverLoss::Discovery),
            Self::Respond(_, discard) | Self::Discarded(discard) => Some(discard.loss()),
        }
    }
}

/// A notification to pass on. The caller must report its outcome to the receiver: that it was
/// [delivered](NotificationReceiver::delivered) or [lost](NotificationReceiver::lost).
#[derive(Debug)]
pub struct Delivery {
    /// The notification.
    pub received: ReceivedNotification,
    /// What to send once it is delivered, if it is an inform.
    pub acknowledgement: Option<Acknowledgement>,
}

/// Takes notifications from any number of senders. It can be used by several threads at once.
#[derive(Debug)]
pub struct NotificationReceiver {
    current: RwLock<Arc<Current>>,
    statistics: Arc<ReceiverStatistics>,
    /// Whose values Reports tell.
    counters: Statistics,
    seen: Mutex<SeenInforms>,
}

/// Who sent a notification.
struct Admitted<'a> {
    version: Version,
    security_model: SecurityModel,
    security_level: SecurityLevel,
    security_name: &'a SecurityName,
    context_name: &'a str,
}

impl NotificationReceiver {
    /// A receiver that has received nothing.
    #[must_use]
    pub fn new(configuration: ReceiverConfiguration) -> Self {
        Self {
            current: RwLock::new(Arc::new(Current::new(configuration, None))),
            counters: Statistics::default(),
            statistics: Arc::default(),
            seen: Mutex::default(),
        }
    }

    /// Goes by another configuration from the next message on. What is known of senders' clocks and of informs stays.
    pub fn replace(&self, configuration: ReceiverConfiguration) {
        let former = self.current();
        let next = Arc::new(Current::new(configuration, Some(&former.users)));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = next;
    }

    fn current(&self) -> Arc<Current> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }

    /// The counters.
    #[must_use]
    pub const fn statistics(&self) -> &Arc<ReceiverStatistics> {
        &self.statistics
    }

    /// Takes in a message. A response is written into `buffer`, which should have [`response_buffer_length`] octets.
    pub fn handle_message(&self, received: &Received<'_>, buffer: &mut [u8]) -> ReceiverOutcome {
        let current = self.current();
        let outcome = self
            .process(&current, received, buffer)
            .unwrap_or_else(ReceiverOutcome::Discarded);
        self.statistics.count_message(&outcome);
        outcome
    }

    /// Takes note that a notification reached its destination: only now its acknowledgement is sent, and if it comes again it
    /// is a duplicate.
    pub fn delivered(&self, now: Instant, acknowledgement: Option<&Acknowledgement>) {
        self.statistics.count_delivered();
        if let Some(acknowledgement) = acknowledgement {
            self.seen().deliver(now, acknowledgement.fingerprint);
        }
    }

    /// Takes note that a notification did not reach its destination. An inform is not acknowledged then, and if it comes
    /// again it gets another attempt.
    pub fn lost(&self, loss: ReceiverLoss, acknowledgement: Option<&Acknowledgement>) {
        self.statistics.count_lost(loss, 1);
        if let Some(acknowledgement) = acknowledgement {
            self.seen().forget(&acknowledgement.fingerprint);
        }
    }

    fn process(
        &self,
        current: &Current,
        received: &Received<'_>,
        buffer: &mut [u8],
    ) -> Result<ReceiverOutcome, ReceiverDiscard> {
        let (version, content) = message_version(received.message)?;
        let mut room = PduRoom::default();
        if version == Version::V3 {
            let message = V3Message::decode_content(content)?;
            let is_confirmed = match (message.header.msg_security_model, &current.local.engine) {
                (_, None) => false,
                (usm::SECURITY_MODEL, Some(engine)) => is_for(engine, &message),
                (_, Some(_)) => message.header.msg_flags.reportable,
            };
            return if is_confirmed {
                self.confirmed(current, received, &mut room, buffer)
            } else {
                self.trap_v3(current, received, &message, &mut room.plaintext)
            };
        }
        let message = CommunityMessage::decode_content(version, content)?;
        match (version, &message.pdu) {
            (Version::V2c, Pdu::Common(pdu)) if pdu.pdu_type == PduType::InformRequest => {
                self.confirmed(current, received, &mut room, buffer)
            }
            _ => self.unconfirmed(current, received, version, &message),
        }
    }

    /// A trap of SNMPv1 or SNMPv2c.
    fn unconfirmed(
        &self,
        current: &Current,
        received: &Received<'_>,
        version: Version,
        message: &CommunityMessage<'_>,
    ) -> Result<ReceiverOutcome, ReceiverDiscard> {
        let sender = sender(&current.local, received, message.community)?;
        let admitted = Admitted {
            version,
            security_model: match version {
                Version::V1 => SecurityModel::SnmpV1,
                Version::V2c | Version::V3 => SecurityModel::SnmpV2c,
            },
            security_level: sender.security_level,
            security_name: sender.security_name,
            context_name: sender.context_name,
        };
        #[cfg(feature = "experiments")]
        CompressionSet::NONE.admit(&message.pdu)?;
        match (version, &message.pdu) {
            (Version::V1, Pdu::TrapV1(pdu)) => self.trap_v1(current, received, &admitted, pdu),
            (Version::V2c, Pdu::Common(pdu)) if pdu.pdu_type == PduType::TrapV2 => {
                self.trap(current, received, &admitted, pdu)
            }
            (_, other) => Err(ReceiverDiscard::UnexpectedPdu(other.pdu_type())),
        }
    }

    fn trap_v1(
        &self,
        current: &Current,
        received: &Received<'_>,
        admitted: &Admitted<'_>,
        pdu: &TrapV1Pdu<'_>,
    ) -> Result<ReceiverOutcome, ReceiverDiscard> {
        let mut notification = Notification::from_trap_v1(pdu)?;
        let parameters = TrapV1Parameters::from(pdu);
        notification.append_origin(&parameters, None);
        let received = admitted.received(received, NotificationKind::Trap, notification);
        let received = ReceivedNotification {
            trap_v1: Some(parameters),
            ..received
        };
        pass_on_trap(current, received)
    }

    fn trap_v3(
        &self,
        current: &Current,
        received: &Received<'_>,
        message: &V3Message<'_>,
        plaintext: &mut Plaintext,
    ) -> Result<ReceiverOutcome, ReceiverDiscard> {
        let level = message.header.msg_flags.security_level;
        let security =
            MessageSecurity::new(&message.header, current.local.transport_security_model)?;
        let (security_model, trap) = match security {
            MessageSecurity::User => {
                let protected = Protected::new(received.message, message)?;
                let users = &current.users;
                let trap = users.take_trap(received.now, &protected, level, plaintext)?;
                (SecurityModel::UserBased, trap)
            }
            MessageSecurity::Transport(model) => {
                let scoped_pdu = tsm::scoped_pdu(message)?;
                let security_name = model
                    .process_incoming_message(received.transport_state, level)
                    .map_err(Discard::from)?;
                let trap = Trap::new(security_name, level, (scoped_pdu, false))?;
                (SecurityModel::Transport, trap)
            }
        };
        let admitted = Admitted {
            version: Version::V3,
            security_model,
            security_level: trap.level,
            security_name: trap.security_name,
            context_name: trap.context_name,
        };
        self.trap(current, received, &admitted, &trap.pdu)
    }

    fn trap(
        &self,
        current: &Current,
        received: &Received<'_>,
        admitted: &Admitted<'_>,
        pdu: &CommonPdu<'_>,
    ) -> Result<ReceiverOutcome, ReceiverDiscard> {
        let notification = Notification::from_pdu(pdu)?;
        let received = admitted.received(received, NotificationKind::Trap, notification);
        pass_on_trap(current, received)
    }

    /// An inform, or what else wants an answer, to the local engine.
    fn confirmed(
        &self,
        current: &Current,
        received: &Received<'_>,
        room: &mut PduRoom,
        buffer: &mut [u8],
    ) -> Result<ReceiverOutcome, ReceiverDiscard> {
        let elements = match prepare_data_elements(&current.local, received, room) {
            Ok(elements) => elements,
            Err(refusal) => return self.refuse(received, &refusal, buffer),
        };
        if let (SecurityModel::Transport, Some(engine)) =
            (elements.security_model, &current.local.engine)
            && is_engine_id_request(&elements.pdu)
        {
            let range = responses(received, &elements).engine_id(buffer, engine.id());
            return range
                .map(|range| ReceiverOutcome::Respond(range, ReceiverDiscard::EngineIdReported))
                .map_err(|_| ReceiverDiscard::TooBig);
        }
        if elements.pdu.pdu_type != PduType::InformRequest {
            return Err(ReceiverDiscard::UnexpectedPdu(elements.pdu.pdu_type));
        }
        if let (SecurityModel::UserBased, Some(engine)) =
            (elements.security_model, &current.local.engine)
        {
            let name = elements.security_name.as_str().as_bytes();
            if let Err(error) = current
                .users
                .admit(name, engine.id(), elements.security_level)
            {
                let refusal = elements.refuse(error.into());
                return self.refuse(received, &refusal, buffer);
            }
        }
        self.inform(current, received, &elements, buffer)
    }

    /// RFC 3416 4.2.7
    fn inform(
        &self,
        current: &Current,
        received: &Received<'_>,
        elements: &DataElements<'_>,
        buffer: &mut [u8],
    ) -> Result<ReceiverOutcome, ReceiverDiscard> {
        let notification = Notification::from_pdu(&elements.pdu)?;
        let responses = responses(received, elements);
        let Ok(range) = responses.acknowledge(buffer) else {
            return match responses.too_big(buffer) {
                Ok(range) => Ok(ReceiverOutcome::Respond(range, ReceiverDiscard::TooBig)),
                Err(_) => Err(ReceiverDiscard::TooBig),
            };
        };
        let sender = elements.security_name.as_str();
        let fingerprint = Fingerprint::new(received.remote, sender, &elements.pdu);
        let now = received.now;
        let admitted = Admitted {
            version: elements.version,
            security_model: elements.security_model,
            security_level: elements.security_level,
            security_name: elements.security_name,
            context_name: elements.context_name,
        };
        let received = admitted.received(received, NotificationKind::Inform, notification);
        if !current.wanted.includes(&received) {
            // It arrived, and must not be sent again.
            return Ok(ReceiverOutcome::Respond(range, ReceiverDiscard::Unwanted));
        }
        match self.seen().note(now, fingerprint) {
            Sighting::First => Ok(ReceiverOutcome::Deliver(Box::new(Delivery {
                received,
                acknowledgement: Some(Acknowledgement { range, fingerprint }),
            }))),
            // The answer to the first is the answer to this one.
            Sighting::Pending => Err(ReceiverDiscard::Duplicate),
            Sighting::Delivered => Ok(ReceiverOutcome::Respond(range, ReceiverDiscard::Duplicate)),
        }
    }

    /// Tells who sent a message of SNMPv3 what was wrong with it (RFC 3412 section 7.1 (3)), as far as that is told.
    fn refuse(
        &self,
        received: &Received<'_>,
        refusal: &message_processing::Refusal<'_>,
        buffer: &mut [u8],
    ) -> Result<ReceiverOutcome, ReceiverDiscard> {
        let discard = refusal.discard;
        let counter = discard.counter();
        let value = self.counters.count_and_get(counter);
        let report = refusal.report.as_ref().zip(discard.report());
        let report = report.and_then(|(state, level)| {
            let counter = (counter.instance(), value);
            state
                .prepare_report_message(received.now, level, counter, buffer)
                .ok()
        });
        match report {
            Some(range) => Ok(ReceiverOutcome::Respond(range, discard.into())),
            None => Err(discard.into()),
        }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, SeenInforms> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn pass_on_trap(
    current: &Current,
    received: ReceivedNotification,
) -> Result<ReceiverOutcome, ReceiverDiscard> {
    if !current.wanted.includes(&received) {
        return Err(ReceiverDiscard::Unwanted);
    }
    Ok(ReceiverOutcome::Deliver(Box::new(Delivery {
        received,
        acknowledgement: None,
    })))
}

const fn responses<'a>(received: &Received<'_>, elements: &'a DataElements<'a>) -> Responses<'a> {
    Responses {
        now: received.now,
        elements,
        limit: received.limits.message,
    }
}

impl Admitted<'_> {
    fn received(
        &self,
        received: &Received<'_>,
        kind: NotificationKind,
        notification: Notification,
    ) -> ReceivedNotification {
        ReceivedNotification {
            source: received.remote,
            version: self.version,
            kind,
            security_model: self.security_model,
            security_level: self.security_level,
            security_name: self.security_name.clone(),
            context_name: self.context_name.to_owned(),
            notification,
            trap_v1: None,
        }
    }
}

/// More octets than the headers of any response take.
const HEADERS: usize = 512;

/// The size of a buffer that can take the response to any inform of a message of `message` octets.
#[must_use]
pub const fn response_buffer_length(message: usize) -> usize {
    message + HEADERS
}
