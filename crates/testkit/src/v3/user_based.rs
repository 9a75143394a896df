//! Messages of SNMPv3 made and taken apart by hand, beside the engine's own code, so that any part can be wrong.

use cfb_mode::cipher::KeyIvInit;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use varbind_codec::ber::{Reader, Tag, Writer};
use varbind_codec::message::{
    HeaderData, MsgFlags, ScopedPdu, ScopedPduData, SecurityLevel, UsmSecurityParameters, V3Message,
};
use varbind_codec::pdu::{ErrorStatus, Pdu, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::{AuthenticationProtocol, MasterKey, Password, PrivacyProtocol};

use crate::fixture::oid;

/// The engine ID of the agent.
pub(crate) fn agent_id() -> EngineId {
    EngineId::new(b"\x80\x00\x7e\xd9\x04agent").expect("an engine ID")
}

/// The key of a password at the agent for HMAC-SHA-256.
pub(crate) fn key(password: &str) -> Vec<u8> {
    let password = Password::new(password).expect("long enough");
    let master = MasterKey::derive(AuthenticationProtocol::Sha256, &password);
    master.localize(&agent_id()).expose_octets().to_vec()
}

/// The key of a password at the agent for AES.
pub(crate) fn privacy_key(password: &str) -> Vec<u8> {
    let password = Password::new(password).expect("long enough");
    let master = MasterKey::derive(AuthenticationProtocol::Sha256, &password);
    let key = master.localize_for_privacy(PrivacyProtocol::Aes128, &agent_id());
    key.expose_octets().to_vec()
}

pub(crate) const SALT: [u8; 8] = *b"saltsalt";

/// A request in parts. The digest is HMAC-SHA-256, the cipher AES-128.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) msg_id: i32,
    pub(crate) msg_max_size: i32,
    pub(crate) level: SecurityLevel,
    pub(crate) reportable: bool,
    pub(crate) security_model: i32,
    pub(crate) engine_id: Vec<u8>,
    pub(crate) boots: i32,
    pub(crate) time: i32,
    pub(crate) user_name: Vec<u8>,
    pub(crate) key: Vec<u8>,
    pub(crate) privacy_key: Vec<u8>,
    pub(crate) salt: Vec<u8>,
    pub(crate) context_engine_id: Vec<u8>,
    pub(crate) context_name: Vec<u8>,
    pub(crate) pdu_type: PduType,
    pub(crate) request_id: i32,
    pub(crate) max_repetitions: i32,
    pub(crate) var_binds: Vec<VarBind>,
    /// Takes the place of the scopedPDU before it is encrypted.
    pub(crate) scoped_pdu: Option<Vec<u8>>,
}

impl Message {
    /// A GetRequest of a user of that level.
    pub(crate) fn get(level: SecurityLevel, name: &str) -> Self {
        let user_name: &[u8] = match level {
            SecurityLevel::NoAuthNoPriv => b"open",
            SecurityLevel::AuthNoPriv => b"signer",
            SecurityLevel::AuthPriv => b"ops",
        };
        Self {
            msg_id: 4711,
            msg_max_size: 65_507,
            level,
            reportable: true,
            security_model: 3,
            engine_id: agent_id().as_octets().to_vec(),
            boots: crate::agent::BOOTS,
            time: crate::agent::TIME,
            user_name: user_name.to_vec(),
            key: key("authentication"),
            privacy_key: privacy_key("privacyprivacy"),
            salt: SALT.to_vec(),
            context_engine_id: agent_id().as_octets().to_vec(),
            context_name: Vec::new(),
            pdu_type: PduType::GetRequest,
            request_id: 99,
            max_repetitions: 0,
            var_binds: vec![VarBind::new(oid(name), Value::Null)],
            scoped_pdu: None,
        }
    }

