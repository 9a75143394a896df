use std::ops::Range;

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::Version;
use varbind_codec::pdu::{CommonPdu, ErrorStatus, PduType};

use super::seen::Fingerprint;
use crate::message_processing::HEADER_OCTETS;

/// The response to an inform, to be sent once the inform is passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Where in the buffer it is.
    pub range: Range<usize>,
    pub(super) fingerprint: Fingerprint,
}

/// What a response to an inform consists of.
pub(super) struct Response<'a> {
    pub(super) version: Version,
    pub(super) community: &'a [u8],
    pub(super) pdu: &'a CommonPdu<'a>,
    /// The most octets that it may have.
    pub(super) limit: usize,
}

impl Response<'_> {
    /// Repeats the variable bindings (RFC 3416 section 4.2.7).
    pub(super) fn acknowledge(&self, buffer: &mut [u8]) -> Result<Range<usize>, EncodeError> {
        self.write(buffer, ErrorStatus::NoError, self.pdu.var_binds.encoded())
    }

    /// The alternate response: tooBig, without variable bindings.
    pub(super) fn too_big(&self, buffer: &mut [u8]) -> Result<Range<usize>, EncodeError> {
        self.write(buffer, ErrorStatus::TooBig, &[])
    }

    fn write(
        &self,
        buffer: &mut [u8],
        status: ErrorStatus,
        var_binds: &[u8],
    ) -> Result<Range<usize>, EncodeError> {
        let mut writer = Writer::new(buffer, HEADER_OCTETS + self.community.len())?;
        writer.append(var_binds)?;
        writer.prepend_pdu(PduType::Response, self.pdu.request_id, status.code(), 0)?;
        writer.prepend_community_header(self.version, self.community)?;
        if writer.len() > self.limit {
            return Err(EncodeError::BufferFull);
        }
        Ok(writer.range())
    }
}
