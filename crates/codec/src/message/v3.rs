use super::{HeaderData, ScopedPduData, SecurityLevel, Version, message_version};
use crate::ber::{DecodeError, DecodeErrorKind, Reader, Tag};

/// A message of SNMPv3 (RFC 3412 section 6). What its security model protects is not looked into yet.
#[derive(Clone, Copy, Debug)]
pub struct V3Message<'a> {
    /// msgGlobalData.
    pub header: HeaderData,
    /// The content of msgSecurityParameters.
    pub security_parameters: Reader<'a>,
    /// msgData.
    pub data: ScopedPduData<'a>,
    /// Where in the octets that were read the message ends: its digest is about no more.
    pub length: usize,
}

impl<'a> V3Message<'a> {
    /// msgSecurityModel of the transport security model (RFC 5591 section 8.2). Its msgData is plaintext at every level,
    /// since encrypting is up to the transport.
    pub const TRANSPORT_SECURITY_MODEL: i32 = 4;
    /// Octets that all headers together take at most, besides engine IDs, user name, context name, digest and
    /// msgPrivacyParameters: those of the message and its header (5 + 3 + 2 + 6 + 6 + 3 + 6), of the security
    /// parameters (3 + 3 + 2 + 6 + 6 + 2 + 2 + 2), of the scopedPDU (5 + 5 + 2 + 3) and of the PDU (5 + 6 + 6 + 6 + 5).
    pub const HEADROOM: usize = 31 + 26 + 15 + 28;

    /// Reads a message.
    ///
    /// # Errors
    /// The errors of BER, `UnknownVersion` for any version but SNMPv3, or `PrivacyWithoutAuthentication`.
    #[inline]
    pub fn decode(message: &'a [u8]) -> Result<Self, DecodeError> {
        let (version, content) = message_version(message)?;
        if version != Version::V3 {
            return Err(content.error(DecodeErrorKind::UnknownVersion(version.code())));
        }
        Self::decode_content(content)
    }

    /// Reads what follows the version.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[inline]
    pub fn decode_content(content: Reader<'a>) -> Result<Self, DecodeError> {
        let mut content = content;
        let header = HeaderData::decode(&mut content)?;
        let security_parameters = content.expect(Tag::OCTET_STRING)?;
        let data = ScopedPduData::decode(&mut content, is_encrypted(&header))?;
        content.finish()?;
        Ok(Self {
            header,
            security_parameters,
            data,
            length: content.offset(),
        })
    }
}

/// Whether msgData has to be an encryptedPDU.
fn is_encrypted(header: &HeaderData) -> bool {
    header.msg_flags.security_level == SecurityLevel::AuthPriv
        && header.msg_security_model != V3Message::TRANSPORT_SECURITY_MODEL
}
