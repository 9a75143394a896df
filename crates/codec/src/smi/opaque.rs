use crate::ber::{EncodeError, Reader, Tag, Writer};

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
            UNSIGNED64 => Reader::new(octets).unsigned64().ok().map(Self::Unsigned64),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The octets are those that Net-SNMP 5.9.3 writes for the same numbers.
    const VECTORS: [(OpaqueNumber, &[u8]); 8] = [
        (
            OpaqueNumber::Float(0.25),
            &[0x9f, 0x78, 4, 0x3e, 0x80, 0, 0],
        ),
        (
            OpaqueNumber::Float(-1.5),
            &[0x9f, 0x78, 4, 0xbf, 0xc0, 0, 0],
        ),
        (
            OpaqueNumber::Double(3.5),
            &[0x9f, 0x79, 8, 0x40, 0x0c, 0, 0, 0, 0, 0, 0],
        ),
        (OpaqueNumber::Signed64(-1), &[0x9f, 0x7a, 1, 0xff]),
        (
            OpaqueNumber::Signed64(1 << 40),
            &[0x9f, 0x7a, 6, 1, 0, 0, 0, 0, 0],
        ),
        (OpaqueNumber::Unsigned64(5), &[0x9f, 0x7b, 1, 5]),
        (OpaqueNumber::Unsigned64(128), &[0x9f, 0x7b, 2, 0, 0x80]),
        (
            OpaqueNumber::Unsigned64(u64::MAX),
            &[
                0x9f, 0x7b, 9, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            ],
        ),
    ];

    #[test]
    fn numbers_have_these_octets_and_are_read_from_them() {
        for (number, octets) in VECTORS {
            assert_eq!(number.encode(&mut [0; 12]), Ok(octets), "{number:?}");
            assert_eq!(OpaqueNumber::decode(octets), Some(number));
        }
    }

    #[test]
    fn other_content_is_no_number() {
        for octets in [
            &[][..],
            &[0x9f],
            &[0x9f, 0x78],
            &[0x9f, 0x78, 4, 0, 0, 0],
            &[0x9f, 0x78, 4, 0, 0, 0, 0, 0],
            &[0x9f, 0x78, 3, 0, 0, 0],
            &[0x9f, 0x79, 4, 0, 0, 0, 0],
            &[0x9f, 0x7a, 0],
            &[0x9f, 0x7b, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0x9f, 0x7c, 1, 0],
            &[0x04, 0x78, 1, 0],
        ] {
            assert_eq!(OpaqueNumber::decode(octets), None, "{octets:02x?}");
        }
    }

    #[test]
    fn a_small_buffer_is_an_error() {
        let error = Err(EncodeError::BufferFull);
        assert_eq!(
            OpaqueNumber::Unsigned64(u64::MAX).encode(&mut [0; 11]),
            error
        );
        assert_eq!(OpaqueNumber::Float(0.0).encode(&mut []), error);
    }
}
