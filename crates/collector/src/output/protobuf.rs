//! Messages of Protocol Buffers, written straight into octets: no message exists as a structure, and labels of a row are written once.

use std::ops::Range;

/// Wire types of fields.
const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH_DELIMITED: u32 = 2;

/// Appends fields to a message.
#[derive(Debug)]
pub(super) struct Message<'o>(pub(super) &'o mut Vec<u8>);

impl Message<'_> {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push((number & 0x7f) as u8);
    }

    fn key(&mut self, field: u32, wire_type: u32) {
        self.varint(u64::from(field << 3 | wire_type));
    }

    /// `uint64`, `uint32`, `bool` and enumerations; `int64` as its two's complement.
    pub(super) fn number(&mut self, field: u32, number: u64) {
        self.key(field, VARINT);
        self.varint(number);
    }

    /// `fixed64` and `sfixed64`.
    pub(super) fn fixed(&mut self, field: u32, number: u64) {
        self.key(field, FIXED64);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// `double`.
    pub(super) fn double(&mut self, field: u32, number: f64) {
        self.fixed(field, number.to_bits());
    }

    /// `string` and `bytes`, and messages that are already written.
    pub(super) fn octets(&mut self, field: u32, octets: impl AsRef<[u8]>) {
        let octets = octets.as_ref();
        self.key(field, LENGTH_DELIMITED);
        self.varint(octets.len() as u64);
        self.0.extend_from_slice(octets);
    }

    /// A message within the message.
    pub(super) fn message(&mut self, field: u32, write: impl FnOnce(&mut Message<'_>)) {
        self.key(field, LENGTH_DELIMITED);
        let start = self.0.len();
        // Most messages have fewer than 128 octets: one octet for the length, moved only if it needs more.
        self.0.push(0);
        write(self);
        let length = self.0.len() - start - 1;
        if length < 0x80 {
            if let Some(place) = self.0.get_mut(start) {
                *place = (length & 0x7f) as u8;
            }
            return;
        }
        let end = self.0.len();
        self.varint(length as u64);
        let announced = self.0.split_off(end);
        self.0.splice(start..=start, announced);
    }

    /// Octets of fields that are already written.
    pub(super) fn fields(&mut self, octets: &[u8]) {
        self.0.extend_from_slice(octets);
    }
}

/// A field of a message that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field<'m> {
    Number(u64),
    Octets(&'m [u8]),
}

/// Reads the fields of a message, up to what is wrong.
#[derive(Debug)]
pub(super) struct Fields<'m>(pub(super) &'m [u8]);

impl<'m> Fields<'m> {
    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (octet, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(octet & 0x7f) << shift;
            if octet & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn take(&mut self, range: Range<usize>) -> Option<&'m [u8]> {
        let (taken, rest) = self.0.split_at_checked(range.end)?;
        self.0 = rest;
        taken.get(range.start..)
    }
}

impl<'m> Iterator for Fields<'m> {
    type Item = (u32, Field<'m>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.varint()?;
        let field = u32::try_from(key >> 3).ok()?;
        let content = match u32::try_from(key & 7).ok()? {
            VARINT => Field::Number(self.varint()?),
            LENGTH_DELIMITED => {
                let length = usize::try_from(self.varint()?).ok()?;
                Field::Octets(self.take(0..length)?)
            }
            FIXED64 => Field::Octets(self.take(0..8)?),
            5 => Field::Octets(self.take(0..4)?),
            _ => return None,
        };
        Some((field, content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_any_length_come_back() {
        for length in [0, 1, 127, 128, 16_383, 16_384, 100_000] {
            let mut octets = vec![9];
            let content = vec![b'x'; length];
            Message(&mut octets).message(7, |message| message.octets(1, &content));
            let mut fields = Fields(&octets[1..]);
            let Some((7, Field::Octets(inner))) = fields.next() else {
                panic!("{length}");
            };
            assert_eq!(Fields(inner).next(), Some((1, Field::Octets(&content[..]))));
            assert_eq!(fields.next(), None);
        }
    }

    #[test]
    fn numbers_have_the_octets_of_the_specification() {
        let mut octets = Vec::new();
        let mut message = Message(&mut octets);
        message.number(1, 150);
        message.double(2, 1.0);
        message.number(3, u64::MAX);
        assert_eq!(octets[..3], [0x08, 0x96, 0x01]);
        assert_eq!(octets[3..12], [0x11, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
        assert_eq!(
            octets[12..],
            [
                0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01
            ]
        );
    }
}
