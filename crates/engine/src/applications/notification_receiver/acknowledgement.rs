use std::ops::Range;

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::ValueRef;

use super::seen::Fingerprint;
use crate::clock::Instant;
use crate::engine_id::{EngineId, SNMP_ENGINE_ID};
use crate::message_processing::DataElements;

/// The response to an inform, to be sent once the inform is delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Where in the buffer it is.
    pub range: Range<usize>,
    pub(super) fingerprint: Fingerprint,
}

/// The responses to an inform.
pub(super) struct Responses<'a> {
    pub(super) now: Instant,
    pub(super) elements: &'a DataElements<'a>,
    /// The most octets that one may have.
    pub(super) limit: usize,
}

impl Responses<'_> {
    /// Repeats the variable bindings (RFC 3416 section 4.2.7).
    pub(super) fn acknowledge(&self, buffer: &mut [u8]) -> Result<Range<usize>, EncodeError> {
        let var_binds = self.elements.pdu.var_binds.encoded();
        self.write(buffer, ErrorStatus::NoError, var_binds)
    }

    /// The alternate response: tooBig, without variable bindings.
    pub(super) fn too_big(&self, buffer: &mut [u8]) -> Result<Range<usize>, EncodeError> {
        self.write(buffer, ErrorStatus::TooBig, &[])
    }

    /// Tells snmpEngineID.0.
    pub(super) fn engine_id(
        &self,
        buffer: &mut [u8],
        engine_id: &EngineId,
    ) -> Result<Range<usize>, EncodeError> {
        let mut var_bind = [0; 2 * EngineId::LONGEST];
        let mut writer = Writer::new(&mut var_bind, 0)?;
        writer.append_var_bind(SNMP_ENGINE_ID, ValueRef::OctetString(engine_id.as_octets()))?;
        let range = writer.range();
        let var_bind = var_bind.get(range).unwrap_or(&[]);
        self.write(buffer, ErrorStatus::NoError, var_bind)
    }

    fn write(
        &self,
        buffer: &mut [u8],
        status: ErrorStatus,
        var_binds: &[u8],
    ) -> Result<Range<usize>, EncodeError> {
        let mut writer = Writer::new(buffer, self.elements.header_octets())?;
        writer.append(var_binds)?;
        let range = self
            .elements
            .prepare_response_message(self.now, (status, 0), writer)?;
        if range.len() > self.limit.min(self.elements.max_message_size) {
            return Err(EncodeError::BufferFull);
        }
        Ok(range)
    }
}
