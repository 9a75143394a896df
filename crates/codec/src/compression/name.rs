use crate::ber::Writer;
use crate::smi::{MAX_SUB_IDENTIFIERS, encoded_arcs_length};

/// The content of a name, to which the next one refers.
pub(super) struct Name {
    content: [u8; Self::LONGEST],
    length: usize,
}

impl Name {
    /// The most octets of a name in its minimal encoding.
    pub(super) const LONGEST: usize = MAX_SUB_IDENTIFIERS * 5;

    pub(super) const fn new() -> Self {
        Self {
            content: [0; Self::LONGEST],
            length: 0,
        }
    }

    pub(super) fn content(&self) -> &[u8] {
        self.content.get(..self.length).unwrap_or(&[])
    }

    /// Takes this content. What is longer than any minimal encoding is not kept: then nothing refers to it.
    pub(super) fn set(&mut self, content: &[u8]) {
        self.length = 0;
        self.extend(content);
    }

    /// Takes the name of these arcs; `None` if they are no name.
    pub(super) fn set_arcs(&mut self, arcs: &[u32]) -> Option<()> {
        self.length = 0;
        let length = encoded_arcs_length(arcs).ok()?;
        let mut writer = Writer::new(&mut self.content, 0).ok()?;
        writer.append_arcs(arcs, length).ok()?;
        self.length = length;
        Some(())
    }

    /// Adds octets; whether there was room. Without room, nothing is kept.
    pub(super) fn extend(&mut self, octets: &[u8]) -> bool {
        let end = self.length + octets.len();
        match self.content.get_mut(self.length..end) {
            Some(room) => {
                room.copy_from_slice(octets);
                self.length = end;
                true
            }
            None => {
                self.length = 0;
                false
            }
        }
    }
}

/// The sub-identifiers of a name as they are encoded. The first of them stands for two arcs (X.690 section 8.19.4).
#[derive(Clone)]
pub(super) struct SubIdentifiers<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for SubIdentifiers<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|&octet| octet < 0x80)? + 1;
        let (first, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        Some(first)
    }
}

/// The value of a sub-identifier; `None` if it needs more than 32 bits.
pub(super) fn sub_identifier(encoded: &[u8]) -> Option<u32> {
    let value = encoded.iter().try_fold(0_u64, |value, &octet| {
        (value < 1 << 32).then_some(value << 7 | u64::from(octet & 0x7f))
    });
    u32::try_from(value?).ok()
}

/// How many sub-identifiers two names share at their beginning, and how many octets these are.
#[inline]
pub(super) fn shared(one: &[u8], other: &[u8]) -> (usize, usize) {
    let octets = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let same = one.get(..octets).unwrap_or(&[]);
    // A sub-identifier that is shared in part is not shared.
    let whole = same
        .iter()
        .rposition(|&octet| octet < 0x80)
        .map_or(0, |at| at + 1);
    let same = same.get(..whole).unwrap_or(&[]);
    (same.iter().filter(|&&octet| octet < 0x80).count(), whole)
}

/// The octets that the first `count` sub-identifiers take, if there are as many.
pub(super) fn prefix_octets(content: &[u8], count: usize) -> Option<usize> {
    let Some(last) = count.checked_sub(1) else {
        return Some(0);
    };
    let mut ends = content
        .iter()
        .enumerate()
        .filter_map(|(at, &octet)| (octet < 0x80).then_some(at + 1));
    ends.nth(last)
}

/// A number as a sub-identifier of one or two octets: none of ours is larger.
pub(super) struct Marker {
    octets: [u8; 2],
    length: usize,
}

impl Marker {
    #[inline]
    pub(super) const fn new(number: usize) -> Self {
        let [low, high, ..] = number.to_le_bytes();
        if number < 0x80 {
            return Self {
                octets: [low, 0],
                length: 1,
            };
        }
        Self {
            octets: [0x80 | (high << 1) | (low >> 7), low & 0x7f],
            length: 2,
        }
    }

    pub(super) fn octets(&self) -> &[u8] {
        self.octets.get(..self.length).unwrap_or(&[])
    }
}

/// A name in its short form: what it refers to, and what is new.
pub(super) struct Short<'a> {
    pub(super) marker: Marker,
    pub(super) rest: &'a [u8],
}

impl Short<'_> {
    /// What needs not be told.
    pub(super) const NOTHING: Self = Self {
        marker: Marker {
            octets: [0; 2],
            length: 0,
        },
        rest: &[],
    };

    pub(super) const fn len(&self) -> usize {
        self.marker.length + self.rest.len()
    }

    pub(super) fn parts(&self) -> (&[u8], &[u8]) {
        (self.marker.octets(), self.rest)
    }
}

/// The number that the first sub-identifier is, and the octets behind it; `None` if it is not a small one.
#[inline]
pub(super) fn read_small(content: &[u8]) -> Option<(usize, &[u8])> {
    match content {
        [first, rest @ ..] if *first < 0x80 => Some((usize::from(*first), rest)),
        [first, second, rest @ ..] if *second < 0x80 => {
            Some((usize::from(first & 0x7f) << 7 | usize::from(*second), rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sub_identifier_that_differs_in_its_last_octet_is_not_shared() {
        assert_eq!(shared(&[43, 6, 0x81, 1, 7], &[43, 6, 0x81, 2, 7]), (2, 2));
        assert_eq!(shared(&[43, 6, 0x81, 1, 7], &[43, 6, 0x81, 1, 9]), (3, 4));
        assert_eq!(shared(&[43], &[44]), (0, 0));
    }

    #[test]
    fn small_numbers_go_there_and_back() {
        for number in 0..600 {
            let marker = Marker::new(number);
            assert_eq!(read_small(marker.octets()), Some((number, &[][..])));
        }
        assert_eq!(read_small(&[0x81, 0x81, 1]), None);
        assert_eq!(read_small(&[]), None);
    }
}
