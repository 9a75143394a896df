//! A message taken apart, to be compared with what was read and to be written.

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{GenericTrap, Pdu, PduType, VarBinds};
use varbind_codec::smi::{Oid, VarBind};

/// The variable part of a PDU.
#[derive(Clone, Debug)]
pub(crate) enum PduFields {
    /// Any type but the Trap-PDU of SNMPv1.
    Common {
        pdu_type: PduType,
        request_id: i32,
        error_status: i32,
        error_index: i32,
    },
    /// The Trap-PDU of SNMPv1.
    TrapV1 {
        enterprise: Oid,
        agent_address: [u8; 4],
        generic_trap: GenericTrap,
        specific_trap: i32,
        time_stamp: u32,
    },
}

/// A message in parts.
#[derive(Clone, Debug)]
pub(crate) struct MessageParts {
    pub(crate) version: Version,
    pub(crate) community: Vec<u8>,
    pub(crate) fields: PduFields,
    pub(crate) var_binds: Vec<VarBind>,
}

impl MessageParts {
    /// Writes the message into a fresh buffer.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let mut buffer = vec![0; 65_535];
        let headroom = CommunityMessage::HEADROOM + self.community.len() + 640;
        let mut writer = Writer::new(&mut buffer, headroom)?;
        for VarBind { name, value } in &self.var_binds {
            writer.append_var_bind(name.arcs(), value.as_value_ref())?;
        }
        match &self.fields {
            PduFields::Common {
                pdu_type,
                request_id,
                error_status,
                error_index,
            } => writer.prepend_pdu(*pdu_type, *request_id, *error_status, *error_index)?,
            PduFields::TrapV1 {
                enterprise,
                agent_address,
                generic_trap,
                specific_trap,
                time_stamp,
            } => writer.prepend_trap_v1(
                enterprise.arcs(),
                *agent_address,
                *generic_trap,
                *specific_trap,
                *time_stamp,
            )?,
        }
        writer.prepend_community_header(self.version, &self.community)?;
        Ok(writer.written().to_vec())
    }
}

fn collect(var_binds: VarBinds<'_>) -> Vec<VarBind> {
    var_binds
        .map(|var_bind| {
            var_bind
                .expect("a variable binding that was written")
                .to_owned()
        })
        .collect()
}

/// Compares all fields.
///
/// # Panics
/// When one differs.
pub(crate) fn assert_same(message: &CommunityMessage<'_>, parts: &MessageParts) {
    assert_eq!(message.version, parts.version);
    assert_eq!(message.community, parts.community);
    let var_binds = match (&message.pdu, &parts.fields) {
        (
            Pdu::Common(pdu),
            PduFields::Common {
                pdu_type,
                request_id,
                error_status,
                error_index,
            },
        ) => {
            assert_eq!(pdu.pdu_type, *pdu_type);
            assert_eq!(pdu.request_id, *request_id);
            assert_eq!(pdu.error_status, *error_status);
            assert_eq!(pdu.error_index, *error_index);
            pdu.var_binds.clone()
        }
        (
            Pdu::TrapV1(pdu),
            PduFields::TrapV1 {
                enterprise,
                agent_address,
                generic_trap,
                specific_trap,
                time_stamp,
            },
        ) => {
            assert_eq!(pdu.enterprise.to_oid(), *enterprise);
            assert_eq!(pdu.agent_address, *agent_address);
            assert_eq!(pdu.generic_trap, *generic_trap);
            assert_eq!(pdu.specific_trap, *specific_trap);
            assert_eq!(pdu.time_stamp, *time_stamp);
            pdu.var_binds.clone()
        }
        (pdu, fields) => panic!("{fields:?} became {pdu:?}"),
    };
    assert_eq!(collect(var_binds), parts.var_binds);
}
