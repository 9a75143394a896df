//! Messages of the transport security model made and taken apart by hand, so that any part can be wrong.

use varbind_codec::ber::{Tag, Writer};
use varbind_codec::message::{
    HeaderData, MsgFlags, ScopedPdu, ScopedPduData, SecurityLevel, V3Message,
};
use varbind_codec::pdu::{ErrorStatus, Pdu, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::engine_id::EngineId;

use crate::fixture::oid;

/// The engine ID of the agent.
pub(crate) fn agent_id() -> EngineId {
    EngineId::new(b"\x80\x00\x7e\xd9\x04agent").expect("an engine ID")
}

/// A request in parts.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) msg_id: i32,
    pub(crate) msg_max_size: i32,
    pub(crate) level: SecurityLevel,
    pub(crate) reportable: bool,
    pub(crate) security_model: i32,
    pub(crate) security_parameters: Vec<u8>,
    pub(crate) context_engine_id: Vec<u8>,
    pub(crate) context_name: Vec<u8>,
    pub(crate) pdu_type: PduType,
    pub(crate) request_id: i32,
    pub(crate) error_status: i32,
    pub(crate) max_repetitions: i32,
    pub(crate) var_binds: Vec<VarBind>,
    /// Takes the place of msgData.
    pub(crate) data: Option<Vec<u8>>,
}

impl Message {
    /// A GetRequest of that level.
    pub(crate) fn get(level: SecurityLevel, name: &str) -> Self {
        Self {
            msg_id: 4711,
            msg_max_size: 65_507,
            level,
            reportable: true,
            security_model: 4,
            security_parameters: Vec::new(),
            context_engine_id: agent_id().as_octets().to_vec(),
            context_name: Vec::new(),
            pdu_type: PduType::GetRequest,
            request_id: 99,
            error_status: 0,
            max_repetitions: 0,
            var_binds: vec![VarBind::new(oid(name), Value::Null)],
            data: None,
        }
    }

    /// The scopedPDU.
    pub(crate) fn encode_scoped_pdu(&self) -> Vec<u8> {
        let mut buffer = vec![0; 65_535];
        let mut writer = Writer::new(&mut buffer, 512).expect("room");
        for VarBind { name, value } in &self.var_binds {
            writer
                .append_var_bind(name.arcs(), value.as_value_ref())
                .expect("room");
        }
        writer
            .prepend_pdu(
                self.pdu_type,
                self.request_id,
                self.error_status,
                self.max_repetitions,
            )
            .expect("room");
        writer
            .prepend_scoped_pdu(&self.context_engine_id, &self.context_name)
            .expect("room");
        writer.written().to_vec()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let data = match &self.data {
            Some(octets) => octets.clone(),
            None => self.encode_scoped_pdu(),
        };
        let mut buffer = vec![0; 65_535 + 512];
        let mut writer = Writer::new(&mut buffer, 512).expect("room");
        writer.append(&data).expect("room");
        writer
            .prepend_element(Tag::OCTET_STRING, &self.security_parameters)
            .expect("room");
        writer
            .prepend_v3_header(&HeaderData {
                msg_id: self.msg_id,
                msg_max_size: self.msg_max_size,
                msg_flags: MsgFlags {
                    security_level: self.level,
                    reportable: self.reportable,
                },
                msg_security_model: self.security_model,
            })
            .expect("room");
        writer.written().to_vec()
    }

    /// Takes any message of the model apart.
    #[track_caller]
    pub(crate) fn decode(octets: &[u8]) -> Self {
        let message = V3Message::decode(octets).expect("a message");
        assert_eq!(message.length, octets.len());
        let ScopedPduData::Plaintext(reader) = message.data else {
            panic!("the transport encrypts, nobody else");
        };
        let scoped_pdu = ScopedPdu::decode(reader).expect("a scopedPDU");
        let Pdu::Common(pdu) = scoped_pdu.pdu else {
            panic!("a trap of SNMPv1");
        };
        Self {
            msg_id: message.header.msg_id,
            msg_max_size: message.header.msg_max_size,
            level: message.header.msg_flags.security_level,
            reportable: message.header.msg_flags.reportable,
            security_model: message.header.msg_security_model,
            security_parameters: message.security_parameters.rest().to_vec(),
            context_engine_id: scoped_pdu.context_engine_id.to_vec(),
            context_name: scoped_pdu.context_name.to_vec(),
            pdu_type: pdu.pdu_type,
            request_id: pdu.request_id,
            error_status: pdu.status().code(),
            max_repetitions: pdu.error_index,
            var_binds: pdu
                .var_binds
                .map(|var_bind| var_bind.expect("a binding").to_owned())
                .collect(),
            data: None,
        }
    }

    /// A response to this request.
    pub(crate) fn respond(&self, status: ErrorStatus, var_binds: &[VarBind]) -> Self {
        Self {
            reportable: false,
            pdu_type: PduType::Response,
            error_status: status.code(),
            max_repetitions: 0,
            var_binds: var_binds.to_vec(),
            ..self.clone()
        }
    }

    /// A Report on this request, by the agent.
    pub(crate) fn report(&self, counter: &str) -> Self {
        Self {
            level: SecurityLevel::NoAuthNoPriv,
            reportable: false,
            pdu_type: PduType::Report,
            context_engine_id: agent_id().as_octets().to_vec(),
            context_name: Vec::new(),
            var_binds: vec![VarBind::new(oid(counter), Value::Counter32(1))],
            ..self.clone()
        }
    }
}
