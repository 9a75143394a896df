use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use varbind::transport::message_size::UDP_PAYLOAD;
use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::{SecurityLevel, Version, message_version};
use varbind_codec::pdu::{CommonPdu, Pdu, PduType};
use varbind_engine::clock;
use varbind_engine::engine_id::EngineId;
use varbind_engine::message_processing::{MessageError, Peer, RequestHeaders};
use varbind_engine::security::SecurityName;
use varbind_engine::security::usm::{EngineTime, Plaintext, RemoteEngine, UserSecurity, UsmError};

use super::{TransportSession, User};
use crate::request::{Answer, MessageTemplate, WrongAnswer, read_answer, usm_report};

/// Numbers the sessions of users, over all runs of the program.
static SESSIONS: LazyLock<AtomicU64> = LazyLock::new(|| {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    AtomicU64::new(since.map_or(1, |since| since.as_nanos() as u64))
});

/// When the engine's clock started.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

fn now() -> clock::Instant {
    clock::Instant::ORIGIN + START.elapsed()
}

/// How the messages of one session are secured.
#[derive(Debug)]
pub(crate) enum Secured {
    /// By what is in each message from the beginning.
    Community,
    /// By the user-based security model.
    User(Box<EngineSession>),
    /// By the transport.
    Transport(Box<TransportSession>),
}

/// A request that finds out about an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    /// Who the engine is (RFC 3414 section 4, RFC 5343 section 3.2).
    Discovery,
    /// What time the engine has (RFC 3414 section 4).
    Synchronization,
}

/// A session with one engine in SNMPv3.
#[derive(Debug)]
pub(crate) struct EngineSession {
    peer: Peer,
    level: SecurityLevel,
    /// contextEngineID; until it is known, that of whichever engine listens (RFC 5343 section 3.1).
    engine_id: Option<EngineId>,
    buffer: Vec<u8>,
    plaintext: Plaintext,
}

/// What a message of the agent holds besides its PDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) engine_id: Option<EngineId>,
    pub(super) time: EngineTime,
    pub(super) level: SecurityLevel,
    has_security_name: bool,
}

impl Secured {
    /// A request with this request-id, ready to send.
    pub(crate) fn outgoing<'a>(
        &'a mut self,
        template: &'a mut MessageTemplate,
        request_id: i32,
    ) -> Result<&'a [u8], EncodeError> {
        match self {
            Self::Community => Ok(template.with_request_id(request_id)),
            Self::User(session) => {
                session.enclose(template.with_request_id(request_id), request_id)
            }
            Self::Transport(session) => {
                session.enclose(template.with_request_id(request_id), request_id)
            }
        }
    }

    /// Reads a message of the agent, which must be secured as the requests are.
    pub(crate) fn incoming<'a>(
        &'a mut self,
        message: &'a [u8],
        version: Version,
        answered_by: PduType,
    ) -> Result<Answer<'a>, WrongAnswer> {
        match self {
            Self::Community => read_answer(message, version, answered_by),
            Self::User(session) => session.incoming(message),
            Self::Transport(session) => session.incoming(message),
        }
    }
}

impl EngineSession {
    pub(super) fn of_user(user: &User) -> Self {
        let number = SESSIONS.fetch_add(1, Ordering::Relaxed);
        // Far from those of other sessions.
        let salt = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let peer = Peer::of_user(SecurityName::new(user.name()), salt);
        Self::new(peer, user.protection().level())
    }

    pub(super) fn of_transport(level: SecurityLevel) -> Self {
        Self::new(Peer::of_transport(), level)
    }

    fn new(peer: Peer, level: SecurityLevel) -> Self {
        Self {
            peer,
            level,
            engine_id: None,
            buffer: vec![0; UDP_PAYLOAD],
            plaintext: Plaintext::default(),
        }
    }

    /// Speaks to this engine, with the keys of a user, from now on.
    pub(super) fn adopt(&mut self, id: EngineId, keys: UserSecurity, time: EngineTime) {
        let engine = RemoteEngine::new(id).with_hint(now(), time);
        self.peer.adopt(engine, keys);
        self.engine_id = Some(id);
    }

    /// Asks about this engine over a secure transport from now on.
    pub(super) const fn set_engine_id(&mut self, id: Option<EngineId>) {
        self.engine_id = id;
    }

    pub(super) const fn is_authenticated(&self) -> bool {
        !matches!(self.level, SecurityLevel::NoAuthNoPriv)
    }

