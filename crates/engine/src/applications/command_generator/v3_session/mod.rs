//! A session with one agent in SNMPv3: what has to be known before a request can be sent, and what makes a message a
//! response to one of them (RFC 3412 section 7.2).

mod context_discovery;
mod engine_discovery;

use std::ops::Range;

use varbind_codec::ber::{EncodeError, Reader, Writer};
use varbind_codec::message::{HeaderData, SecurityLevel};
use varbind_codec::pdu::{CommonPdu, PduType};
use varbind_codec::smi::ValueRef;

use super::command::OutgoingPdu;
use super::data_elements::{Answer, Content, MessageIds, response, writer};
use super::report::Report;
use super::{ContextEngine, GeneratorConfiguration, GeneratorDiscard, V3Parameters, V3Security};
use crate::clock::Instant;
use crate::engine_id::EngineId;
use crate::message_processing::{Peer, RequestHeaders};
use crate::security::usm::{Plaintext, RemoteEngine, UsmError};

pub(super) use context_discovery::ContextDiscovery;
use engine_discovery::EngineDiscovery;

/// A session with one agent in SNMPv3.
#[derive(Debug)]
pub(super) struct V3Session {
    peer: Peer,
    discovery: Discovery,
    context_engine: ContextEngine,
    context_name: String,
    security_level: SecurityLevel,
    msg_max_size: i32,
}

/// What has to be found out, by security model.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one for each session, and most are of users"
)]
enum Discovery {
    User(EngineDiscovery),
    Transport(ContextDiscovery),
}

impl V3Session {
    pub(super) fn new(
        parameters: &V3Parameters,
        configuration: &GeneratorConfiguration,
        seed: u64,
    ) -> Self {
        let msg_max_size = i32::try_from(configuration.msg_max_size).unwrap_or(i32::MAX);
        let V3Parameters {
            security,
            context_engine,
            context_name,
        } = parameters;
        let (discovery, peer) = match security {
            V3Security::User(user) => {
                let (discovery, peer) = EngineDiscovery::new(user, seed);
                (Discovery::User(discovery), peer)
            }
            V3Security::Transport(_) => {
                let discovery = ContextDiscovery::new(*context_engine, context_name);
                (Discovery::Transport(discovery), Peer::of_transport())
            }
        };
        Self {
            peer,
            discovery,
            context_engine: *context_engine,
            context_name: context_name.clone(),
            security_level: security.security_level(),
            msg_max_size: msg_max_size.max(HeaderData::LEAST_MAX_SIZE),
        }
    }

    /// Whether it is known how to speak to the agent.
    pub(super) const fn is_ready(&self) -> bool {
        match &self.discovery {
            Discovery::User(_) => self.peer.engine().is_some(),
            Discovery::Transport(session) => session.is_ready(),
        }
    }

    /// Whether a request may be sent; otherwise something has to be asked for first.
    pub(super) fn may_send(&self, pdu_type: PduType) -> bool {
        match &self.discovery {
            Discovery::User(_) => self.peer.engine().is_some(),
            Discovery::Transport(session) => session.may_send(pdu_type),
        }
    }

    /// Whether it is not known if the agent answers to localEngineID.
    pub(super) fn is_in_doubt(&self) -> bool {
        match &self.discovery {
            Discovery::User(_) => false,
            Discovery::Transport(session) => session.is_in_doubt(),
        }
    }

    /// Of the user-based security model.
    pub(super) const fn remote_engine(&self) -> Option<&RemoteEngine> {
        self.peer.engine()
    }

    /// The largest message that the peer accepts, once it is known.
    pub(super) fn peer_max_message_size(&self) -> Option<usize> {
        match &self.discovery {
            Discovery::User(_) => self.peer.engine().and_then(RemoteEngine::max_message_size),
            Discovery::Transport(session) => session.max_message_size(),
        }
    }

    /// contextEngineID of requests, once it is known.
    pub(super) fn context_engine_id(&self) -> Option<&[u8]> {
        match &self.discovery {
            Discovery::User(_) => match (&self.context_engine, self.peer.engine()) {
                (context_engine, Some(engine)) => Some(context_engine.octets(engine.id())),
                (ContextEngine::Known(id), None) => Some(id.as_octets()),
                (ContextEngine::Peer | ContextEngine::Local, None) => None,
            },
            Discovery::Transport(session) => session.context_engine_id(),
        }
    }

