//! Message processing with one agent in SNMPv3 (RFC 3412 section 7), for both security models.

mod transport_session;
mod user_session;

use std::ops::Range;

use varbind_codec::ber::{DecodeError, EncodeError, Reader, Writer};
use varbind_codec::message::{HeaderData, ScopedPdu, SecurityLevel, V3Message};
use varbind_codec::pdu::{CommonPdu, Pdu, PduType};
use varbind_codec::smi::ValueRef;

use super::command::OutgoingPdu;
use super::data_elements::{Answer, Content, MessageIds, response, writer};
use super::report::{Report, reported_counter};
use super::{Configuration, ContextEngine, Discard, V3Parameters, V3Security};
use crate::clock::Instant;
use crate::compression::Expansion;
use crate::engine_id::EngineId;
use crate::security::usm::{Plaintext, RemoteEngine, UsmError};

pub(super) use transport_session::TransportSession;
use user_session::UserSession;

/// Message processing with one agent in SNMPv3.
#[derive(Debug)]
pub(super) struct V3Session {
    model: Model,
    context_engine: ContextEngine,
    context_name: String,
    security_level: SecurityLevel,
    msg_max_size: i32,
}

/// What differs between the security models.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one for each session, and most are of users"
)]
enum Model {
    User(UserSession),
    Transport(TransportSession),
}

/// The part of a message that the security model does not change.
#[derive(Clone, Copy, Debug)]
struct Header {
    msg_id: i32,
    msg_max_size: i32,
    security_level: SecurityLevel,
}

/// What the security model made of a message.
struct Unprotected<'a> {
    scoped_pdu: Reader<'a>,
    /// Whether it is for who asked.
    has_security_name: bool,
    report: Report,
}

impl V3Session {
    pub(super) fn new(parameters: &V3Parameters, configuration: &Configuration, seed: u64) -> Self {
        let msg_max_size = i32::try_from(configuration.msg_max_size).unwrap_or(i32::MAX);
        let V3Parameters {
            security,
            context_engine,
            context_name,
        } = parameters;
        Self {
            model: match security {
                V3Security::User(user) => Model::User(UserSession::new(user, seed)),
                V3Security::Transport(_) => {
                    Model::Transport(TransportSession::new(*context_engine, context_name))
                }
            },
            context_engine: *context_engine,
            context_name: context_name.clone(),
            security_level: security.security_level(),
            msg_max_size: msg_max_size.max(HeaderData::LEAST_MAX_SIZE),
        }
    }

    /// Whether it is known how to speak to the agent.
    pub(super) const fn is_ready(&self) -> bool {
        match &self.model {
            Model::User(session) => session.engine().is_some(),
            Model::Transport(session) => session.is_ready(),
        }
    }

    /// Whether a request may be sent; otherwise something has to be asked for first.
    pub(super) fn may_send(&self, pdu_type: PduType) -> bool {
        match &self.model {
            Model::User(session) => session.engine().is_some(),
            Model::Transport(session) => session.may_send(pdu_type),
        }
    }

    /// Whether it is not known if the agent answers to localEngineID.
    pub(super) fn is_in_doubt(&self) -> bool {
        match &self.model {
            Model::User(_) => false,
            Model::Transport(session) => session.is_in_doubt(),
        }
    }

    /// Of the user-based security model.
    pub(super) const fn remote_engine(&self) -> Option<&RemoteEngine> {
        match &self.model {
            Model::User(session) => session.engine(),
            Model::Transport(_) => None,
        }
    }

    /// The largest message that the peer takes, as far as it has said.
    pub(super) fn peer_max_message_size(&self) -> Option<usize> {
        match &self.model {
            Model::User(session) => session.engine().and_then(RemoteEngine::max_message_size),
            Model::Transport(session) => session.max_message_size(),
        }
    }

    /// contextEngineID of requests, as far as it is known.
    pub(super) fn context_engine_id(&self) -> Option<&[u8]> {
        match &self.model {
            Model::User(session) => match (&self.context_engine, session.engine()) {
                (context_engine, Some(engine)) => Some(context_engine.octets(engine.id())),
                (ContextEngine::Known(id), None) => Some(id.as_octets()),
                (ContextEngine::Peer | ContextEngine::Local, None) => None,
            },
            Model::Transport(session) => session.context_engine_id(),
        }
    }

    /// Whether the engine was discovered and is silent since.
    pub(super) const fn is_silent(&self) -> bool {
        match &self.model {
            Model::User(session) => session.is_silent(),
            Model::Transport(_) => false,
        }
    }

    pub(super) const fn security_level(&self) -> SecurityLevel {
        self.security_level
    }

    /// Learns from a Report who the engine is; `false` if that is nothing new (RFC 3414 section 4).
    pub(super) fn discover(&mut self, now: Instant, report: &Report) -> bool {
        match &mut self.model {
            Model::User(session) => session.discover(now, report),
            Model::Transport(_) => false,
        }
    }

    /// With the transport security model, the rest of it.
    pub(super) const fn transport_mut(&mut self) -> Option<&mut TransportSession> {
        match &mut self.model {
            Model::User(_) => None,
            Model::Transport(session) => Some(session),
        }
    }

    /// More octets than the headers of a message take.
    pub(super) fn headroom(&self) -> usize {
        let model = match &self.model {
            Model::User(session) => session.headroom(),
            Model::Transport(_) => TransportSession::HEADROOM,
        };
        model + EngineId::LONGEST + self.context_name.len()
    }

