use std::sync::Arc;
use std::time::Duration;

use varbind_codec::message::Version;

use crate::applications::command_generator::{AdaptivePolicy, MessageProcessing, RetryPolicy};
use crate::applications::notification::NotificationFilter;
use crate::applications::notification_receiver::NotificationKind;
use crate::security::usm::LocalEngine;
use crate::statistics::Statistics;

/// How long an inform without a response is retransmitted.
const INFORM_PATIENCE: Duration = Duration::from_secs(30);

/// What is sent to a target, and how.
#[derive(Clone, Debug)]
pub struct OriginatorConfiguration {
    /// The version, and what goes with it.
    pub processing: MessageProcessing,
    /// Traps or informs; SNMPv1 has traps alone.
    pub kind: NotificationKind,
    /// This engine, which is authoritative for the traps of SNMPv3 that it sends (RFC 3412 section 6.6), and whose objects
    /// notifications of SNMPv3 are about, unless the parameters name another context engine. Other versions need none.
    pub engine: Option<Arc<LocalEngine>>,
    /// The counters of this engine that are raised: snmpOutPkts, snmpOutTraps and snmpInGetResponses.
    pub counters: Arc<Statistics>,
    /// What the target wants.
    pub filter: NotificationFilter,
    /// agent-addr of a Trap-PDU of SNMPv1: the address from which this target is sent to, 0.0.0.0 if it is none of IPv4
    /// (RFC 3584 section 3.2 (2)).
    pub agent_address: [u8; 4],
    /// When informs are sent again and given up.
    pub retry: RetryPolicy,
    /// The most octets that a message may take.
    pub max_message_size: usize,
    /// How many notifications may wait; those that come while so many wait are dropped.
    pub max_waiting: usize,
    /// How many informs may be on their way at once.
    pub max_window: u16,
    /// Whether the transport delivers or fails (TCP).
    pub reliable: bool,
    /// Where request-ids come from. It has to be unpredictable, or strangers can forge acknowledgements.
    pub seed: u64,
}

impl OriginatorConfiguration {
    /// Traps over UDP, in messages that Ethernet carries whole (1472 octets).
    #[must_use]
    pub fn trap(processing: MessageProcessing, seed: u64) -> Self {
        Self {
            processing,
            kind: NotificationKind::Trap,
            engine: None,
            counters: Arc::default(),
            filter: NotificationFilter::default(),
            agent_address: [0; 4],
            retry: RetryPolicy::default(),
            max_message_size: 1472,
            max_waiting: 1000,
            max_window: 8,
            reliable: false,
            seed,
        }
    }

    /// Informs over UDP, adaptive, given up after 30 s: no user waits for them.
    #[must_use]
    pub fn inform(processing: MessageProcessing, seed: u64) -> Self {
        Self {
            kind: NotificationKind::Inform,
            retry: RetryPolicy::Adaptive(AdaptivePolicy {
                give_up_after: INFORM_PATIENCE,
                ..AdaptivePolicy::default()
            }),
            ..Self::trap(processing, seed)
        }
    }

    pub(super) const fn version(&self) -> Version {
        self.processing.version()
    }
}
