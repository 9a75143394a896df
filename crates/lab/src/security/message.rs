use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::{ScopedPdu, SecurityLevel, UsmSecurityParameters, V3Message};
use varbind_codec::pdu::{CommonPdu, Pdu, PduType};
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::{
    self, EngineTime, Envelope, Plaintext, Protected, SECURITY_MODEL, UserSecurity,
};

use super::{TransportSession, User};
use crate::request::{Answer, MessageTemplate, WrongAnswer, read_answer, usm_report};

/// The largest message over UDP, and our msgMaxSize.
const LARGEST: usize = 65_507;
/// More octets than all headers take.
const HEADROOM: usize =
    usm::HEADROOM + EngineId::LONGEST + UsmSecurityParameters::LONGEST_USER_NAME;
/// Seconds by which the engine may be behind what is known of its time (RFC 3414 section 2.2.3).
const TIME_WINDOW: i32 = 150;

/// Numbers for msgPrivacyParameters, of which none comes twice.
static SALTS: LazyLock<AtomicU64> = LazyLock::new(|| {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    AtomicU64::new(since.map_or(1, |since| since.as_nanos() as u64))
});

/// How the messages of one session are secured.
#[derive(Debug)]
pub(crate) enum Secured {
    /// By what is in each message from the beginning.
    Community,
    /// By the user-based security model.
    User(Box<UserSession>),
    /// By the transport.
    Transport(Box<TransportSession>),
}

/// What is sent as a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outgoing {
    /// Who the engine is (RFC 3414 section 4).
    Discovery,
    /// What time the engine has (RFC 3414 section 4).
    Synchronization,
    /// A request.
    Request,
}

/// A user's session with one engine.
#[derive(Debug)]
pub(crate) struct UserSession {
    name: Vec<u8>,
    level: SecurityLevel,
    engine: Option<Engine>,
    buffer: Vec<u8>,
    plaintext: Plaintext,
}

#[derive(Debug)]
struct Engine {
    id: EngineId,
    keys: UserSecurity,
    time: EngineTime,
    known_at: Instant,
}

/// What a message of the agent holds besides its PDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) engine_id: Option<EngineId>,
    pub(super) time: EngineTime,
    pub(super) level: SecurityLevel,
}

impl Engine {
    fn time(&self) -> EngineTime {
        let elapsed = i32::try_from(self.known_at.elapsed().as_secs()).unwrap_or(i32::MAX);
        EngineTime {
            boots: self.time.boots,
            time: self.time.time.saturating_add(elapsed),
        }
    }
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
                let pdu = template.with_request_id(request_id);
                session.enclose(Outgoing::Request, pdu, request_id)
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
        version: varbind_codec::message::Version,
        answered_by: PduType,
    ) -> Result<Answer<'a>, WrongAnswer> {
        match self {
            Self::Community => read_answer(message, version, answered_by),
            Self::User(session) => session.incoming(message),
            Self::Transport(session) => session.incoming(message),
        }
    }
}

impl UserSession {
    pub(crate) fn new(user: &User) -> Self {
        Self {
            name: user.name().as_bytes().to_vec(),
            level: user.protection().level(),
            engine: None,
            buffer: vec![0; LARGEST],
            plaintext: Plaintext::default(),
        }
    }

    /// Speaks to this engine from now on.
    pub(super) fn adopt(&mut self, id: EngineId, keys: UserSecurity, time: EngineTime) {
        self.engine = Some(Engine {
            id,
            keys,
            time,
            known_at: Instant::now(),
        });
    }

    pub(super) fn set_time(&mut self, time: EngineTime) {
        if let Some(engine) = &mut self.engine {
            engine.time = time;
            engine.known_at = Instant::now();
        }
    }

    pub(super) const fn is_authenticated(&self) -> bool {
        !matches!(self.level, SecurityLevel::NoAuthNoPriv)
    }

    /// A request without variable bindings.
    pub(super) fn probe(&mut self, what: Outgoing, id: i32) -> Result<&[u8], EncodeError> {
        let mut buffer = [0; 64];
        let mut writer = Writer::new(&mut buffer, 64)?;
        writer.prepend_pdu(PduType::GetRequest, id, 0, 0)?;
        self.enclose(what, writer.written(), id)
    }

