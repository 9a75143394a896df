use std::ops::Range;

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::{ScopedPdu, ScopedPduData, V3Message};
use varbind_codec::pdu::{Pdu, PduType};

use super::{Discard, Header, Report, Unprotected, reported_counter};
use crate::applications::command_generator::UserParameters;
use crate::clock::Instant;
use crate::engine_id::EngineId;
use crate::security::SecurityLevel::NoAuthNoPriv;
use crate::security::usm::{
    EngineTime, Envelope, HEADROOM, Plaintext, Protected, Protection, RemoteEngine, SECURITY_MODEL,
    UserSecurity, UsmError,
};
use crate::statistics::Counter;

/// The user-based security model's part of a session.
#[derive(Debug)]
pub(super) struct UserSession {
    user: UserParameters,
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

impl UserSession {
    pub(super) fn new(user: &UserParameters, seed: u64) -> Self {
        let mut session = Self {
            user: user.clone(),
            salt: mixed(seed),
            peer: None,
            is_silent: false,
        };
        if let Some(engine) = &user.engine {
            session.adopt(engine.clone());
        }
        session
    }

    pub(super) const fn engine(&self) -> Option<&RemoteEngine> {
        match &self.peer {
            Some(peer) => Some(&peer.engine),
            None => None,
        }
    }

    pub(super) const fn is_silent(&self) -> bool {
        self.is_silent
    }

    /// Speaks to this engine from now on; `false` if there are no keys for it.
    fn adopt(&mut self, engine: RemoteEngine) -> bool {
        let Ok(security) = self.user.credentials.localize(engine.id()) else {
            return false;
        };
        self.peer = Some(Peer { engine, security });
        true
    }

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
        self.user.user_name().as_str().as_bytes()
    }

    pub(super) fn headroom(&self) -> usize {
        HEADROOM + self.user_name().len()
    }

    /// A request that asks nothing but who the engine is (RFC 3414 section 4).
    pub(super) fn prepare_discovery(
        header: Header,
        request_id: i32,
        mut writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        writer.prepend_pdu(PduType::GetRequest, request_id, 0, 0)?;
        writer.prepend_scoped_pdu(b"", b"")?;
        let envelope = Envelope {
            msg_id: header.msg_id,
            msg_max_size: header.msg_max_size,
            reportable: true,
            engine_id: b"",
            engine_time: EngineTime { boots: 0, time: 0 },
            user_name: b"",
            protection: Protection::NoAuthNoPriv,
            salt: 0,
        };
        envelope.enclose(writer)
    }

    /// Protects a scopedPDU (RFC 3414 section 3.1).
    pub(super) fn enclose(
        &mut self,
        now: Instant,
        header: Header,
        writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        let level = header.security_level;
        let peer = self.peer.as_ref();
        let engine = peer.map(|peer| &peer.engine);
        let engine_time = match (level, engine) {
            // RFC 3414 3.1 (6)
            (NoAuthNoPriv, _) | (_, None) => EngineTime { boots: 0, time: 0 },
            (_, Some(engine)) => engine.time(now),
        };
        let envelope = Envelope {
            msg_id: header.msg_id,
            msg_max_size: header.msg_max_size,
            reportable: true,
            engine_id: engine.map_or(&[], |engine| engine.id().as_octets()),
            engine_time,
            user_name: self.user_name(),
            // The keys were made for the level.
            protection: peer
                .and_then(|peer| peer.security.protection(level))
                .unwrap_or(Protection::NoAuthNoPriv),
            salt: self.salt,
        };
        let range = envelope.enclose(writer)?;
        self.salt = self.salt.wrapping_add(1);
        Ok(range)
    }

    /// Takes the protection off (RFC 3414 section 3.2), or returns a Report that is heard although it has the wrong
    /// time.
    pub(super) fn process_incoming_message<'a>(
        &mut self,
        now: Instant,
        octets: &'a [u8],
        message: &V3Message<'a>,
        plaintext: &'a mut Plaintext,
    ) -> Result<Result<Unprotected<'a>, Report>, Discard> {
        let header = message.header;
        if header.msg_security_model != SECURITY_MODEL {
            return Err(Discard::WrongSecurityModel(header.msg_security_model));
        }
        let protected = Protected::new(octets, message).map_err(Discard::Undecodable)?;
        let level = header.msg_flags.security_level;
        let report = Report {
            counter: None,
            is_authentic: level != NoAuthNoPriv,
            engine_id: EngineId::new(protected.parameters.authoritative_engine_id).ok(),
            engine_time: protected.engine_time(),
            msg_max_size: header.msg_max_size,
        };
        let user_name = self.user.user_name().as_str().as_bytes();
        let scoped_pdu = match (&mut self.peer, level) {
            // Nothing vouches for it: a Report may be like that, a response to a protected request may not.
            (_, NoAuthNoPriv) => protected
                .decrypt(Protection::NoAuthNoPriv, plaintext)
                .map_err(Discard::Usm)?,
            (Some(peer), level) => {
                let user = (user_name, &peer.security);
                match peer
                    .engine
                    .process_incoming_message(user, now, &protected, level, plaintext)
                {
                    Ok(scoped_pdu) => scoped_pdu,
                    Err(error) => {
                        return stale_report(error, &protected, report)
                            .map(Err)
                            .ok_or(Discard::Usm(error));
                    }
                }
            }
            (None, _) => return Err(Discard::Usm(UsmError::UnknownEngineId)),
        };
        Ok(Ok(Unprotected {
            scoped_pdu,
            has_security_name: protected.parameters.user_name == user_name,
            report,
        }))
    }

    /// Takes in what a response tells of its sender.
    pub(super) fn accept_response(
        &mut self,
        report: &Report,
        max_message_size: usize,
    ) -> Result<(), Discard> {
        match &mut self.peer {
            Some(peer) if report.engine_id == Some(*peer.engine.id()) => {
                peer.engine.set_max_message_size(max_message_size);
                self.is_silent = false;
                Ok(())
            }
            _ => Err(Discard::Usm(UsmError::UnknownEngineId)),
        }
    }
}

/// A Report that the clock is wrong, from an engine whose own clock went backwards.
fn stale_report(error: UsmError, message: &Protected<'_>, report: Report) -> Option<Report> {
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
    is_stale.then_some(Report {
        counter,
        is_authentic: false,
        ..report
    })
}

/// Another number than those that request-ids are drawn from.
const fn mixed(seed: u64) -> u64 {
    let mixed = (seed ^ 0x6a09_e667_f3bc_c908).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 29)
}