    /// The scopedPDU as it is.
    pub(crate) fn encode_scoped_pdu(&self) -> Vec<u8> {
        let mut buffer = vec![0; 65_535];
        let mut writer = Writer::new(&mut buffer, 512).expect("room");
        for VarBind { name, value } in &self.var_binds {
            writer
                .append_var_bind(name.arcs(), value.as_value_ref())
                .expect("room");
        }
        writer
            .prepend_pdu(self.pdu_type, self.request_id, 0, self.max_repetitions)
            .expect("room");
        writer
            .prepend_scoped_pdu(&self.context_engine_id, &self.context_name)
            .expect("room");
        writer.written().to_vec()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut scoped_pdu = match &self.scoped_pdu {
            Some(octets) => octets.clone(),
            None => self.encode_scoped_pdu(),
        };
        let mut buffer = vec![0; 65_535];
        let mut writer = Writer::new(&mut buffer, 512).expect("room");
        if self.level == SecurityLevel::AuthPriv {
            let vector = vector(self.boots, self.time, &self.salt);
            cfb_mode::Encryptor::<aes::Aes128>::new_from_slices(&self.privacy_key, &vector)
                .expect("16 octets")
                .encrypt(&mut scoped_pdu);
        }
        writer.append(&scoped_pdu).expect("room");
        if self.level == SecurityLevel::AuthPriv {
            writer.enclose(Tag::OCTET_STRING).expect("room");
        }
        let zeros = [0; 24];
        let is_signed = self.level != SecurityLevel::NoAuthNoPriv;
        let from_end = writer
            .prepend_usm_security_parameters(&UsmSecurityParameters {
                authoritative_engine_id: &self.engine_id,
                authoritative_engine_boots: self.boots,
                authoritative_engine_time: self.time,
                user_name: &self.user_name,
                authentication_parameters: if is_signed { &zeros } else { &[] },
                privacy_parameters: match self.level {
                    SecurityLevel::AuthPriv => &self.salt,
                    _ => &[],
                },
                digest_offset: 0,
            })
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
        let mut message = writer.written().to_vec();
        if is_signed {
            let at = message.len() - from_end;
            let digest = digest(&self.key, &message);
            message[at..at + 24].copy_from_slice(&digest);
        }
        message
    }
}

fn vector(boots: i32, time: i32, salt: &[u8]) -> [u8; 16] {
    let mut vector = [0; 16];
    vector[..4].copy_from_slice(&boots.to_be_bytes());
    vector[4..8].copy_from_slice(&time.to_be_bytes());
    let salt = &salt[..salt.len().min(8)];
    vector[8..8 + salt.len()].copy_from_slice(salt);
    vector
}

fn digest(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length");
    mac.update(message);
    mac.finalize().into_bytes()[..24].to_vec()
}

/// What came back, with its digest checked and its scopedPDU decrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) msg_id: i32,
    pub(crate) msg_max_size: i32,
    pub(crate) level: SecurityLevel,
    pub(crate) reportable: bool,
    pub(crate) engine_id: Vec<u8>,
    pub(crate) boots: i32,
    pub(crate) time: i32,
    pub(crate) user_name: Vec<u8>,
    pub(crate) context_engine_id: Vec<u8>,
    pub(crate) context_name: Vec<u8>,
    pub(crate) pdu_type: PduType,
    pub(crate) request_id: i32,
    pub(crate) status: ErrorStatus,
    pub(crate) var_binds: Vec<VarBind>,
}

impl Answer {
    /// Takes an answer to `request` apart.
    pub(crate) fn decode(request: &Message, octets: &[u8]) -> Self {
        let message = V3Message::decode(octets).expect("a message");
        let usm = UsmSecurityParameters::decode(message.security_parameters).expect("parameters");
        let level = message.header.msg_flags.security_level;
        if level == SecurityLevel::NoAuthNoPriv {
            assert!(usm.authentication_parameters.is_empty());
        } else {
            let mut unsigned = octets.to_vec();
            unsigned[usm.digest_offset..usm.digest_offset + 24].fill(0);
            assert_eq!(
                usm.authentication_parameters,
                digest(&request.key, &unsigned)
            );
        }
        let mut plaintext;
        let reader = match message.data {
            ScopedPduData::Plaintext(reader) => reader,
            ScopedPduData::Encrypted(encrypted) => {
                let (boots, time) = (
                    usm.authoritative_engine_boots,
                    usm.authoritative_engine_time,
                );
                let vector = vector(boots, time, usm.privacy_parameters);
                plaintext = encrypted.to_vec();
                cfb_mode::Decryptor::<aes::Aes128>::new_from_slices(&request.privacy_key, &vector)
                    .expect("16 octets")
                    .decrypt(&mut plaintext);
                Reader::new(&plaintext)
            }
        };
        let scoped_pdu = ScopedPdu::decode(reader).expect("a scopedPDU");
        let Pdu::Common(pdu) = scoped_pdu.pdu else {
            panic!("a trap is no answer");
        };
        Self {
            msg_id: message.header.msg_id,
            msg_max_size: message.header.msg_max_size,
            level,
            reportable: message.header.msg_flags.reportable,
            engine_id: usm.authoritative_engine_id.to_vec(),
            boots: usm.authoritative_engine_boots,
            time: usm.authoritative_engine_time,
            user_name: usm.user_name.to_vec(),
            context_engine_id: scoped_pdu.context_engine_id.to_vec(),
            context_name: scoped_pdu.context_name.to_vec(),
            pdu_type: pdu.pdu_type,
            request_id: pdu.request_id,
            status: pdu.status(),
            var_binds: pdu
                .var_binds
                .map(|var_bind| var_bind.expect("a binding").to_owned())
                .collect(),
        }
    }
}
