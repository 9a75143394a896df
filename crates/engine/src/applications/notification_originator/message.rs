//! Traps on their way out.

use std::ops::Range;
use std::sync::Arc;

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::CommunityMessage;
use varbind_codec::pdu::{PduType, var_bind_length};
use varbind_codec::smi::{Oid, OwnedValue};

use super::NotSent;
use crate::applications::command_generator::{MessageProcessing, SendError, V3Parameters};
use crate::applications::notification::TrapV1Parameters;
use crate::clock::Instant;
use crate::engine_id::EngineId;
use crate::security::usm::{Envelope, HEADROOM, LocalEngine, Protection, UserSecurity};

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
    fn headroom(&self, sender: &Sender<'_>) -> usize {
        let enterprise = self
            .v1
            .as_ref()
            .map_or(0, |v1| 5 * v1.enterprise.arcs().len());
        match sender {
            Sender::Community(processing) => {
                CommunityMessage::HEADROOM + community(processing).len() + enterprise
            }
            Sender::User(user) => {
                HEADROOM
                    + EngineId::LONGEST
                    + user.parameters.user_name().as_str().len()
                    + user.parameters.context_name.len()
            }
        }
    }

    /// Fails if the message is larger than allowed.
    pub(super) fn check_size(
        &self,
        sender: &Sender<'_>,
        max_message_size: usize,
    ) -> Result<(), NotSent> {
        // Encryption pads by less than a block.
        const PADDING: usize = 16;
        let mut buffer = vec![0; self.var_binds.len() + self.headroom(sender) + PADDING];
        let length = self
            .write(Instant::ORIGIN, sender, 1 << 30, &mut buffer)?
            .len();
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
        now: Instant,
        sender: &Sender<'_>,
        id: i32,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, EncodeError> {
        let headroom = buffer
            .len()
            .checked_sub(self.var_binds.len())
            .ok_or(EncodeError::BufferFull)?
            .min(self.headroom(sender));
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
            None => writer.prepend_pdu(PduType::TrapV2, id, 0, 0)?,
        }
        match sender {
            Sender::Community(processing) => {
                writer.prepend_community_header(processing.version(), community(processing))?;
                Ok(writer.range())
            }
            Sender::User(user) => user.enclose(now, id, writer),
        }
    }
}

/// In whose name a trap is sent.
pub(super) enum Sender<'a> {
    Community(&'a MessageProcessing),
    User(&'a TrapUser),
}

/// A user of SNMPv3 at the engine that sends its traps.
#[derive(Debug)]
pub(super) struct TrapUser {
    engine: Arc<LocalEngine>,
    parameters: V3Parameters,
    security: UserSecurity,
}

impl TrapUser {
    /// `None` if the keys of the user are not for this engine.
    pub(super) fn new(engine: &Arc<LocalEngine>, parameters: &V3Parameters) -> Option<Self> {
        Some(Self {
            security: parameters.credentials.localize(engine.id()).ok()?,
            engine: Arc::clone(engine),
            parameters: parameters.clone(),
        })
    }

    fn enclose(
        &self,
        now: Instant,
        id: i32,
        mut writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        let level = self.parameters.credentials.security_level();
        let engine_id = self.engine.id().as_octets();
        let context_engine_id = self.parameters.context_engine_id.as_ref();
        writer.prepend_scoped_pdu(
            context_engine_id.map_or(engine_id, EngineId::as_octets),
            self.parameters.context_name.as_bytes(),
        )?;
        let envelope = Envelope {
            msg_id: id,
            msg_max_size: self.engine.max_message_size(),
            // RFC 3412 6.4: a trap is not answered.
            reportable: false,
            engine_id,
            engine_time: self.engine.time(now),
            user_name: self.parameters.user_name().as_str().as_bytes(),
            // The keys were made for the level.
            protection: self
                .security
                .protection(level)
                .unwrap_or(Protection::NoAuthNoPriv),
            salt: self.engine.next_salt(),
        };
        envelope.enclose(writer)
    }
}

/// The community of a message of SNMPv1 or SNMPv2c.
fn community(processing: &MessageProcessing) -> &[u8] {
    match processing {
        MessageProcessing::V1 { community } | MessageProcessing::V2c { community } => community,
        MessageProcessing::V3(_) => &[],
    }
}
