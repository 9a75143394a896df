use std::ops::Range;

use varbind_codec::ber::{DecodeError, DecodeErrorKind, EncodeError, Reader, Tag, Writer};
use varbind_codec::message::{HeaderData, MsgFlags, ScopedPduData, SecurityLevel, V3Message};

use crate::engine_id::EngineId;
use crate::security::GlobalData;

/// msgSecurityModel of the transport security model (RFC 5591 section 8.2).
pub(crate) const SECURITY_MODEL: i32 = V3Message::TRANSPORT_SECURITY_MODEL;

/// More octets than the headers of a message take besides the context name.
pub(crate) const HEADROOM: usize = V3Message::HEADROOM + EngineId::LONGEST;

/// Encloses the scopedPDU that was written (generateRequestMsg and generateResponseMsg, RFC 5591 section 5.1), and returns
/// where in the buffer the message is. The transport encrypts it, whatever the level.
pub(crate) fn enclose(
    global_data: GlobalData,
    security_level: SecurityLevel,
    mut writer: Writer<'_>,
) -> Result<Range<usize>, EncodeError> {
    writer.prepend_element(Tag::OCTET_STRING, &[])?;
    writer.prepend_v3_header(&HeaderData {
        msg_id: global_data.msg_id,
        msg_max_size: global_data.msg_max_size,
        msg_flags: MsgFlags {
            security_level,
            reportable: global_data.reportable,
        },
        msg_security_model: SECURITY_MODEL,
    })?;
    Ok(writer.range())
}

/// The scopedPDU of a message. Fails if msgSecurityParameters has any octet (RFC 5591 section 5.1 (3)).
pub(crate) fn scoped_pdu<'a>(message: &V3Message<'a>) -> Result<Reader<'a>, DecodeError> {
    let parameters = message.security_parameters;
    match message.data {
        ScopedPduData::Plaintext(scoped_pdu) if parameters.rest().is_empty() => Ok(scoped_pdu),
        // The codec reads nothing encrypted in a message of this model.
        _ => Err(parameters.error(DecodeErrorKind::WrongContentLength)),
    }
}
