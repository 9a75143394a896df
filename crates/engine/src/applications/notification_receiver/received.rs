use std::net::SocketAddr;

use varbind_codec::message::Version;
use varbind_codec::pdu::{CommonPdu, PduType};
use varbind_codec::smi::ValueRef;

use crate::applications::notification::{Notification, TrapV1Parameters};
use crate::engine_id::SNMP_ENGINE_ID;
use crate::security::{SecurityLevel, SecurityModel, SecurityName};

/// Whether a notification is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotificationKind {
    /// Trap-PDU or SNMPv2-Trap-PDU: it is not acknowledged.
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

/// Whether a PDU asks for snmpEngineID.0 and nothing else: its originator wants to know who this engine is before it sends an inform
/// (RFC 5343 section 3.2), as that of Net-SNMP does.
pub(super) fn is_engine_id_request(pdu: &CommonPdu<'_>) -> bool {
    let mut var_binds = pdu.var_binds.clone();
    let is_name = matches!(
        (var_binds.next(), var_binds.next()),
        (Some(Ok(only)), None)
            if only.name.arcs().eq(SNMP_ENGINE_ID.iter().copied())
                && matches!(only.value, ValueRef::Null)
    );
    pdu.pdu_type == PduType::GetRequest && is_name
}
