//! What messages of all versions have in common, on their way to the agent and from it.

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::pdu::{CommonPdu, Pdu, PduType};

use super::GeneratorDiscard;
use super::command::OutgoingPdu;
use super::report::Report;
#[cfg(feature = "experiments")]
use crate::compression::CompressionSet;

/// The numbers by which an answer is recognised.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageIds {
    /// msgID; that of the versions before SNMPv3 is the request-id.
    pub(super) msg_id: i32,
    pub(super) request_id: i32,
}

/// What came from the agent.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    pub(super) msg_id: i32,
    pub(super) content: Content<'a>,
}

/// What a message from the agent is.
#[derive(Debug)]
pub(super) enum Content<'a> {
    Response {
        pdu: CommonPdu<'a>,
        /// contextEngineID and contextName, in SNMPv3.
        context: Option<(&'a [u8], &'a [u8])>,
    },
    Report(Report),
}

/// A writer with the variable bindings of a request.
pub(super) fn writer<'b>(
    pdu: &OutgoingPdu,
    headroom: usize,
    buffer: &'b mut [u8],
) -> Result<Writer<'b>, EncodeError> {
    let headroom = buffer
        .len()
        .checked_sub(pdu.var_binds.len())
        .ok_or(EncodeError::BufferFull)?
        .min(headroom);
    let mut writer = Writer::new(buffer, headroom)?;
    writer.append(&pdu.var_binds)?;
    Ok(writer)
}

pub(super) fn response(pdu: Pdu<'_>) -> Result<CommonPdu<'_>, GeneratorDiscard> {
    match pdu {
        Pdu::Common(pdu) if pdu.pdu_type == PduType::Response => Ok(pdu),
        other => {
            #[cfg(feature = "experiments")]
            CompressionSet::NONE
                .admit(&other)
                .map_err(GeneratorDiscard::Undecodable)?;
            Err(GeneratorDiscard::NotAResponse(other.pdu_type()))
        }
    }
}
