use crate::ber::{DecodeError, DecodeErrorKind, EncodeError, Reader, Tag, Writer};

/// A level of security; the order is that of the standard (RFC 3411 section 3.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecurityLevel {
    /// Without authentication and without privacy.
    NoAuthNoPriv,
    /// With authentication but without privacy.
    AuthNoPriv,
    /// With authentication and with privacy.
    AuthPriv,
}

/// msgFlags (RFC 3412 section 6.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MsgFlags {
    /// authFlag and privFlag.
    pub security_level: SecurityLevel,
    /// reportableFlag: whether a Report may be sent in answer, where the PDU itself does not tell.
    pub reportable: bool,
}

const AUTH: u8 = 1;
const PRIV: u8 = 2;
const REPORTABLE: u8 = 4;

impl MsgFlags {
    /// The flags as an octet.
    #[must_use]
    pub const fn octet(self) -> u8 {
        let level = match self.security_level {
            SecurityLevel::NoAuthNoPriv => 0,
            SecurityLevel::AuthNoPriv => AUTH,
            SecurityLevel::AuthPriv => AUTH | PRIV,
        };
        if self.reportable {
            level | REPORTABLE
        } else {
            level
        }
    }

    /// The flags of an octet; `None` for privacy without authentication. Other bits are ignored.
    #[must_use]
    pub const fn from_octet(octet: u8) -> Option<Self> {
        let security_level = match (octet & AUTH != 0, octet & PRIV != 0) {
            (false, false) => SecurityLevel::NoAuthNoPriv,
            (true, false) => SecurityLevel::AuthNoPriv,
            (true, true) => SecurityLevel::AuthPriv,
            (false, true) => return None,
        };
        Some(Self {
            security_level,
            reportable: octet & REPORTABLE != 0,
        })
    }
}

/// msgGlobalData of a message of SNMPv3 (RFC 3412 section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderData {
    /// msgID: which request an answer belongs to; not negative.
    pub msg_id: i32,
    /// msgMaxSize: the largest message that the sender takes, in octets; 484 to 2^31-1.
    pub msg_max_size: i32,
    /// msgFlags.
    pub msg_flags: MsgFlags,
    /// msgSecurityModel; at least 1.
    pub msg_security_model: i32,
}

impl HeaderData {
    /// The least msgMaxSize (RFC 3412 section 6.3).
    pub const LEAST_MAX_SIZE: i32 = 484;

    /// Reads the header, which follows the version.
    ///
    /// # Errors
    /// The errors of BER, `IntegerOutOfRange`, or `PrivacyWithoutAuthentication`, which comes last, so that it means
    /// that nothing else is wrong with the header.
    #[inline]
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut content = reader.expect(Tag::SEQUENCE)?;
        let msg_id = integer_from(0, &mut content)?;
        let msg_max_size = integer_from(Self::LEAST_MAX_SIZE, &mut content)?;
        let before_flags = content;
        let &[flags] = content.octet_string()? else {
            return Err(before_flags.error(DecodeErrorKind::WrongContentLength));
        };
        let msg_security_model = integer_from(1, &mut content)?;
        content.finish()?;
        let msg_flags = MsgFlags::from_octet(flags)
            .ok_or_else(|| before_flags.error(DecodeErrorKind::PrivacyWithoutAuthentication))?;
        Ok(Self {
            msg_id,
            msg_max_size,
            msg_flags,
            msg_security_model,
        })
    }
}

/// Reads an INTEGER of at least `least`.
#[inline]
pub(super) fn integer_from(least: i32, reader: &mut Reader<'_>) -> Result<i32, DecodeError> {
    let before = *reader;
    let value = reader.integer32()?;
    if value < least {
        return Err(before.error(DecodeErrorKind::IntegerOutOfRange));
    }
    Ok(value)
}

impl Writer<'_> {
    /// Encloses msgSecurityParameters and msgData, which were written, in a message of SNMPv3.
    ///
    /// # Errors
    /// `BufferFull` if the headroom is used up.
    #[inline]
    pub fn prepend_v3_header(&mut self, header: &HeaderData) -> Result<(), EncodeError> {
        let behind = self.len();
        self.prepend_integer(header.msg_security_model)?;
        self.prepend_element(Tag::OCTET_STRING, &[header.msg_flags.octet()])?;
        self.prepend_integer(header.msg_max_size)?;
        self.prepend_integer(header.msg_id)?;
        self.prepend_header(Tag::SEQUENCE, self.len() - behind)?;
        self.prepend_integer(super::Version::V3.code())?;
        self.enclose(Tag::SEQUENCE)
    }
}