    /// Makes a message (RFC 3412 section 7.1).
    pub(super) fn prepare_outgoing_message(
        &mut self,
        now: Instant,
        pdu: &OutgoingPdu,
        ids: MessageIds,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, EncodeError> {
        let header = Header {
            msg_id: ids.msg_id,
            msg_max_size: self.msg_max_size,
            security_level: self.security_level,
        };
        if !self.may_send(pdu.pdu_type) {
            let headroom = buffer.len().min(self.headroom());
            let writer = Writer::new(buffer, headroom)?;
            return match &self.model {
                Model::User(_) => UserSession::prepare_discovery(header, ids.request_id, writer),
                Model::Transport(_) => {
                    TransportSession::prepare_discovery(header, ids.request_id, writer)
                }
            };
        }
        // A message that the engine does not take would be lost.
        let most = self
            .peer_max_message_size()
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let buffer = buffer.get_mut(..most).unwrap_or_default();
        let mut writer = writer(pdu, self.headroom(), buffer)?;
        pdu.prepend(ids.request_id, &mut writer)?;
        let context_engine_id = self.context_engine_id().unwrap_or(&[]);
        writer.prepend_scoped_pdu(context_engine_id, self.context_name.as_bytes())?;
        match &mut self.model {
            Model::User(session) => session.enclose(now, header, writer),
            Model::Transport(_) => TransportSession::enclose(header, writer),
        }
    }

    /// Takes a message apart (RFC 3412 section 7.2).
    pub(super) fn prepare_data_elements<'a>(
        &mut self,
        now: Instant,
        octets: &'a [u8],
        content: Reader<'a>,
        (plaintext, expansion): (&'a mut Plaintext, Expansion<'a>),
    ) -> Result<Answer<'a>, Discard> {
        let message = V3Message::decode_content(content).map_err(Discard::Undecodable)?;
        let header = message.header;
        let level = header.msg_flags.security_level;
        let answer = |content| Answer {
            msg_id: header.msg_id,
            content,
        };
        let unprotected = match &mut self.model {
            Model::User(session) => {
                match session.process_incoming_message(now, octets, &message, plaintext)? {
                    Ok(unprotected) => unprotected,
                    Err(stale) => return Ok(answer(Content::Report(stale))),
                }
            }
            Model::Transport(_) => TransportSession::process_incoming_message(&message)?,
        };
        let scoped_pdu = unprotected.scoped_pdu;
        let ScopedPdu {
            context_engine_id,
            context_name,
            pdu,
        } = ScopedPdu::decode(scoped_pdu).map_err(|error| self.undecodable(level, error))?;
        if let Pdu::Common(pdu) = &pdu
            && pdu.pdu_type == PduType::Report
        {
            return Ok(answer(Content::Report(Report {
                counter: reported_counter(pdu),
                ..unprotected.report
            })));
        }
        let pdu = response(pdu, expansion)?;
        // RFC 3412 7.2 (12)
        if level != self.security_level {
            return Err(Discard::WrongSecurityLevel(level));
        }
        if !unprotected.has_security_name {
            return Err(Discard::Usm(UsmError::UnknownUserName));
        }
        self.accept_response(&unprotected.report)?;
        Ok(answer(Content::Response {
            pdu,
            context: Some((context_engine_id, context_name)),
        }))
    }

    /// What another key encrypted decrypts to anything.
    fn undecodable(&self, level: SecurityLevel, error: DecodeError) -> Discard {
        match &self.model {
            Model::User(_) if level == SecurityLevel::AuthPriv => {
                Discard::Usm(UsmError::DecryptionError)
            }
            _ => Discard::Undecodable(error),
        }
    }

    /// Takes in what a response tells of its sender.
    fn accept_response(&mut self, report: &Report) -> Result<(), Discard> {
        let max_message_size = usize::try_from(report.msg_max_size).unwrap_or(usize::MAX);
        match &mut self.model {
            Model::User(session) => session.accept_response(report, max_message_size),
            Model::Transport(session) => {
                session.set_max_message_size(max_message_size);
                Ok(())
            }
        }
    }

    /// Whether a response is about the context that was asked about (RFC 3412 section 7.2 (12)).
    pub(super) fn is_context(
        &self,
        is_discovery: bool,
        (context_engine_id, context_name): (&[u8], &[u8]),
    ) -> bool {
        if is_discovery {
            return context_engine_id == EngineId::LOCAL && context_name.is_empty();
        }
        let asked = self.context_engine_id().unwrap_or(EngineId::LOCAL);
        context_engine_id == asked && context_name == self.context_name.as_bytes()
    }
}

/// Whether a PDU changes nothing (Read Class, RFC 3411 section 2.8).
const fn is_read(pdu_type: PduType) -> bool {
    matches!(
        pdu_type,
        PduType::GetRequest | PduType::GetNextRequest | PduType::GetBulkRequest
    )
}

/// The value of the first variable binding of a response, if it has this name.
fn first_value<'a>(pdu: &CommonPdu<'a>, name: &[u32]) -> Option<ValueRef<'a>> {
    let first = pdu.var_binds.clone().next()?.ok()?;
    let is_named = first.name.arcs().eq(name.iter().copied());
    is_named.then_some(first.value)
}
