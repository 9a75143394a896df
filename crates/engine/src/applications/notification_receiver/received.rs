use std::net::SocketAddr;

use varbind_codec::message::Version;

use crate::applications::notification::{Notification, TrapV1Parameters};
use crate::security::{SecurityLevel, SecurityModel, SecurityName};

/// Whether a notification is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotificationKind {
    /// Trap-PDU or SNMPv2-Trap-PDU: nobody knows whether it arrived.
    Trap,
    /// InformRequest-PDU: its receiver answers.
    Inform,
}

/// A notification and who sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedNotification {
    /// Where the message came from: the agent, or who forwards for it.
    pub source: SocketAddr,
    /// The version of the message.
    pub version: Version,
    /// Trap or inform.
    pub kind: NotificationKind,
    /// securityModel.
    pub security_model: SecurityModel,
    /// securityLevel.
    pub security_level: SecurityLevel,
    /// securityName: who sent it.
    pub security_name: SecurityName,
    /// contextName.
    pub context_name: String,
    /// The notification. To one that came in SNMPv1, snmpTrapAddress.0 and snmpTrapEnterprise.0 were added as a proxy
    /// does (RFC 3584 section 3.1), but no community.
    pub notification: Notification,
    /// The parameters of the Trap-PDU, if it was one of SNMPv1.
    pub trap_v1: Option<TrapV1Parameters>,
}
