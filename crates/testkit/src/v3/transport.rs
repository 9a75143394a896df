//! The transport security model: an agent behind a secure transport, and messages made and taken apart by hand, so that any
//! part can be wrong.

use std::sync::Arc;

use varbind_codec::ber::{Tag, Writer};
use varbind_codec::message::{HeaderData, MsgFlags, ScopedPduData, SecurityLevel, V3Message};
use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::clock::Instant;
use varbind_engine::instrumentation::Scalar;
use varbind_engine::security::tsm::TransportSecurityModel;
use varbind_engine::security::usm::LocalEngine;
use varbind_engine::security::{SecurityModel, SecurityName};
use varbind_engine::transport::{SecureTransport, TransportState};

use super::scoped_pdu::ScopedPduParts;
use super::{BOOTS, Request, V3Agent, access_control, agent_id};
use crate::command_responder::host;
use crate::oid;

/// snmpEngineID.
pub const SNMP_ENGINE_ID: &str = "1.3.6.1.6.3.10.2.1.1.0";

/// A session of that level.
pub fn session(transport: SecureTransport, name: &str, level: SecurityLevel) -> TransportState {
    TransportState::new(transport, SecurityName::new(name), level, 1)
}

impl V3Agent {
    /// Messages arrive over TLS with privacy, from `alice`, who has access with the transport security model.
    pub fn over_tls() -> Self {
        let objects = || {
            let name = oid("1.3.6.1.6.3.10.2.1.1");
            let engine_id = Value::OctetString(agent_id().as_octets().to_vec());
            let scalar = Scalar::new(&name, move |_| Some(engine_id.clone()));
            host(20).register(name, Arc::new(scalar))
        };
        let engine = LocalEngine::new(agent_id(), BOOTS, Instant::ORIGIN, 42);
        let mut agent = Self::new(engine, objects, Instant::from_nanos(70_000_000));
        agent.local.transport_security_model = Some(TransportSecurityModel::default());
        agent.local.access_control = access_control(&[(SecurityModel::Transport, "alice")]);
        agent.state = Some(session(
            SecureTransport::Tls,
            "alice",
            SecurityLevel::AuthPriv,
        ));
        agent
    }

    /// Like [`over_tls`](Self::over_tls), with access for `alice` by SNMPv1 and SNMPv2c as well.
    pub fn over_tls_in_all_versions() -> Self {
        let mut agent = Self::over_tls();
        agent.local.access_control = access_control(&[
            (SecurityModel::SnmpV1, "alice"),
            (SecurityModel::SnmpV2c, "alice"),
            (SecurityModel::Transport, "alice"),
        ]);
        agent
    }
}

/// A request in parts.
#[derive(Clone, Debug)]
pub struct Message {
    /// msgID.
    pub msg_id: i32,
    /// msgMaxSize.
    pub msg_max_size: i32,
    /// The level of msgFlags.
    pub level: SecurityLevel,
    /// The reportableFlag.
    pub reportable: bool,
    /// msgSecurityModel.
    pub security_model: i32,
    /// msgSecurityParameters.
    pub security_parameters: Vec<u8>,
    /// contextEngineID.
    pub context_engine_id: Vec<u8>,
    /// contextName.
    pub context_name: Vec<u8>,
    /// The type of the PDU.
    pub pdu_type: PduType,
    /// request-id.
    pub request_id: i32,
    /// error-status, or non-repeaters.
    pub error_status: i32,
    /// error-index, or max-repetitions.
    pub max_repetitions: i32,
    /// variable-bindings.
    pub var_binds: Vec<VarBind>,
    /// Takes the place of msgData.
    pub data: Option<Vec<u8>>,
}

impl Message {
    /// A GetRequest of that level.
    pub fn get(level: SecurityLevel, name: &str) -> Self {
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
    pub fn encode_scoped_pdu(&self) -> Vec<u8> {
        ScopedPduParts {
            context_engine_id: self.context_engine_id.clone(),
            context_name: self.context_name.clone(),
            pdu_type: self.pdu_type,
            request_id: self.request_id,
            error_status: self.error_status,
            error_index: self.max_repetitions,
            var_binds: self.var_binds.clone(),
        }
        .encode()
    }

    /// The message in octets.
    pub fn encode(&self) -> Vec<u8> {
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
    pub fn decode(octets: &[u8]) -> Self {
        let message = V3Message::decode(octets).expect("a message");
        assert_eq!(message.length, octets.len());
        let ScopedPduData::Plaintext(reader) = message.data else {
            panic!("encryption above a secure transport");
        };
        let scoped_pdu = ScopedPduParts::decode(reader);
        Self {
            msg_id: message.header.msg_id,
            msg_max_size: message.header.msg_max_size,
            level: message.header.msg_flags.security_level,
            reportable: message.header.msg_flags.reportable,
            security_model: message.header.msg_security_model,
            security_parameters: message.security_parameters.rest().to_vec(),
            context_engine_id: scoped_pdu.context_engine_id,
            context_name: scoped_pdu.context_name,
            pdu_type: scoped_pdu.pdu_type,
            request_id: scoped_pdu.request_id,
            error_status: scoped_pdu.error_status,
            max_repetitions: scoped_pdu.error_index,
            var_binds: scoped_pdu.var_binds,
            data: None,
        }
    }

    #[track_caller]
    fn check_header(&self, answer: &Self) {
        assert_eq!(answer.msg_id, self.msg_id);
        assert_eq!(answer.security_model, 4);
        assert_eq!(answer.security_parameters, b"");
        assert!(!answer.reportable);
    }

    /// A response to this request.
    pub fn respond(&self, status: ErrorStatus, var_binds: &[VarBind]) -> Self {
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
    pub fn report(&self, counter: &str) -> Self {
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

impl Request for Message {
    type Answer = Self;

    fn encode(&self) -> Vec<u8> {
        Self::encode(self)
    }

    #[track_caller]
    fn decode_response(&self, octets: &[u8]) -> Self {
        let answer = Self::decode(octets);
        self.check_header(&answer);
        assert_eq!(answer.pdu_type, PduType::Response);
        assert_eq!(answer.request_id, self.request_id);
        assert_eq!(answer.level, self.level);
        assert_eq!(answer.context_engine_id, self.context_engine_id);
        assert_eq!(answer.context_name, self.context_name);
        answer
    }

    #[track_caller]
    fn decode_report(&self, _agent: &V3Agent, octets: &[u8]) -> (Self, Vec<VarBind>) {
        let report = Self::decode(octets);
        self.check_header(&report);
        assert_eq!(report.pdu_type, PduType::Report);
        // RFC 3412 7.1 (3) e and f
        assert_eq!(report.context_engine_id, agent_id().as_octets());
        assert_eq!(report.context_name, b"");
        let var_binds = report.var_binds.clone();
        (report, var_binds)
    }
}
