use super::header_data::integer_from;
use crate::ber::{DecodeError, DecodeErrorKind, EncodeError, Reader, Tag, Writer};

/// msgSecurityParameters of the user-based security model (RFC 3414 section 2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsmSecurityParameters<'a> {
    /// msgAuthoritativeEngineID, of any length: one that is not an engine ID is answered as an unknown one is (RFC 3414
    /// section 3.2 (3)).
    pub authoritative_engine_id: &'a [u8],
    /// msgAuthoritativeEngineBoots; not negative.
    pub authoritative_engine_boots: i32,
    /// msgAuthoritativeEngineTime in seconds; not negative.
    pub authoritative_engine_time: i32,
    /// msgUserName, 32 octets at most.
    pub user_name: &'a [u8],
    /// msgAuthenticationParameters. In a message to be signed, zeros in the length of the digest.
    pub authentication_parameters: &'a [u8],
    /// msgPrivacyParameters.
    pub privacy_parameters: &'a [u8],
    /// Where in the message the content of msgAuthenticationParameters begins; of no account in writing.
    pub digest_offset: usize,
}

impl<'a> UsmSecurityParameters<'a> {
    /// The longest msgUserName, in octets.
    pub const LONGEST_USER_NAME: usize = 32;

    /// Reads the content of msgSecurityParameters.
    ///
    /// # Errors
    /// The errors of BER, `IntegerOutOfRange`, or `WrongContentLength` for a user name that is too long.
    #[inline]
    pub fn decode(security_parameters: Reader<'a>) -> Result<Self, DecodeError> {
        let mut outer = security_parameters;
        let mut content = outer.expect(Tag::SEQUENCE)?;
        outer.finish()?;
        let authoritative_engine_id = content.octet_string()?;
        let authoritative_engine_boots = integer_from(0, &mut content)?;
        let authoritative_engine_time = integer_from(0, &mut content)?;
        let before_user_name = content;
        let user_name = content.octet_string()?;
        if user_name.len() > Self::LONGEST_USER_NAME {
            return Err(before_user_name.error(DecodeErrorKind::WrongContentLength));
        }
        let authentication = content.expect(Tag::OCTET_STRING)?;
        let privacy_parameters = content.octet_string()?;
        content.finish()?;
        Ok(Self {
            authoritative_engine_id,
            authoritative_engine_boots,
            authoritative_engine_time,
            user_name,
            authentication_parameters: authentication.rest(),
            privacy_parameters,
            digest_offset: authentication.offset(),
        })
    }
}

impl Writer<'_> {
    /// Prepends msgSecurityParameters to msgData, which was written, and tells how far from the end of the message the
    /// content of msgAuthenticationParameters begins.
    ///
    /// # Errors
    /// `BufferFull` if the headroom is used up.
    #[inline]
    pub fn prepend_usm_security_parameters(
        &mut self,
        parameters: &UsmSecurityParameters<'_>,
    ) -> Result<usize, EncodeError> {
        let behind = self.len();
        self.prepend_element(Tag::OCTET_STRING, parameters.privacy_parameters)?;
        self.prepend(parameters.authentication_parameters)?;
        let digest_from_end = self.len();
        self.prepend_header(
            Tag::OCTET_STRING,
            parameters.authentication_parameters.len(),
        )?;
        self.prepend_element(Tag::OCTET_STRING, parameters.user_name)?;
        self.prepend_integer(parameters.authoritative_engine_time)?;
        self.prepend_integer(parameters.authoritative_engine_boots)?;
        self.prepend_element(Tag::OCTET_STRING, parameters.authoritative_engine_id)?;
        self.prepend_header(Tag::SEQUENCE, self.len() - behind)?;
        self.prepend_header(Tag::OCTET_STRING, self.len() - behind)?;
        Ok(digest_from_end)
    }
}