    /// Whether the engine was discovered and is silent since.
    pub(super) const fn is_silent(&self) -> bool {
        match &self.discovery {
            Discovery::User(discovery) => discovery.is_silent(),
            Discovery::Transport(_) => false,
        }
    }

    pub(super) const fn security_level(&self) -> SecurityLevel {
        self.security_level
    }

    /// Learns from a Report who the engine is; `false` if that is nothing new (RFC 3414 section 4).
    pub(super) fn discover(&mut self, now: Instant, report: &Report) -> bool {
        match &mut self.discovery {
            Discovery::User(discovery) => discovery.discover(&mut self.peer, now, report),
            Discovery::Transport(_) => false,
        }
    }

    /// With the transport security model, the rest of it.
    pub(super) const fn transport_mut(&mut self) -> Option<&mut ContextDiscovery> {
        match &mut self.discovery {
            Discovery::User(_) => None,
            Discovery::Transport(session) => Some(session),
        }
    }

    /// More octets than the headers of a message take.
    pub(super) fn headroom(&self) -> usize {
        self.peer.headroom(&self.context_name)
    }

    /// Makes a message (prepareOutgoingMessage, RFC 3412 section 7.1): the request, or what has to be asked before.
    pub(super) fn prepare_outgoing_message(
        &self,
        now: Instant,
        pdu: &OutgoingPdu,
        ids: MessageIds,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, EncodeError> {
        let headers = RequestHeaders {
            msg_id: ids.msg_id,
            msg_max_size: self.msg_max_size,
            security_level: self.security_level,
            context_engine_id: self.context_engine_id().unwrap_or(&[]),
            context_name: self.context_name.as_bytes(),
        };
        if !self.may_send(pdu.pdu_type) {
            let headroom = buffer.len().min(self.headroom());
            let writer = Writer::new(buffer, headroom)?;
            return self.peer.prepare_discovery(headers, ids.request_id, writer);
        }
        // A message that the engine does not take would be lost.
        let most = self
            .peer_max_message_size()
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let buffer = buffer.get_mut(..most).unwrap_or_default();
        let mut writer = writer(pdu, self.headroom(), buffer)?;
        pdu.prepend(ids.request_id, &mut writer)?;
        self.peer.prepare_outgoing_message(now, headers, writer)
    }

    /// Takes a message apart (prepareDataElements, RFC 3412 section 7.2).
    pub(super) fn prepare_data_elements<'a>(
        &mut self,
        now: Instant,
        octets: &'a [u8],
        content: Reader<'a>,
        plaintext: &'a mut Plaintext,
    ) -> Result<Answer<'a>, GeneratorDiscard> {
        let elements = self
            .peer
            .prepare_data_elements(now, octets, content, plaintext)?;
        let answer = |content| Answer {
            msg_id: elements.msg_id,
            content,
        };
        let report = Report::from(&elements);
        if elements.report().is_some() {
            return Ok(answer(Content::Report(report)));
        }
        let pdu = response(elements.pdu)?;
        // RFC 3412 7.2 (12)
        if elements.security_level != self.security_level {
            return Err(GeneratorDiscard::WrongSecurityLevel(
                elements.security_level,
            ));
        }
        if !elements.has_security_name {
            return Err(GeneratorDiscard::Usm(UsmError::UnknownUserName));
        }
        self.accept_response(&report)?;
        Ok(answer(Content::Response {
            pdu,
            context: Some((elements.context_engine_id, elements.context_name)),
        }))
    }

    /// Learns from a response about its sender.
    fn accept_response(&mut self, report: &Report) -> Result<(), GeneratorDiscard> {
        let max_message_size = usize::try_from(report.msg_max_size).unwrap_or(usize::MAX);
        match &mut self.discovery {
            Discovery::User(discovery) => {
                discovery.accept_response(&mut self.peer, report, max_message_size)
            }
            Discovery::Transport(session) => {
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
