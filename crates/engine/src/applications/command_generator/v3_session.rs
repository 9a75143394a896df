use std::ops::Range;

use varbind_codec::ber::{EncodeError, Reader, Writer};
use varbind_codec::message::{HeaderData, ScopedPdu, ScopedPduData, SecurityLevel, V3Message};
use varbind_codec::pdu::{CommonPdu, Pdu, PduType};

use super::command::OutgoingPdu;
use super::session::{Answer, MessageIds, response, writer};
use super::{Configuration, Discard, V3Parameters};
use crate::clock::Instant;
use crate::engine_id::EngineId;
use crate::security::SecurityLevel::NoAuthNoPriv;
use crate::security::usm::{
    EngineTime, Envelope, HEADROOM, Plaintext, Protected, Protection, RemoteEngine, SECURITY_MODEL,
    UserSecurity, UsmError,
};
use crate::statistics::Counter;

/// Message processing with one agent in SNMPv3.
#[derive(Debug)]
pub(super) struct V3Session {
    parameters: V3Parameters,
    msg_max_size: i32,
    salt: u64,
    peer: Option<Peer>,
    /// Whether the engine told who it is, and nothing since.
    is_silent: bool,
}

/// The engine, and the keys for it.
#[derive(Debug)]
struct Peer {
    engine: RemoteEngine,
    security: UserSecurity,
}

/// What came from the agent.
#[derive(Debug)]
pub(super) enum V3Answer<'a> {
    Response(CommonPdu<'a>),
    Report(Report),
}

/// A Report (RFC 3412 section 7.2 (11)).
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// The counter that it tells of, if it is one of those that there are.
    pub(super) counter: Option<Counter>,
    /// Whether the time of the engine was taken from it.
    pub(super) is_authentic: bool,
    /// Who says so, and its time.
    pub(super) engine_id: Option<EngineId>,
    pub(super) engine_time: EngineTime,
    pub(super) msg_max_size: i32,
}

impl V3Session {
    pub(super) fn new(parameters: &V3Parameters, configuration: &Configuration) -> Self {
        let msg_max_size = i32::try_from(configuration.max_message_size).unwrap_or(i32::MAX);
        let mut session = Self {
            parameters: parameters.clone(),
            msg_max_size: msg_max_size.max(HeaderData::LEAST_MAX_SIZE),
            salt: mixed(configuration.seed),
            peer: None,
            is_silent: false,
        };
        if let Some(engine) = &parameters.engine {
            session.adopt(engine.clone());
        }
        session
    }

    pub(super) const fn knows_engine(&self) -> bool {
        self.peer.is_some()
    }

    pub(super) fn engine(&self) -> Option<&RemoteEngine> {
        self.peer.as_ref().map(|peer| &peer.engine)
    }

    /// Whether the engine was discovered and is silent since.
    pub(super) const fn is_silent(&self) -> bool {
        self.is_silent
    }

    pub(super) const fn security_level(&self) -> SecurityLevel {
        self.parameters.credentials.security_level()
    }

    /// Speaks to this engine from now on; `false` if there are no keys for it.
    fn adopt(&mut self, engine: RemoteEngine) -> bool {
        let Ok(security) = self.parameters.credentials.localize(engine.id()) else {
            return false;
        };
        self.peer = Some(Peer { engine, security });
        true
    }

    /// Learns from a Report who the engine is; `false` if that is nothing new (RFC 3414 section 4).
    pub(super) fn discover(&mut self, now: Instant, report: &Report) -> bool {
        let Some(id) = report.engine_id else {
            return false;
        };
        if self.engine().is_some_and(|engine| *engine.id() == id) {
            return false;
        }
        let mut engine = RemoteEngine::new(id).with_hint(now, report.engine_time);
        engine.set_max_message_size(usize::try_from(report.msg_max_size).unwrap_or(usize::MAX));
        self.is_silent = self.adopt(engine);
        self.is_silent
    }

    fn user_name(&self) -> &[u8] {
        self.parameters.user_name().as_str().as_bytes()
    }

    /// More octets than the headers of a message take.
    pub(super) fn headroom(&self) -> usize {
        HEADROOM + self.user_name().len() + EngineId::LONGEST + self.parameters.context_name.len()
    }

