use std::ops::Range;

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::{ScopedPduData, V3Message};
use varbind_codec::pdu::{CommonPdu, ErrorStatus, PduType};
use varbind_codec::smi::ValueRef;

use super::{ContextEngine, Discard, Header, Report, Unprotected, first_value, is_read};
use crate::engine_id::{EngineId, SNMP_ENGINE_ID};
use crate::security::tsm::{Envelope, HEADROOM, SECURITY_MODEL, check_security_parameters};
use crate::security::usm::EngineTime;

/// The transport security model's part of a session, and the discovery of RFC 5343.
#[derive(Debug)]
pub(in super::super) struct TransportSession {
    context: Context,
    has_context_name: bool,
    max_message_size: Option<usize>,
}

/// What is known of the contextEngineID to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    /// Nothing: snmpEngineID.0 has to be asked for.
    Unknown,
    /// It may be that the agent answers to localEngineID.
    PerhapsLocal,
    /// The agent answers to localEngineID.
    Local,
    /// The engine.
    Known(EngineId),
}

impl TransportSession {
    pub(super) const HEADROOM: usize = HEADROOM;

    pub(super) fn new(context_engine: ContextEngine, context_name: &str) -> Self {
        // RFC 5343 3.1: localEngineID stands for the default context.
        let has_context_name = !context_name.is_empty();
        Self {
            context: match context_engine {
                ContextEngine::Known(id) => Context::Known(id),
                ContextEngine::Local if !has_context_name => Context::PerhapsLocal,
                ContextEngine::Local | ContextEngine::Peer => Context::Unknown,
            },
            has_context_name,
            max_message_size: None,
        }
    }

    pub(super) const fn is_ready(&self) -> bool {
        matches!(self.context, Context::Known(_) | Context::Local)
    }

    /// What may not be carried out twice waits until it is known how to ask.
    pub(super) fn may_send(&self, pdu_type: PduType) -> bool {
        match self.context {
            Context::Unknown => false,
            Context::PerhapsLocal => is_read(pdu_type),
            Context::Local | Context::Known(_) => true,
        }
    }

    pub(super) fn context_engine_id(&self) -> Option<&[u8]> {
        match &self.context {
            Context::Unknown => None,
            Context::PerhapsLocal | Context::Local => Some(EngineId::LOCAL),
            Context::Known(id) => Some(id.as_octets()),
        }
    }

    pub(super) const fn max_message_size(&self) -> Option<usize> {
        self.max_message_size
    }

    pub(super) const fn set_max_message_size(&mut self, octets: usize) {
        self.max_message_size = Some(octets);
    }

    /// Whether it is not known if the agent answers to localEngineID.
    pub(in super::super) fn is_in_doubt(&self) -> bool {
        self.context == Context::PerhapsLocal
    }

    /// The agent did not answer to localEngineID; `false` if that was not in doubt.
    pub(in super::super) fn give_local_up(&mut self) -> bool {
        let was_in_doubt = self.is_in_doubt();
        if was_in_doubt {
            self.context = Context::Unknown;
        }
        was_in_doubt
    }

    /// The agent answered to localEngineID.
    pub(in super::super) fn confirm_local(&mut self) {
        if !self.is_ready() {
            self.context = Context::Local;
        }
    }

    /// Learns who the agent is from its answer to what [`prepare_discovery`](Self::prepare_discovery) asks.
    pub(in super::super) fn learn(&mut self, pdu: &CommonPdu<'_>) -> Result<(), ErrorStatus> {
        if self.is_ready() {
            return Ok(());
        }
        if let Some(ValueRef::OctetString(octets)) = first_value(pdu, SNMP_ENGINE_ID)
            && pdu.status() == ErrorStatus::NoError
            && let Ok(id) = EngineId::new(octets)
            // RFC 5343 3.1: no engine has this name.
            && octets != EngineId::LOCAL
        {
            self.context = Context::Known(id);
            return Ok(());
        }
        // The agent does not show its name, but has just answered to the other one.
        if self.has_context_name {
            return Err(pdu.status());
        }
        self.context = Context::Local;
        Ok(())
    }

    /// A request for snmpEngineID.0 (RFC 5343 section 3.2 (3)).
    pub(super) fn prepare_discovery(
        header: Header,
        request_id: i32,
        mut writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        writer.append_var_bind(SNMP_ENGINE_ID, ValueRef::Null)?;
        writer.prepend_pdu(PduType::GetRequest, request_id, 0, 0)?;
        writer.prepend_scoped_pdu(EngineId::LOCAL, b"")?;
        Self::enclose(header, writer)
    }

    /// RFC 5591 section 5.1
    pub(super) fn enclose(header: Header, writer: Writer<'_>) -> Result<Range<usize>, EncodeError> {
        let envelope = Envelope {
            msg_id: header.msg_id,
            msg_max_size: header.msg_max_size,
            reportable: true,
            security_level: header.security_level,
        };
        envelope.enclose(writer)
    }

    /// RFC 5591 section 5.2. The message came by the session with the agent that requests leave by, so it is known who
    /// sent it.
    pub(super) fn process_incoming_message<'a>(
        message: &V3Message<'a>,
    ) -> Result<Unprotected<'a>, Discard> {
        let header = message.header;
        if header.msg_security_model != SECURITY_MODEL {
            return Err(Discard::WrongSecurityModel(header.msg_security_model));
        }
        check_security_parameters(message).map_err(Discard::Undecodable)?;
        let scoped_pdu = match message.data {
            ScopedPduData::Plaintext(reader) => reader,
            ScopedPduData::Encrypted(_) => {
                return Err(Discard::WrongSecurityLevel(header.msg_flags.security_level));
            }
        };
        Ok(Unprotected {
            scoped_pdu,
            has_security_name: true,
            report: Report {
                counter: None,
                is_authentic: true,
                engine_id: None,
                engine_time: EngineTime { boots: 0, time: 0 },
                msg_max_size: header.msg_max_size,
            },
        })
    }
}
