//! Notifications of SNMPv3 with the transport security model: whoever the transport let in may send.

use varbind_codec::message::{ScopedPduData, V3Message};

use super::Discard;
use super::user_based::Trap;
use crate::discard::Discard as Refusal;
use crate::security::tsm::{TransportSecurityModel, TsmError, check_security_parameters};
use crate::transport::Received;

/// Takes a trap apart.
pub(super) fn take_trap<'a>(
    model: TransportSecurityModel,
    received: &Received<'a>,
    message: &V3Message<'a>,
) -> Result<Trap<'a>, Discard> {
    check_security_parameters(message)?;
    let level = message.header.msg_flags.security_level;
    let security_name = model
        .process_incoming_message(received.transport_state, level)
        .map_err(Refusal::from)?;
    match message.data {
        ScopedPduData::Plaintext(scoped_pdu) => Trap::new(security_name, level, scoped_pdu),
        // The codec reads none in a message of this model.
        ScopedPduData::Encrypted(_) => Err(Refusal::from(TsmError::InadequateSecurityLevel).into()),
    }
}
