use varbind_codec::pdu::{CommonPdu, ErrorStatus, PduType};
use varbind_codec::smi::ValueRef;

use super::{first_value, is_read};
use crate::applications::command_generator::ContextEngine;
use crate::engine_id::{EngineId, SNMP_ENGINE_ID};

/// Finds out by which contextEngineID an agent answers over a secure transport (RFC 5343).
#[derive(Debug)]
pub(in super::super) struct ContextDiscovery {
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

impl ContextDiscovery {
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

    /// Learns who the agent is from its answer to a request for snmpEngineID.0.
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
}
