use crate::ber::{DecodeError, EncodeError, Reader, Tag, Writer};
use crate::pdu::Pdu;

/// msgData of a message of SNMPv3 (RFC 3412 section 6.8), not looked into yet.
#[derive(Clone, Copy, Debug)]
pub enum ScopedPduData<'a> {
    /// A scopedPDU.
    Plaintext(Reader<'a>),
    /// encryptedPDU: what the privacy protocol made of a scopedPDU.
    Encrypted(&'a [u8]),
}

impl<'a> ScopedPduData<'a> {
    /// Reads msgData.
    #[inline]
    pub(super) fn decode(reader: &mut Reader<'a>, is_encrypted: bool) -> Result<Self, DecodeError> {
        let start = *reader;
        if is_encrypted {
            return Ok(Self::Encrypted(reader.octet_string()?));
        }
        reader.expect(Tag::SEQUENCE)?;
        Ok(Self::Plaintext(start))
    }
}

/// A PDU and the context that it is about (RFC 3412 section 6.8).
#[derive(Clone, Debug)]
pub struct ScopedPdu<'a> {
    /// contextEngineID.
    pub context_engine_id: &'a [u8],
    /// contextName.
    pub context_name: &'a [u8],
    /// The PDU.
    pub pdu: Pdu<'a>,
}

impl<'a> ScopedPdu<'a> {
    /// Reads a scopedPDU; octets behind it are ignored, as a privacy protocol pads.
    ///
    /// # Errors
    /// The errors of BER and of the PDU.
    #[inline]
    pub fn decode(reader: Reader<'a>) -> Result<Self, DecodeError> {
        let mut reader = reader;
        let mut content = reader.expect(Tag::SEQUENCE)?;
        let context_engine_id = content.octet_string()?;
        let context_name = content.octet_string()?;
        let pdu = Pdu::decode(&mut content)?;
        content.finish()?;
        Ok(Self {
            context_engine_id,
            context_name,
            pdu,
        })
    }
}

impl Writer<'_> {
    /// Encloses the PDU that was written in a scopedPDU.
    ///
    /// # Errors
    /// `BufferFull` if the headroom is used up.
    #[inline]
    pub fn prepend_scoped_pdu(
        &mut self,
        context_engine_id: &[u8],
        context_name: &[u8],
    ) -> Result<(), EncodeError> {
        self.prepend_element(Tag::OCTET_STRING, context_name)?;
        self.prepend_element(Tag::OCTET_STRING, context_engine_id)?;
        self.enclose(Tag::SEQUENCE)
    }
}