    /// A request that asks nothing but who the engine is (RFC 3414 section 4).
    pub(super) fn prepare_discovery(
        &self,
        ids: MessageIds,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, EncodeError> {
        let headroom = buffer.len().min(self.headroom());
        let mut writer = Writer::new(buffer, headroom)?;
        writer.prepend_pdu(PduType::GetRequest, ids.request_id, 0, 0)?;
        writer.prepend_scoped_pdu(b"", b"")?;
        let envelope = Envelope {
            msg_id: ids.msg_id,
            msg_max_size: self.msg_max_size,
            reportable: true,
            engine_id: b"",
            engine_time: EngineTime { boots: 0, time: 0 },
            user_name: b"",
            protection: Protection::NoAuthNoPriv,
            salt: 0,
        };
        envelope.enclose(writer)
    }

    pub(super) fn prepare_request(
        &mut self,
        now: Instant,
        pdu: &OutgoingPdu,
        ids: MessageIds,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, EncodeError> {
        // Who asks without knowing the engine, discovers it.
        let Some(peer) = &self.peer else {
            return self.prepare_discovery(ids, buffer);
        };
        // A message that the engine does not take would be lost.
        let most = peer.engine.max_message_size().unwrap_or(usize::MAX);
        let most = most.min(buffer.len());
        let buffer = buffer.get_mut(..most).unwrap_or_default();
        let mut writer = writer(pdu, self.headroom(), buffer)?;
        writer.prepend_pdu(
            pdu.pdu_type,
            ids.request_id,
            pdu.error_status,
            pdu.error_index,
        )?;
        let engine_id = peer.engine.id();
        let context_engine_id = self.parameters.context_engine_id.as_ref();
        writer.prepend_scoped_pdu(
            context_engine_id.unwrap_or(engine_id).as_octets(),
            self.parameters.context_name.as_bytes(),
        )?;
        let protection = peer.security.protection(self.security_level());
        let engine_time = match self.security_level() {
            // RFC 3414 3.1 (6)
            NoAuthNoPriv => EngineTime { boots: 0, time: 0 },
            _ => peer.engine.time(now),
        };
        let envelope = Envelope {
            msg_id: ids.msg_id,
            msg_max_size: self.msg_max_size,
            reportable: true,
            engine_id: engine_id.as_octets(),
            engine_time,
            user_name: self.user_name(),
            // The keys were made for the level.
            protection: protection.unwrap_or(Protection::NoAuthNoPriv),
            salt: self.salt,
        };
        let range = envelope.enclose(writer)?;
        self.salt = self.salt.wrapping_add(1);
        Ok(range)
    }

    /// Takes a message apart (RFC 3412 section 7.2).
    pub(super) fn prepare_data_elements<'a>(
        &mut self,
        now: Instant,
        octets: &'a [u8],
        content: Reader<'a>,
        plaintext: &'a mut Plaintext,
    ) -> Result<Answer<'a>, Discard> {
        let message = V3Message::decode_content(content).map_err(Discard::Undecodable)?;
        let header = message.header;
        if header.msg_security_model != SECURITY_MODEL {
            return Err(Discard::UnknownSecurityModel(header.msg_security_model));
        }
        let protected = Protected::new(octets, &message).map_err(Discard::Undecodable)?;
        let level = header.msg_flags.security_level;
        let authoritative = protected.parameters.authoritative_engine_id;
        let mut report = Report {
            counter: None,
            is_authentic: level != NoAuthNoPriv,
            engine_id: EngineId::new(authoritative).ok(),
            engine_time: protected.engine_time(),
            msg_max_size: header.msg_max_size,
        };
        let user_name = self.parameters.user_name().as_str().as_bytes();
        let scoped_pdu = match (&mut self.peer, level) {
            (Some(peer), level) if level != NoAuthNoPriv => {
                let user = (user_name, &peer.security);
                match peer
                    .engine
                    .process_incoming_message(user, now, &protected, level, plaintext)
                {
                    Ok(scoped_pdu) => scoped_pdu,
                    Err(error) => {
                        return stale_report(error, &protected, report, header.msg_id)
                            .ok_or(Discard::Usm(error));
                    }
                }
            }
            // Nothing vouches for it: a Report may be like that, a response to a protected request may not.
            (_, NoAuthNoPriv) => protected
                .decrypt(Protection::NoAuthNoPriv, plaintext)
                .map_err(Discard::Usm)?,
            _ => return Err(Discard::Usm(UsmError::UnknownEngineId)),
        };
        let scoped_pdu = ScopedPdu::decode(scoped_pdu).map_err(|error| match level {
            SecurityLevel::AuthPriv => Discard::Usm(UsmError::DecryptionError),
            _ => Discard::Undecodable(error),
        })?;
        if let Pdu::Common(pdu) = &scoped_pdu.pdu
            && pdu.pdu_type == PduType::Report
        {
            report.counter = reported_counter(pdu);
            return Ok(Answer {
                msg_id: header.msg_id,
                content: V3Answer::Report(report),
            });
        }
        let pdu = response(scoped_pdu.pdu)?;
        // RFC 3412 7.2 (12)
        if level != self.parameters.credentials.security_level() {
            return Err(Discard::WrongSecurityLevel(level));
        }
        let Some(peer) = &mut self.peer else {
            return Err(Discard::Usm(UsmError::UnknownEngineId));
        };
        if report.engine_id != Some(*peer.engine.id()) {
            return Err(Discard::Usm(UsmError::UnknownEngineId));
        }
        peer.engine
            .set_max_message_size(usize::try_from(header.msg_max_size).unwrap_or(usize::MAX));
        self.is_silent = false;
        Ok(Answer {
            msg_id: header.msg_id,
            content: V3Answer::Response(pdu),
        })
    }
}

/// A Report that the clock is wrong, from an engine whose own clock went backwards.
fn stale_report<'a>(
    error: UsmError,
    message: &Protected<'_>,
    report: Report,
    msg_id: i32,
) -> Option<Answer<'a>> {
    let ScopedPduData::Plaintext(reader) = message.data else {
        return None;
    };
    let Pdu::Common(pdu) = ScopedPdu::decode(reader).ok()?.pdu else {
        return None;
    };
    let counter = reported_counter(&pdu);
    let is_stale = error == UsmError::NotInTimeWindow
        && pdu.pdu_type == PduType::Report
        && counter == Some(Counter::UsmStatsNotInTimeWindows);
    is_stale.then_some(Answer {
        msg_id,
        content: V3Answer::Report(Report {
            counter,
            is_authentic: false,
            ..report
        }),
    })
}

/// The counter of which the first variable binding of a Report tells.
fn reported_counter(pdu: &CommonPdu<'_>) -> Option<Counter> {
    let first = pdu.var_binds.clone().next()?.ok()?;
    Counter::ALL
        .into_iter()
        .find(|counter| first.name.arcs().eq(counter.instance().iter().copied()))
}

/// Another number than those that request-ids are drawn from.
const fn mixed(seed: u64) -> u64 {
    let mixed = (seed ^ 0x6a09_e667_f3bc_c908).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 29)
}
