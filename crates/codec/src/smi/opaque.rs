use crate::ber::{DecodeError, DecodeErrorKind, EncodeError, Reader, Tag, Writer};

/// A number inside an Opaque value, in the way Net-SNMP introduced and many agents use: a context tag above 30
/// (0x9f) and a type octet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OpaqueNumber {
    /// IEEE 754 single precision (type octet 0x78).
    Float(f32),
    /// IEEE 754 double precision (type octet 0x79).
    Double(f64),
    /// A signed number of 64 bits (type octet 0x7a).
    Signed64(i64),
    /// An unsigned number of 64 bits (type octet 0x7b).
    Unsigned64(u64),
}

const ESCAPE: u8 = 0x9f;
const FLOAT: u8 = 0x78;
const DOUBLE: u8 = 0x79;
const SIGNED64: u8 = 0x7a;
const UNSIGNED64: u8 = 0x7b;

impl OpaqueNumber {
    /// Reads the content of an Opaque value; `None` if it holds something else.
    #[must_use]
    pub fn decode(content: &[u8]) -> Option<Self> {
        let (&kind, element) = content.strip_prefix(&[ESCAPE])?.split_first()?;
        let (&length, octets) = element.split_first()?;
        if usize::from(length) != octets.len() {
            return None;
        }
        match kind {
            FLOAT => Some(Self::Float(f32::from_be_bytes(octets.try_into().ok()?))),
            DOUBLE => Some(Self::Double(f64::from_be_bytes(octets.try_into().ok()?))),
            SIGNED64 => Reader::new(octets).signed().ok().map(Self::Signed64),
            UNSIGNED64 => Reader::new(octets).unsigned(64).ok().map(Self::Unsigned64),
            _ => None,
        }
    }

    /// Writes the content of an Opaque value into `buffer` and returns it.
    ///
    /// # Errors
    /// `BufferFull` if the buffer has fewer than 12 octets.
    pub fn encode(self, buffer: &mut [u8]) -> Result<&[u8], EncodeError> {
        let mut writer = Writer::new(buffer, 0)?;
        writer.append(&[ESCAPE])?;
        match self {
            Self::Float(number) => writer.append_element(Tag(FLOAT), &number.to_be_bytes())?,
            Self::Double(number) => writer.append_element(Tag(DOUBLE), &number.to_be_bytes())?,
            Self::Signed64(number) => writer.append_signed(Tag(SIGNED64), number)?,
            Self::Unsigned64(number) => writer.append_unsigned(Tag(UNSIGNED64), number)?,
        }
        let range = writer.range();
        buffer.get(range).ok_or(EncodeError::BufferFull)
    }
}

/// IpAddress has exactly 4 octets.
pub(crate) fn ip_address(content: &Reader<'_>) -> Result<[u8; 4], DecodeError> {
    content
        .rest()
        .try_into()
        .map_err(|_| content.error(DecodeErrorKind::WrongContentLength))
}
