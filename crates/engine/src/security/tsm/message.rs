use std::ops::Range;

use varbind_codec::ber::{DecodeError, DecodeErrorKind, EncodeError, Tag, Writer};
use varbind_codec::message::{HeaderData, MsgFlags, SecurityLevel, V3Message};

use crate::engine_id::EngineId;

/// msgSecurityModel of the transport security model (RFC 5591 section 8.2).
pub(crate) const SECURITY_MODEL: i32 = V3Message::TRANSPORT_SECURITY_MODEL;

/// More octets than the headers of a message take besides the context name.
pub(crate) const HEADROOM: usize = V3Message::HEADROOM + EngineId::LONGEST;

/// What goes around a scopedPDU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope {
    pub(crate) msg_id: i32,
    pub(crate) msg_max_size: i32,
    pub(crate) reportable: bool,
    pub(crate) security_level: SecurityLevel,
}

impl Envelope {
    /// Encloses the scopedPDU that was written (generateRequestMsg and generateResponseMsg, RFC 5591 section 5.1), and
    /// tells where in the buffer the message is. Encrypting it is up to the transport, whatever the level.
    pub(crate) fn enclose(&self, mut writer: Writer<'_>) -> Result<Range<usize>, EncodeError> {
        writer.prepend_element(Tag::OCTET_STRING, &[])?;
        writer.prepend_v3_header(&HeaderData {
            msg_id: self.msg_id,
            msg_max_size: self.msg_max_size,
            msg_flags: MsgFlags {
                security_level: self.security_level,
                reportable: self.reportable,
            },
            msg_security_model: SECURITY_MODEL,
        })?;
        Ok(writer.range())
    }
}

/// Fails if msgSecurityParameters has any octet (RFC 5591 section 5.1 (3)).
pub(crate) fn check_security_parameters(message: &V3Message<'_>) -> Result<(), DecodeError> {
    let parameters = message.security_parameters;
    if parameters.rest().is_empty() {
        Ok(())
    } else {
        Err(parameters.error(DecodeErrorKind::WrongContentLength))
    }
}
