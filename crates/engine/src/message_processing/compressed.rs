use std::ops::Range;

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::compression::NameCompression;
use varbind_codec::pdu::{ErrorStatus, PduType};

use super::{DataElements, Refusal};
use crate::clock::Instant;

impl<'a> DataElements<'a> {
    /// The elements that those of a compressed PDU stand for. The variable bindings take no more than `limit` octets.
    pub(super) fn expand(
        self,
        limit: usize,
        expanded: &'a mut Vec<u8>,
    ) -> Result<Self, Refusal<'a>> {
        let compression = self.pdu.compression();
        let pdu = self.pdu.expand(limit, expanded)?;
        Ok(Self {
            pdu,
            compression,
            ..self
        })
    }

    /// As [`prepare_response_message`](Self::prepare_response_message), where the names may be compressed.
    pub(crate) fn prepare_compressed_response(
        &self,
        now: Instant,
        ((error_status, error_index), compression): ((ErrorStatus, i32), Option<NameCompression>),
        mut writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        let Some(names) = compression else {
            return self.prepare_response_message(now, (error_status, error_index), writer);
        };
        let (request_id, code) = (self.pdu.request_id, self.error_status(error_status).code());
        let response = PduType::Response;
        writer.prepend_compressed_pdu(names, response, request_id, code, error_index)?;
        self.enclose(now, writer)
    }
}
