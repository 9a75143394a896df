use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use varbind_codec::message::{CommunityMessage, Version, message_version};
use varbind_codec::pdu::{CommonPdu, Pdu, PduType, TrapV1Pdu};

use super::acknowledgement::Response;
use super::seen::{Fingerprint, SeenInforms};
use super::{
    Acknowledgement, Discard, Loss, NotificationKind, ReceivedNotification, Statistics, Wanted,
};
use crate::applications::notification::{Notification, TrapV1Parameters};
use crate::clock::Instant;
use crate::message_processing::HEADER_OCTETS;
use crate::security::{Community, CommunityTable, SecurityLevel, SecurityModel};
use crate::transport::Received;

/// Who may send notifications, and which of them are wanted.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// The communities of SNMPv1 and SNMPv2c.
    pub communities: CommunityTable,
    /// What is passed on.
    pub wanted: Wanted,
}

/// What is to be done with a message.
#[derive(Debug)]
pub enum Outcome {
    /// Pass it on.
    Deliver(Box<Delivery>),
    /// Send the response that is in this part of the buffer, and nothing else.
    Respond(Range<usize>, Discard),
    /// Nothing.
    Discarded(Discard),
}

/// A notification to pass on.
#[derive(Debug)]
pub struct Delivery {
    /// The notification.
    pub received: ReceivedNotification,
    /// What to send once it is passed on, if it is an inform.
    pub acknowledgement: Option<Acknowledgement>,
}

/// Takes notifications from any number of senders. It can be used by several threads at once.
#[derive(Debug)]
pub struct NotificationReceiver {
    configuration: Configuration,
    statistics: Arc<Statistics>,
    seen: Mutex<SeenInforms>,
}

/// A message of SNMPv1 or SNMPv2c whose sender may send.
struct Admitted<'a> {
    version: Version,
    /// As the message has it.
    community_name: &'a [u8],
    community: &'a Community,
}

impl NotificationReceiver {
    /// A receiver that has received nothing.
    #[must_use]
    pub fn new(configuration: Configuration) -> Self {
        Self {
            configuration,
            statistics: Arc::default(),
            seen: Mutex::default(),
        }
    }

    /// The counters.
    #[must_use]
    pub const fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    /// Takes in a message. A response is written into `buffer`, which should have [`response_buffer_length`] octets.
    pub fn handle_message(&self, received: &Received<'_>, buffer: &mut [u8]) -> Outcome {
        self.statistics.count_message();
        let outcome = self
            .process(received, buffer)
            .unwrap_or_else(Outcome::Discarded);
        if let Outcome::Respond(_, discard) | Outcome::Discarded(discard) = &outcome {
            self.statistics.count_lost(discard.loss(), 1);
        }
        outcome
    }

    /// Tells that a notification was passed on: only now its acknowledgement is sent, and if it comes again it is a
    /// duplicate.
    pub fn delivered(&self, now: Instant, acknowledgement: Option<&Acknowledgement>) {
        self.statistics.count_delivered();
        if let Some(acknowledgement) = acknowledgement {
            self.seen().add(now, acknowledgement.fingerprint);
        }
    }

    /// Tells that a notification found no place. An inform is not acknowledged then.
    pub fn dropped(&self) {
        self.statistics.count_lost(Loss::Queue, 1);
    }

    fn process(&self, received: &Received<'_>, buffer: &mut [u8]) -> Result<Outcome, Discard> {
        let (version, content) = message_version(received.message)?;
        if version == Version::V3 {
            return Err(Discard::BadVersion(version.code()));
        }
        let message = CommunityMessage::decode_content(version, content)?;
        let community = self
            .configuration
            .communities
            .authenticate(message.community, received.remote.ip())?;
        let admitted = Admitted {
            version,
            community_name: message.community,
            community,
        };
        match (version, &message.pdu) {
            (Version::V1, Pdu::TrapV1(pdu)) => self.trap_v1(received, &admitted, pdu),
            (Version::V2c, Pdu::Common(pdu)) => match pdu.pdu_type {
                PduType::TrapV2 => self.trap(received, &admitted, pdu),
                PduType::InformRequest => self.inform(received, &admitted, pdu, buffer),
                other => Err(Discard::UnexpectedPdu(other)),
            },
            (_, other) => Err(Discard::UnexpectedPdu(other.pdu_type())),
        }
    }

    fn trap_v1(
        &self,
        received: &Received<'_>,
        admitted: &Admitted<'_>,
        pdu: &TrapV1Pdu<'_>,
    ) -> Result<Outcome, Discard> {
        let mut notification = Notification::from_trap_v1(pdu)?;
        let parameters = TrapV1Parameters::from(pdu);
        notification.append_origin(&parameters, None);
        let received = admitted.received(received, NotificationKind::Trap, notification);
        let received = ReceivedNotification {
            trap_v1: Some(parameters),
            ..received
        };
        self.deliver(received, None)
    }

    fn trap(
        &self,
        received: &Received<'_>,
        admitted: &Admitted<'_>,
        pdu: &CommonPdu<'_>,
    ) -> Result<Outcome, Discard> {
        let notification = Notification::from_pdu(pdu)?;
        let received = admitted.received(received, NotificationKind::Trap, notification);
        self.deliver(received, None)
    }

    /// RFC 3416 4.2.7
    fn inform(
        &self,
        received: &Received<'_>,
        admitted: &Admitted<'_>,
        pdu: &CommonPdu<'_>,
        buffer: &mut [u8],
    ) -> Result<Outcome, Discard> {
        let notification = Notification::from_pdu(pdu)?;
        let response = Response {
            version: admitted.version,
            community: admitted.community_name,
            pdu,
            limit: received.limits.message,
        };
        let Ok(range) = response.acknowledge(buffer) else {
            return match response.too_big(buffer) {
                Ok(range) => Ok(Outcome::Respond(range, Discard::TooBig)),
                Err(_) => Err(Discard::TooBig),
            };
        };
        let fingerprint = Fingerprint::new(received.remote, admitted.community_name, pdu);
        if self.seen().contain(received.now, &fingerprint) {
            return Ok(Outcome::Respond(range, Discard::Duplicate));
        }
        let received = admitted.received(received, NotificationKind::Inform, notification);
        let acknowledgement = Acknowledgement { range, fingerprint };
        self.deliver(received, Some(acknowledgement))
    }

    fn deliver(
        &self,
        received: ReceivedNotification,
        acknowledgement: Option<Acknowledgement>,
    ) -> Result<Outcome, Discard> {
        if self.configuration.wanted.includes(&received) {
            return Ok(Outcome::Deliver(Box::new(Delivery {
                received,
                acknowledgement,
            })));
        }
        // It arrived, and must not be sent again.
        acknowledgement.map_or(Err(Discard::Unwanted), |acknowledgement| {
            Ok(Outcome::Respond(acknowledgement.range, Discard::Unwanted))
        })
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, SeenInforms> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
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
            security_model: match self.version {
                Version::V1 => SecurityModel::SnmpV1,
                Version::V2c | Version::V3 => SecurityModel::SnmpV2c,
            },
            security_level: SecurityLevel::NoAuthNoPriv,
            security_name: self.community.security_name.clone(),
            context_name: self.community.context_name.clone(),
            notification,
            trap_v1: None,
        }
    }
}

/// The size of a buffer that can take the response to any inform of a message of `message` octets.
#[must_use]
pub const fn response_buffer_length(message: usize) -> usize {
    message + HEADER_OCTETS
}
