//! The user-based security model: an agent with users, and messages made and taken apart by hand, beside the engine's own
//! code, so that any part can be wrong.

use std::time::Duration;

use cfb_mode::cipher::KeyIvInit;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use varbind_codec::ber::{Reader, Tag, Writer};
use varbind_codec::message::{
    HeaderData, MsgFlags, ScopedPduData, SecurityLevel, UsmSecurityParameters, V3Message,
};
use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::access_control::Vacm;
use varbind_engine::clock::Instant;
use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, LocalEngine, MasterKey, Password, PrivacyProtocol,
    UserTable, UsmUser,
};
use varbind_engine::security::{SecurityModel, SecurityName};

use super::scoped_pdu::ScopedPduParts;
use super::{BOOTS, Request, V3Agent, agent_id};
use crate::command_responder::host;
use crate::oid;

/// snmpEngineTime when a test begins.
pub const TIME: i32 = 1000;

/// A password.
pub fn password(text: &str) -> Password {
    Password::new(text).expect("long enough")
}

/// A user of the agent.
pub fn user(name: &str, credentials: &Credentials) -> UsmUser {
    let security = credentials.localize(&agent_id()).expect("right lengths");
    UsmUser::new(SecurityName::new(name), security).expect("a name")
}

/// The credentials of `ops`.
pub fn auth_priv() -> Credentials {
    Credentials::auth_priv(
        AuthenticationProtocol::Sha256,
        &password("authentication"),
        PrivacyProtocol::Aes128,
        &password("privacyprivacy"),
    )
}

/// The credentials of `signer`.
pub fn auth_no_priv() -> Credentials {
    Credentials::auth_no_priv(AuthenticationProtocol::Sha256, &password("authentication"))
}

fn users() -> UserTable {
    UserTable::new([
        user("open", &Credentials::NoAuthNoPriv),
        user("signer", &auth_no_priv()),
        user("ops", &auth_priv()),
    ])
}

/// Access to everything for these users.
pub fn access_control(names: &[&str]) -> Vacm {
    let names: Vec<_> = names
        .iter()
        .map(|name| (SecurityModel::UserBased, *name))
        .collect();
    super::access_control(&names)
}

/// When a test begins; the engine started at the origin.
pub fn start() -> Instant {
    Instant::ORIGIN + Duration::from_secs(TIME.unsigned_abs().into())
}

impl V3Agent {
    /// `open`, `signer` and `ops` have the three levels, SHA-256 and AES-128, and access to everything.
    pub fn with_users() -> Self {
        Self::with_engine(LocalEngine::new(agent_id(), BOOTS, Instant::ORIGIN, 42))
    }

    /// The same with another engine.
    pub fn with_engine(engine: LocalEngine) -> Self {
        let mut agent = Self::new(engine, || host(20), start());
        agent.local.users = users();
        agent.local.access_control = access_control(&["open", "signer", "ops"]);
        agent
    }
}

/// The key of a password at the agent for HMAC-SHA-256.
pub fn key(text: &str) -> Vec<u8> {
    let master = MasterKey::derive(AuthenticationProtocol::Sha256, &password(text));
    master.localize(&agent_id()).expose_octets().to_vec()
}

/// The key of a password at the agent for AES.
pub fn privacy_key(text: &str) -> Vec<u8> {
    let master = MasterKey::derive(AuthenticationProtocol::Sha256, &password(text));
    let key = master.localize_for_privacy(PrivacyProtocol::Aes128, &agent_id());
    key.expose_octets().to_vec()
}

/// The salt of each message.
pub const SALT: [u8; 8] = *b"saltsalt";

/// A request in parts. The digest is HMAC-SHA-256, the cipher AES-128.
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
    /// msgAuthoritativeEngineID.
    pub engine_id: Vec<u8>,
    /// msgAuthoritativeEngineBoots.
    pub boots: i32,
    /// msgAuthoritativeEngineTime.
    pub time: i32,
    /// msgUserName.
    pub user_name: Vec<u8>,
    /// The key of the digest.
    pub key: Vec<u8>,
    /// The key of the cipher.
    pub privacy_key: Vec<u8>,
    /// msgPrivacyParameters.
    pub salt: Vec<u8>,
    /// contextEngineID.
    pub context_engine_id: Vec<u8>,
    /// contextName.
    pub context_name: Vec<u8>,
    /// The type of the PDU.
    pub pdu_type: PduType,
    /// request-id.
    pub request_id: i32,
    /// error-index, or max-repetitions.
    pub max_repetitions: i32,
    /// variable-bindings.
    pub var_binds: Vec<VarBind>,
    /// Takes the place of the scopedPDU before it is encrypted.
    pub scoped_pdu: Option<Vec<u8>>,
}

