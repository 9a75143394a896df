use core::fmt;

use crate::ber::{DecodeError, DecodeErrorKind, Reader, Tag};

/// The version of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// SNMPv1 (RFC 1157).
    V1,
    /// SNMPv2c (RFC 1901).
    V2c,
    /// SNMPv3 (RFC 3412).
    V3,
}

impl Version {
    /// The number on the wire.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::V1 => 0,
            Self::V2c => 1,
            Self::V3 => 3,
        }
    }

    /// The version with this number.
    #[must_use]
    pub const fn from_code(code: i32) -> Option<Self> {
        match code {
            0 => Some(Self::V1),
            1 => Some(Self::V2c),
            3 => Some(Self::V3),
            _ => None,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1 => "SNMPv1",
            Self::V2c => "SNMPv2c",
            Self::V3 => "SNMPv3",
        })
    }
}

/// Reads the beginning of a message: its version, and a reader of what follows it inside the message.
///
/// Octets behind the end of the message are ignored: some devices pad.
///
/// # Errors
/// The errors of BER, or `UnknownVersion`.
#[inline]
pub fn message_version(message: &[u8]) -> Result<(Version, Reader<'_>), DecodeError> {
    let mut content = Reader::new(message).expect(Tag::SEQUENCE)?;
    let before = content;
    let code = content.integer32()?;
    let version = Version::from_code(code)
        .ok_or_else(|| before.error(DecodeErrorKind::UnknownVersion(code)))?;
    Ok((version, content))
}
