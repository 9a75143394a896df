use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::Oid;
use varbind_engine::applications::command_generator::Command;
use varbind_engine::compression::{ACCEPTED_INSTANCE, Compression, CompressionSet};

use super::{Manager, ManagerError};
use crate::transport::Transport;

/// What the manager and its agent have agreed upon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Negotiation {
    wanted: Option<Compression>,
    /// What the agent takes, once it has said so in this session.
    accepted: Option<CompressionSet>,
    /// Whether a session with a dictionary has ended before anything came of it.
    has_failed: bool,
}

impl Negotiation {
    pub(super) const fn new(wanted: Option<Compression>) -> Self {
        Self {
            wanted,
            accepted: None,
            has_failed: false,
        }
    }

    /// What is wanted, as far as the agent takes it, and the transport.
    fn agreed(&self, transport: Transport) -> Option<Compression> {
        let accepted = self.accepted?;
        let is_stream = match transport {
            Transport::Udp | Transport::Dtls => false,
            Transport::Tcp | Transport::Tls | Transport::Ssh => true,
        };
        match self.wanted? {
            Compression::Dictionary
                if !is_stream || self.has_failed || !accepted.contains(Compression::Dictionary) =>
            {
                // What is left of it.
                accepted
                    .accepts_names(Compression::Delta.names())
                    .then_some(Compression::Delta)
            }
            Compression::Dictionary => Some(Compression::Dictionary),
            names => accepted.accepts_names(names.names()).then_some(names),
        }
    }
}

impl Manager {
    /// How messages are compressed: as it was asked for, or less, if the agent or the transport does not do that. It is
    /// found out before the first request of a session.
    #[must_use]
    pub fn compression(&self) -> Option<Compression> {
        self.compression.agreed(self.target.transport)
    }

    /// Asks the agent what it takes, unless that is known or nobody wants to know, and returns what holds from now on.
    /// Requests and walks do it by themselves.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn negotiate_compression(&mut self) -> Result<Option<Compression>, ManagerError> {
        if self.compression.wanted.is_none() || self.compression.accepted.is_some() {
            return Ok(self.compression());
        }
        // It is a valid name.
        let Ok(name) = Oid::new(&ACCEPTED_INSTANCE) else {
            return Ok(None);
        };
        let response = self.request_once(Command::Get(&[name]))?;
        let accepted = match response.var_binds.first() {
            Some(object) if response.error_status == ErrorStatus::NoError => {
                CompressionSet::from_value(&object.value)
            }
            _ => CompressionSet::NONE,
        };
        self.compression.accepted = Some(accepted);
        let agreed = self.compression();
        self.generator.set_compression(agreed);
        if agreed == Some(Compression::Dictionary) {
            self.connection.begin_dictionary();
        }
        Ok(agreed)
    }

    /// Another session is another agreement.
    pub(super) fn forget_compression(&mut self) {
        self.compression.has_failed |= self.connection.is_dictionary_in_doubt();
        self.compression.accepted = None;
        self.generator.set_compression(None);
    }
}
