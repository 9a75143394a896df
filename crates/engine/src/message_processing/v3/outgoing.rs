use std::ops::Range;

use varbind_codec::ber::{EncodeError, Writer};

use crate::engine_id::EngineId;
use crate::security::{GlobalData, SecurityLevel, SecurityName, tsm, usm};

/// The headers around a PDU, in every role (RFC 3412 section 7.1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutgoingMessage<'a> {
    pub(crate) global_data: GlobalData,
    pub(crate) security: OutgoingSecurity<'a>,
    pub(crate) context_engine_id: &'a [u8],
    pub(crate) context_name: &'a [u8],
}

/// What protects an outgoing message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OutgoingSecurity<'a> {
    User(usm::Envelope<'a>),
    /// The transport, from which the message asks this level.
    Transport(SecurityLevel),
}

impl OutgoingMessage<'_> {
    /// Encloses the PDU that was written, and returns where in the buffer the message is.
    #[inline]
    pub(crate) fn enclose(&self, mut writer: Writer<'_>) -> Result<Range<usize>, EncodeError> {
        writer.prepend_scoped_pdu(self.context_engine_id, self.context_name)?;
        match &self.security {
            OutgoingSecurity::User(envelope) => envelope.enclose(self.global_data, writer),
            OutgoingSecurity::Transport(level) => tsm::enclose(self.global_data, *level, writer),
        }
    }
}

/// More octets than the headers of a message take. It has a user if its security model is the user-based one.
pub(crate) fn headroom(user_name: Option<&SecurityName>, context_name: &str) -> usize {
    let security = match user_name {
        Some(name) => usm::HEADROOM + name.as_str().len(),
        None => tsm::HEADROOM,
    };
    security + EngineId::LONGEST + context_name.len()
}
