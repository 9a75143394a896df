use alloc::vec;
use alloc::vec::Vec;

use super::NameCompression;
use crate::ber::{DecodeError, DecodeErrorKind, EncodeError, Writer};
use crate::message::CommunityMessage;
use crate::pdu::Pdu;

/// The same message of SNMPv1 or SNMPv2c with its names compressed, as it goes over the network.
///
/// # Errors
/// When it is no such message; a Trap-PDU of SNMPv1 has no compressed form.
pub fn compress_message(
    message: &[u8],
    compression: NameCompression,
) -> Result<Vec<u8>, DecodeError> {
    let CommunityMessage {
        version,
        community,
        pdu,
    } = CommunityMessage::decode(message)?;
    let Pdu::Common(pdu) = pdu else {
        return Err(not_whole(message.len()));
    };
    let mut var_binds = Vec::new();
    compression.compress(pdu.var_binds.encoded(), usize::MAX, &mut var_binds)?;
    write(message, &var_binds, community.len(), |writer| {
        writer.prepend_compressed_pdu(
            compression,
            pdu.pdu_type,
            pdu.request_id,
            pdu.error_status,
            pdu.error_index,
        )?;
        writer.prepend_community_header(version, community)
    })
}

/// The message of SNMPv1 or SNMPv2c that a compressed one stands for. What is not compressed stays as it is.
///
/// # Errors
/// As [`NameCompression::expand`], with the limit for the variable bindings; and when it is no such message.
pub fn expand_message(message: &[u8], limit: usize) -> Result<Vec<u8>, DecodeError> {
    let CommunityMessage {
        version,
        community,
        pdu,
    } = CommunityMessage::decode(message)?;
    let mut expanded = Vec::new();
    let pdu = match pdu {
        Pdu::Common(pdu) if pdu.compression().is_some() => pdu.expand(limit, &mut expanded)?,
        _ => return Ok(message.to_vec()),
    };
    write(
        message,
        pdu.var_binds.encoded(),
        community.len(),
        |writer| {
            writer.prepend_pdu(
                pdu.pdu_type,
                pdu.request_id,
                pdu.error_status,
                pdu.error_index,
            )?;
            writer.prepend_community_header(version, community)
        },
    )
}

fn write(
    message: &[u8],
    var_binds: &[u8],
    community: usize,
    headers: impl FnOnce(&mut Writer<'_>) -> Result<(), EncodeError>,
) -> Result<Vec<u8>, DecodeError> {
    let headroom = CommunityMessage::HEADROOM + community;
    let mut buffer = vec![0; headroom + var_binds.len()];
    let try_write = || {
        let mut writer = Writer::new(&mut buffer, headroom)?;
        writer.append(var_binds)?;
        headers(&mut writer)?;
        Ok(writer.written().to_vec())
    };
    // The room is enough for any headers.
    try_write().map_err(|_: EncodeError| not_whole(message.len()))
}

const fn not_whole(offset: usize) -> DecodeError {
    DecodeError {
        kind: DecodeErrorKind::Truncated,
        offset,
    }
}