    fn headers(&self, id: i32) -> RequestHeaders<'_> {
        let engine_id = self.engine_id.as_ref();
        RequestHeaders {
            msg_id: id,
            msg_max_size: UDP_PAYLOAD as i32,
            security_level: self.level,
            context_engine_id: engine_id.map_or(EngineId::LOCAL, EngineId::as_octets),
            context_name: b"",
        }
    }

    /// A request that finds out about the engine; its msgID is its request-id.
    pub(super) fn probe(&mut self, what: Probe, id: i32) -> Result<&[u8], EncodeError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let headers = self.headers(id);
        let written =
            Writer::new(&mut buffer, self.peer.headroom("")).and_then(|mut writer| match what {
                Probe::Discovery => self.peer.prepare_discovery(headers, id, writer),
                Probe::Synchronization => {
                    writer.prepend_pdu(PduType::GetRequest, id, 0, 0)?;
                    let headers = RequestHeaders {
                        security_level: SecurityLevel::AuthNoPriv.min(self.level),
                        ..headers
                    };
                    self.peer.prepare_outgoing_message(now(), headers, writer)
                }
            });
        self.buffer = buffer;
        Ok(self.buffer.get(written?).unwrap_or_default())
    }

    /// Puts a PDU into a message whose msgID is its request-id.
    pub(super) fn enclose(&mut self, pdu: &[u8], id: i32) -> Result<&[u8], EncodeError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let written = Writer::new(&mut buffer, self.peer.headroom("")).and_then(|mut writer| {
            writer.append(pdu)?;
            self.peer
                .prepare_outgoing_message(now(), self.headers(id), writer)
        });
        self.buffer = buffer;
        Ok(self.buffer.get(written?).unwrap_or_default())
    }

    /// Reads an answer to a request.
    pub(super) fn incoming<'a>(&'a mut self, octets: &'a [u8]) -> Result<Answer<'a>, WrongAnswer> {
        let own = self.level;
        let engine = self.peer.engine().map(|engine| *engine.id());
        let (origin, answer) = self.open(octets)?;
        let is_report = answer.pdu.pdu_type == PduType::Report;
        let is_ours = origin.level == own && origin.engine_id == engine && origin.has_security_name;
        // RFC 3412 7.2 (12); a Report comes at the level that the agent could keep.
        if !is_report && !is_ours {
            return Err(WrongAnswer::Unauthentic);
        }
        Ok(answer)
    }

    /// Checks the protection of a message and takes it off.
    pub(super) fn open<'a>(
        &'a mut self,
        octets: &'a [u8],
    ) -> Result<(Origin, Answer<'a>), WrongAnswer> {
        let Ok((Version::V3, content)) = message_version(octets) else {
            return Err(WrongAnswer::Undecodable);
        };
        let elements = self
            .peer
            .prepare_data_elements(now(), octets, content, &mut self.plaintext)
            .map_err(wrong)?;
        let Pdu::Common(pdu) = elements.pdu else {
            return Err(WrongAnswer::Undecodable);
        };
        let is_in_context = self.engine_id.is_none_or(|id| {
            elements.context_engine_id == id.as_octets() && elements.context_name.is_empty()
        });
        match pdu.pdu_type {
            PduType::Report => {}
            PduType::Response if pdu.request_id == elements.msg_id && is_in_context => {}
            PduType::Response => return Err(WrongAnswer::Unauthentic),
            _ => return Err(WrongAnswer::Undecodable),
        }
        let origin = Origin {
            engine_id: elements.engine_id,
            time: elements.engine_time,
            level: elements.security_level,
            has_security_name: elements.has_security_name,
        };
        let answer = Answer {
            id: elements.msg_id,
            pdu,
        };
        Ok((origin, answer))
    }
}

const fn wrong(error: MessageError) -> WrongAnswer {
    match error {
        MessageError::Undecodable(_) => WrongAnswer::Undecodable,
        MessageError::Usm(UsmError::DecryptionError) => WrongAnswer::Undecryptable,
        MessageError::UnknownSecurityModel(_) | MessageError::Usm(_) => WrongAnswer::Unauthentic,
    }
}

/// The error of the user-based security model in a Report.
pub(super) fn report_of(pdu: &CommonPdu<'_>) -> Option<UsmError> {
    (pdu.pdu_type == PduType::Report).then(|| usm_report(pdu))?
}

#[cfg(test)]
mod tests;
