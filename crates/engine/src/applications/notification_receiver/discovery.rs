//! Originators that ask who this engine is before they send an inform (RFC 5343 section 3.2), as Net-SNMP does.

use varbind_codec::pdu::{CommonPdu, PduType};
use varbind_codec::smi::ValueRef;

use crate::engine_id::SNMP_ENGINE_ID;

/// Whether a PDU asks for snmpEngineID.0 and nothing else.
pub(super) fn asks_for_engine_id(pdu: &CommonPdu<'_>) -> bool {
    let mut var_binds = pdu.var_binds.clone();
    let is_name = matches!(
        (var_binds.next(), var_binds.next()),
        (Some(Ok(only)), None)
            if only.name.arcs().eq(SNMP_ENGINE_ID.iter().copied())
                && matches!(only.value, ValueRef::Null)
    );
    pdu.pdu_type == PduType::GetRequest && is_name
}
