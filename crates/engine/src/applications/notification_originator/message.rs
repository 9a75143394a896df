//! Traps on their way out.

use std::ops::Range;
use std::sync::Arc;

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::CommunityMessage;
use varbind_codec::pdu::{PduType, var_bind_length};
use varbind_codec::smi::VarBind;

use super::NotSent;
use crate::applications::command_generator::{
    ContextEngine, MessageProcessing, SendError, V3Parameters, V3Security,
};
use crate::applications::notification::TrapV1Parameters;
use crate::clock::Instant;
use crate::engine_id::EngineId;
use crate::message_processing::{OutgoingMessage, OutgoingSecurity, headroom};
use crate::security::usm::{self, LocalEngine, Protection, UserSecurity};
use crate::security::{GlobalData, SecurityLevel, SecurityName};

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
        var_binds: &[VarBind],
    ) -> Result<Self, EncodeError> {
        let length = var_binds
            .iter()
            .map(|VarBind { name, value }| var_bind_length(name.arcs(), &value.as_value_ref()))
            .sum::<Result<usize, _>>()?;
        let mut octets = vec![0; length];
        let mut writer = Writer::new(&mut octets, 0)?;
        for VarBind { name, value } in var_binds {
            writer.append_var_bind(name.arcs(), value.as_value_ref())?;
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
            Sender::V3(sender) => sender.headroom(),
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

    /// Writes the message, and returns its range in `buffer`.
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
            Sender::V3(sender) => sender.enclose(now, id, writer),
        }
    }
}

/// In whose name a trap is sent.
pub(super) enum Sender<'a> {
    Community(&'a MessageProcessing),
    V3(&'a TrapSender),
}

/// In whose name traps of SNMPv3 are sent, and by which engine.
#[derive(Debug)]
pub(super) struct TrapSender {
    engine: Arc<LocalEngine>,
    context_engine: ContextEngine,
    context_name: String,
    security: TrapSecurity,
}

/// What protects traps.
#[derive(Debug)]
enum TrapSecurity {
    /// The keys of a user at the engine that sends.
    User(SecurityName, UserSecurity),
    /// The transport.
    Transport(SecurityLevel),
}

impl TrapSender {
    /// `None` if the keys of the user are not for this engine.
    pub(super) fn new(engine: &Arc<LocalEngine>, parameters: &V3Parameters) -> Option<Self> {
        let security = match &parameters.security {
            V3Security::User(user) => TrapSecurity::User(
                user.user_name().clone(),
                user.credentials.localize(engine.id()).ok()?,
            ),
            V3Security::Transport(transport) => TrapSecurity::Transport(transport.security_level),
        };
        Some(Self {
            engine: Arc::clone(engine),
            context_engine: parameters.context_engine,
            context_name: parameters.context_name.clone(),
            security,
        })
    }

    /// More octets than all headers take.
    fn headroom(&self) -> usize {
        let user_name = match &self.security {
            TrapSecurity::User(name, _) => Some(name),
            TrapSecurity::Transport(_) => None,
        };
        headroom(user_name, &self.context_name)
    }

    fn enclose(
        &self,
        now: Instant,
        id: i32,
        writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        let engine_id = self.engine.id();
        let message = OutgoingMessage {
            global_data: GlobalData {
                msg_id: id,
                msg_max_size: self.engine.max_message_size(),
                // RFC 3412 6.4: a trap is not answered.
                reportable: false,
            },
            security: match &self.security {
                TrapSecurity::User(name, security) => OutgoingSecurity::User(usm::Envelope {
                    engine_id: engine_id.as_octets(),
                    engine_time: self.engine.time(now),
                    user_name: name.as_str().as_bytes(),
                    // A level without its keys does not exist.
                    protection: security
                        .protection(security.security_level())
                        .unwrap_or(Protection::NoAuthNoPriv),
                    salt: self.engine.next_salt(),
                }),
                TrapSecurity::Transport(level) => OutgoingSecurity::Transport(*level),
            },
            context_engine_id: originator_engine(&self.context_engine, Some(engine_id))
                .map_or(engine_id.as_octets(), EngineId::as_octets),
            context_name: self.context_name.as_bytes(),
        };
        message.enclose(writer)
    }
}

/// The community of a message of SNMPv1 or SNMPv2c.
fn community(processing: &MessageProcessing) -> &[u8] {
    match processing {
        MessageProcessing::V1 { community } | MessageProcessing::V2c { community } => community,
        MessageProcessing::V3(_) => &[],
    }
}

/// The engine in whose context notifications are (RFC 3413 section 3.3 (3)).
pub(super) const fn originator_engine<'a>(
    context_engine: &'a ContextEngine,
    own: Option<&'a EngineId>,
) -> Option<&'a EngineId> {
    match context_engine {
        ContextEngine::Known(id) => Some(id),
        // That of the peer is of no use here, and what localEngineID means, the receiver could not tell.
        ContextEngine::Peer | ContextEngine::Local => own,
    }
}
