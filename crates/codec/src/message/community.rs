use super::{Version, message_version};
use crate::ber::{DecodeError, DecodeErrorKind, EncodeError, Reader, Tag, Writer};
use crate::pdu::Pdu;

/// A message of SNMPv1 (RFC 1157 section 4) or SNMPv2c (RFC 1901 section 3).
#[derive(Clone, Debug)]
pub struct CommunityMessage<'a> {
    /// SNMPv1 or SNMPv2c.
    pub version: Version,
    /// The community, which is not a secret: it travels in clear text.
    pub community: &'a [u8],
    /// The PDU.
    pub pdu: Pdu<'a>,
}

impl<'a> CommunityMessage<'a> {
    /// Octets that all headers together take at most, besides the community itself and, in a Trap-PDU of SNMPv1, the
    /// sub-identifiers of the enterprise.
    pub const HEADROOM: usize = 64;

    /// Reads a message.
    ///
    /// # Errors
    /// The errors of BER, or `UnknownVersion` for any version but SNMPv1 and SNMPv2c.
    #[inline]
    pub fn decode(message: &'a [u8]) -> Result<Self, DecodeError> {
        let (version, content) = message_version(message)?;
        Self::decode_content(version, content)
    }

    /// Reads what follows the version.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[inline]
    pub fn decode_content(version: Version, content: Reader<'a>) -> Result<Self, DecodeError> {
        let mut content = content;
        if version == Version::V3 {
            return Err(content.error(DecodeErrorKind::UnknownVersion(version.code())));
        }
        let community = content.octet_string()?;
        let pdu = Pdu::decode(&mut content)?;
        content.finish()?;
        Ok(Self {
            version,
            community,
            pdu,
        })
    }
}

impl Writer<'_> {
    /// Encloses the PDU that was written in a message of SNMPv1 or SNMPv2c.
    ///
    /// # Errors
    /// `BufferFull` if the headroom is used up.
    #[inline]
    pub fn prepend_community_header(
        &mut self,
        version: Version,
        community: &[u8],
    ) -> Result<(), EncodeError> {
        self.prepend_element(Tag::OCTET_STRING, community)?;
        self.prepend_integer(version.code())?;
        self.enclose(Tag::SEQUENCE)
    }
}
