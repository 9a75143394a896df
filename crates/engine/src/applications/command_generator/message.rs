use std::ops::Range;

use varbind_codec::ber::{DecodeError, EncodeError, Writer};
use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{CommonPdu, Pdu, PduType};
use varbind_codec::smi::{Oid, OwnedValue};

use super::Discard;
use super::command::OutgoingPdu;

/// How messages to the agent are made, and with which right.
#[derive(Clone, PartialEq, Eq)]
pub enum MessageProcessing {
    /// SNMPv1 (RFC 1157).
    V1 {
        /// The community.
        community: Vec<u8>,
    },
    /// SNMPv2c (RFC 1901).
    V2c {
        /// The community.
        community: Vec<u8>,
    },
}

impl std::fmt::Debug for MessageProcessing {
    /// Leaves the community out, since logs are read by more people than may know it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.version())
    }
}

impl MessageProcessing {
    /// The version of the messages.
    #[must_use]
    pub const fn version(&self) -> Version {
        match self {
            Self::V1 { .. } => Version::V1,
            Self::V2c { .. } => Version::V2c,
        }
    }

    pub(in crate::applications) fn community(&self) -> &[u8] {
        match self {
            Self::V1 { community } | Self::V2c { community } => community,
        }
    }

    /// More octets than the headers of a message take.
    pub(super) fn headroom(&self) -> usize {
        CommunityMessage::HEADROOM + self.community().len()
    }

    /// Makes a message (prepareOutgoingMessage, RFC 3411 section 4.2.1), and tells where in `buffer` it is.
    pub(super) fn prepare_outgoing_message(
        &self,
        pdu: &OutgoingPdu,
        request_id: i32,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, EncodeError> {
        let headroom = buffer
            .len()
            .checked_sub(pdu.var_binds.len())
            .ok_or(EncodeError::BufferFull)?
            .min(self.headroom());
        let mut writer = Writer::new(buffer, headroom)?;
        writer.append(&pdu.var_binds)?;
        writer.prepend_pdu(pdu.pdu_type, request_id, pdu.error_status, pdu.error_index)?;
        writer.prepend_community_header(self.version(), self.community())?;
        Ok(writer.range())
    }

    /// Takes a message apart (prepareDataElements, RFC 3411 section 4.2.2).
    ///
    /// Which community a response has is not looked at: some agents answer with another one than asked.
    pub(super) fn prepare_data_elements<'a>(
        &self,
        message: &'a [u8],
    ) -> Result<CommonPdu<'a>, Discard> {
        let message = CommunityMessage::decode(message).map_err(Discard::Undecodable)?;
        if message.version != self.version() {
            return Err(Discard::WrongVersion(message.version));
        }
        match message.pdu {
            Pdu::Common(pdu) if pdu.pdu_type == PduType::Response => Ok(pdu),
            other => Err(Discard::NotAResponse(other.pdu_type())),
        }
    }
}

/// The variable bindings of a response.
pub(super) fn owned(pdu: &CommonPdu<'_>) -> Result<Vec<(Oid, OwnedValue)>, DecodeError> {
    let var_binds = pdu.var_binds.clone();
    // A binding takes 6 octets at least, most take 16.
    let mut owned = Vec::with_capacity(var_binds.encoded_length() / 16 + 1);
    for var_bind in var_binds {
        let var_bind = var_bind?;
        owned.push((var_bind.name.to_oid(), var_bind.value.to_owned()));
    }
    Ok(owned)
}
