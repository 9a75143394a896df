//! Requests and responses whose names are compressed.

use super::command::OutgoingPdu;
use super::data_elements::{Answer, Content};
use super::{CommandGenerator, GeneratorDiscard};
use crate::compression::{Compression, CompressionSet};

/// What is compressed becomes no larger, whatever the agent sends: more than any datagram carries.
const LARGEST_MESSAGE: usize = 65_535;

impl CommandGenerator {
    /// Compresses the names of requests from now on, and takes responses whose names are. Only an agent that has said so
    /// understands it ([`ACCEPTED`](crate::compression::ACCEPTED)); messages themselves are compressed by whoever carries
    /// them.
    pub const fn set_compression(&mut self, compression: Option<Compression>) {
        self.compression = compression;
    }
}

impl OutgoingPdu {
    /// The same with its names compressed, if they can be.
    pub(super) fn compressed(self, compression: Option<Compression>) -> Self {
        let Some(names) = compression.map(Compression::names) else {
            return self;
        };
        let mut var_binds = Vec::new();
        match names.compress(&self.var_binds, usize::MAX, &mut var_binds) {
            Ok(_) => Self {
                var_binds,
                compression: Some(names),
                ..self
            },
            Err(_) => self,
        }
    }
}

impl<'a> Answer<'a> {
    /// The answer that a compressed one stands for.
    pub(super) fn expand(
        self,
        accepted: Option<Compression>,
        expanded: &'a mut Vec<u8>,
    ) -> Result<Self, GeneratorDiscard> {
        let Content::Response { pdu, context } = self.content else {
            return Ok(self);
        };
        let accepted = CompressionSet::from_iter(accepted);
        pdu.admit(|names| accepted.accepts_names(names))
            .map_err(GeneratorDiscard::Undecodable)?;
        let pdu = pdu
            .expand(LARGEST_MESSAGE, expanded)
            .map_err(GeneratorDiscard::Undecodable)?;
        Ok(Self {
            content: Content::Response { pdu, context },
            ..self
        })
    }
}