    /// Puts a PDU into a message whose msgID is its request-id.
    fn enclose(&mut self, what: Outgoing, pdu: &[u8], id: i32) -> Result<&[u8], EncodeError> {
        let engine = match what {
            Outgoing::Discovery => None,
            Outgoing::Synchronization | Outgoing::Request => self.engine.as_ref(),
        };
        let level = match what {
            Outgoing::Discovery => SecurityLevel::NoAuthNoPriv,
            Outgoing::Synchronization => SecurityLevel::AuthNoPriv.min(self.level),
            Outgoing::Request => self.level,
        };
        let engine_id = engine.map_or(&[][..], |engine| engine.id.as_octets());
        let protection = engine
            .and_then(|engine| engine.keys.protection(level))
            .unwrap_or(usm::Protection::NoAuthNoPriv);
        let engine_time = match (engine, protection.authentication()) {
            (Some(engine), Some(_)) => engine.time(),
            // RFC 3414 3.1 (6)
            _ => EngineTime { boots: 0, time: 0 },
        };
        let mut writer = Writer::new(&mut self.buffer, HEADROOM)?;
        writer.append(pdu)?;
        writer.prepend_scoped_pdu(engine_id, b"")?;
        let envelope = Envelope {
            msg_id: id,
            msg_max_size: LARGEST as i32,
            reportable: true,
            engine_id,
            engine_time,
            user_name: engine.map_or(&[][..], |_| &self.name),
            protection,
            salt: SALTS.fetch_add(1, Ordering::Relaxed),
        };
        let range: Range<usize> = envelope.enclose(writer)?;
        Ok(self.buffer.get(range).unwrap_or_default())
    }

    /// Reads an answer to a request.
    fn incoming<'a>(&'a mut self, octets: &'a [u8]) -> Result<Answer<'a>, WrongAnswer> {
        let own = self.level;
        let engine = self.engine.as_ref().map(|engine| engine.id);
        let (origin, answer) = self.open(octets)?;
        let is_report = answer.pdu.pdu_type == PduType::Report;
        // RFC 3412 7.2 (12); a Report comes at the level that the agent could keep.
        if !is_report && (origin.level != own || origin.engine_id != engine) {
            return Err(WrongAnswer::Unauthentic);
        }
        Ok(answer)
    }

    /// Checks the protection of a message and takes it off.
    pub(super) fn open<'a>(
        &'a mut self,
        octets: &'a [u8],
    ) -> Result<(Origin, Answer<'a>), WrongAnswer> {
        let message = V3Message::decode(octets).map_err(|_| WrongAnswer::Undecodable)?;
        let protected = Protected::new(octets, &message).map_err(|_| WrongAnswer::Undecodable)?;
        let header = message.header;
        let level = header.msg_flags.security_level;
        let origin = Origin {
            engine_id: EngineId::new(protected.parameters.authoritative_engine_id).ok(),
            time: protected.engine_time(),
            level,
        };
        let protection = match &self.engine {
            _ if level == SecurityLevel::NoAuthNoPriv => Some(usm::Protection::NoAuthNoPriv),
            None => None,
            Some(engine) => engine.keys.protection(level),
        };
        let protection = protection.ok_or(WrongAnswer::Unauthentic)?;
        let is_ours = header.msg_security_model == SECURITY_MODEL
            && (level == SecurityLevel::NoAuthNoPriv
                || protected.parameters.user_name == self.name);
        if !is_ours || protected.authenticate(protection).is_err() {
            return Err(WrongAnswer::Unauthentic);
        }
        let is_timely = level == SecurityLevel::NoAuthNoPriv || self.is_timely(origin.time);
        let scoped_pdu = protected
            .decrypt(protection, &mut self.plaintext)
            .map_err(|_| WrongAnswer::Undecryptable)?;
        let scoped_pdu = ScopedPdu::decode(scoped_pdu).map_err(|_| match level {
            SecurityLevel::AuthPriv => WrongAnswer::Undecryptable,
            _ => WrongAnswer::Undecodable,
        })?;
        let Pdu::Common(pdu) = scoped_pdu.pdu else {
            return Err(WrongAnswer::Undecodable);
        };
        let expected = match &self.engine {
            Some(engine) => engine.id.as_octets(),
            None => &[],
        };
        match pdu.pdu_type {
            PduType::Report => {}
            PduType::Response
                if pdu.request_id == header.msg_id
                    && scoped_pdu.context_engine_id == expected
                    && scoped_pdu.context_name.is_empty()
                    && is_timely => {}
            PduType::Response => return Err(WrongAnswer::Unauthentic),
            _ => return Err(WrongAnswer::Undecodable),
        }
        let answer = Answer {
            id: header.msg_id,
            pdu,
        };
        Ok((origin, answer))
    }

    /// RFC 3414 section 3.2 (7) b
    fn is_timely(&self, time: EngineTime) -> bool {
        self.engine.as_ref().is_some_and(|engine| {
            let known = engine.time();
            time.boots == known.boots && time.time >= known.time.saturating_sub(TIME_WINDOW)
        })
    }
}

/// Of which error of the user-based security model a Report tells.
pub(super) fn report_of(pdu: &CommonPdu<'_>) -> Option<usm::UsmError> {
    (pdu.pdu_type == PduType::Report).then(|| usm_report(pdu))?
}

#[cfg(test)]
mod tests;
