//! Traps on their way out.

use std::ops::Range;

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::CommunityMessage;
use varbind_codec::pdu::{PduType, var_bind_length};
use varbind_codec::smi::{Oid, OwnedValue};

use super::NotSent;
use crate::applications::command_generator::{MessageProcessing, SendError};
use crate::applications::notification::TrapV1Parameters;

/// A trap, ready but for the headers of the message.
#[derive(Debug)]
pub(super) struct OutgoingTrap {
    /// Of a Trap-PDU of SNMPv1.
    pub(super) v1: Option<TrapV1Parameters>,
    /// Encoded variable bindings.
    pub(super) var_binds: Vec<u8>,
}

impl OutgoingTrap {
    pub(super) fn new(
        v1: Option<TrapV1Parameters>,
        var_binds: &[(Oid, OwnedValue)],
    ) -> Result<Self, EncodeError> {
        let length = var_binds
            .iter()
            .map(|(name, value)| var_bind_length(name.arcs(), &value.as_value()))
            .sum::<Result<usize, _>>()?;
        let mut octets = vec![0; length];
        let mut writer = Writer::new(&mut octets, 0)?;
        for (name, value) in var_binds {
            writer.append_var_bind(name.arcs(), value.as_value())?;
        }
        Ok(Self {
            v1,
            var_binds: octets,
        })
    }

    /// More octets than all headers take.
    fn headroom(&self, processing: &MessageProcessing) -> usize {
        let enterprise = self
            .v1
            .as_ref()
            .map_or(0, |v1| 5 * v1.enterprise.arcs().len());
        CommunityMessage::HEADROOM + community(processing).len() + enterprise
    }

    /// Fails if the message is larger than allowed.
    pub(super) fn check_size(
        &self,
        processing: &MessageProcessing,
        max_message_size: usize,
    ) -> Result<(), NotSent> {
        let mut buffer = vec![0; self.var_binds.len() + self.headroom(processing)];
        let length = self.write(processing, 1 << 30, &mut buffer)?.len();
        if length > max_message_size {
            return Err(NotSent::Message(SendError::TooLarge {
                length,
                max_message_size,
            }));
        }
        Ok(())
    }

    /// Makes the message, and tells where in `buffer` it is.
    pub(super) fn write(
        &self,
        processing: &MessageProcessing,
        request_id: i32,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, EncodeError> {
        let headroom = buffer
            .len()
            .checked_sub(self.var_binds.len())
            .ok_or(EncodeError::BufferFull)?
            .min(self.headroom(processing));
        let mut writer = Writer::new(buffer, headroom)?;
        writer.append(&self.var_binds)?;
        match &self.v1 {
            Some(v1) => writer.prepend_trap_v1(
                v1.enterprise.arcs(),
                v1.agent_address,
                v1.generic_trap,
                v1.specific_trap,
                v1.time_stamp,
            )?,
            None => writer.prepend_pdu(PduType::TrapV2, request_id, 0, 0)?,
        }
        writer.prepend_community_header(processing.version(), community(processing))?;
        Ok(writer.range())
    }
}

/// The community of a message of SNMPv1 or SNMPv2c.
fn community(processing: &MessageProcessing) -> &[u8] {
    match processing {
        MessageProcessing::V1 { community } | MessageProcessing::V2c { community } => community,
        MessageProcessing::V3(_) => &[],
    }
}