impl Message {
    /// A GetRequest of a user of that level.
    pub fn get(level: SecurityLevel, name: &str) -> Self {
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
            boots: BOOTS,
            time: TIME,
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

    /// The scopedPDU before it is encrypted.
    pub fn encode_scoped_pdu(&self) -> Vec<u8> {
        ScopedPduParts {
            context_engine_id: self.context_engine_id.clone(),
            context_name: self.context_name.clone(),
            pdu_type: self.pdu_type,
            request_id: self.request_id,
            error_status: 0,
            error_index: self.max_repetitions,
            var_binds: self.var_binds.clone(),
        }
        .encode()
    }

    /// The message in octets.
    pub fn encode(&self) -> Vec<u8> {
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

impl Request for Message {
    type Answer = Answer;

    fn encode(&self) -> Vec<u8> {
        Self::encode(self)
    }

    #[track_caller]
    fn decode_response(&self, octets: &[u8]) -> Answer {
        assert!(octets.len() <= usize::try_from(self.msg_max_size).expect("positive"));
        let answer = Answer::decode(self, octets);
        assert_eq!(answer.pdu_type, PduType::Response);
        assert_eq!(answer.msg_id, self.msg_id);
        assert_eq!(answer.request_id, self.request_id);
        assert_eq!(answer.level, self.level);
        assert_eq!(answer.user_name, self.user_name);
        assert_eq!(answer.context_engine_id, self.context_engine_id);
        assert_eq!(answer.context_name, self.context_name);
        answer
    }

    #[track_caller]
    fn decode_report(&self, agent: &V3Agent, octets: &[u8]) -> (Answer, Vec<VarBind>) {
        let report = Answer::decode(self, octets);
        assert_eq!(report.pdu_type, PduType::Report);
        assert_eq!(report.msg_id, self.msg_id);
        assert!(!report.reportable);
        // RFC 3412 7.1 (3) e and f
        assert_eq!(report.engine_id, agent_id().as_octets());
        assert_eq!(report.context_engine_id, agent_id().as_octets());
        assert_eq!(report.context_name, b"");
        assert_eq!(report.user_name, self.user_name);
        let engine = agent.local.engine.as_ref().expect("an engine");
        let time = engine.time(agent.now);
        assert_eq!((report.boots, report.time), (time.boots, time.time));
        let var_binds = report.var_binds.clone();
        (report, var_binds)
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
pub struct Answer {
    /// msgID.
    pub msg_id: i32,
    /// msgMaxSize.
    pub msg_max_size: i32,
    /// The level of msgFlags.
    pub level: SecurityLevel,
    /// The reportableFlag.
    pub reportable: bool,
    /// msgAuthoritativeEngineID.
    pub engine_id: Vec<u8>,
    /// msgAuthoritativeEngineBoots.
    pub boots: i32,
    /// msgAuthoritativeEngineTime.
    pub time: i32,
    /// msgUserName.
    pub user_name: Vec<u8>,
    /// contextEngineID.
    pub context_engine_id: Vec<u8>,
    /// contextName.
    pub context_name: Vec<u8>,
    /// The type of the PDU.
    pub pdu_type: PduType,
    /// request-id.
    pub request_id: i32,
    /// error-status.
    pub status: ErrorStatus,
    /// variable-bindings.
    pub var_binds: Vec<VarBind>,
}

impl Answer {
    /// Takes an answer to `request` apart.
    pub fn decode(request: &Message, octets: &[u8]) -> Self {
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
        let scoped_pdu = ScopedPduParts::decode(reader);
        Self {
            msg_id: message.header.msg_id,
            msg_max_size: message.header.msg_max_size,
            level,
            reportable: message.header.msg_flags.reportable,
            engine_id: usm.authoritative_engine_id.to_vec(),
            boots: usm.authoritative_engine_boots,
            time: usm.authoritative_engine_time,
            user_name: usm.user_name.to_vec(),
            context_engine_id: scoped_pdu.context_engine_id,
            context_name: scoped_pdu.context_name,
            pdu_type: scoped_pdu.pdu_type,
            request_id: scoped_pdu.request_id,
            status: ErrorStatus::from_code(scoped_pdu.error_status),
            var_binds: scoped_pdu.var_binds,
        }
    }
}
