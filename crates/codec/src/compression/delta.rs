//! Object identifier delta compression (ODC), as in draft-irtf-nmrg-snmp-compression-01 section 5.2: a name is a list of
//! substitutions in the name before it. Offsets are counted from 0. A list has any of these, the last one only at its end:
//!
//! - an offset below 128, and the sub-identifier for that place;
//! - an offset and 128, how many follow, and the sub-identifiers for the places from there on;
//! - how many sub-identifiers the name has, less one.
//!
//! New places without a sub-identifier are 0.

use alloc::vec::Vec;

use super::name::{Name, SubIdentifiers, sub_identifier};
use crate::ber::Tag;
use crate::smi::{OidRef, OidScratch, sub_identifier_length, write_sub_identifier};

/// `CompOID`, which the draft defines as `[42] IMPLICIT OCTET STRING`, and writes in all its examples with this one octet.
pub(super) const COMPRESSED: Tag = Tag(0x2a);

/// Marks the offset of a range.
const IS_RANGE: u8 = 0x80;

/// The last name of a list, to which the next one refers.
pub(super) struct LastName {
    arcs: OidScratch,
    substitutions: Vec<u8>,
}

impl LastName {
    pub(super) const fn new() -> Self {
        Self {
            arcs: OidScratch::new(),
            substitutions: Vec::new(),
        }
    }

    /// Remembers a name that has the form of a whole OBJECT IDENTIFIER.
    pub(super) fn set(&mut self, name: OidRef<'_>) {
        name.decode_into(&mut self.arcs);
    }

    /// Remembers the next name, and returns the substitutions that make it from the one before. `None` if there was no name
    /// before, or if the whole name takes fewer octets.
    pub(super) fn compress(&mut self, name: OidRef<'_>) -> Option<&[u8]> {
        let length = self.arcs.arcs().len();
        self.substitutions.clear();
        let (mut at, mut changed_from, mut told) = (0, None, length);
        for arc in name.arcs() {
            if at >= length {
                self.arcs.push(0);
            }
            match self.arcs.arcs_mut().get_mut(at) {
                Some(place) if *place != arc => {
                    *place = arc;
                    changed_from.get_or_insert(at);
                    told = told.max(at + 1);
                }
                _ => self.substituted(changed_from.take(), at),
            }
            at += 1;
        }
        self.substituted(changed_from, at);
        if at != told {
            self.substitutions.push(octet(at - 1));
        }
        self.arcs.resize(at);
        let is_worth_it = length > 0 && self.substitutions.len() <= name.content().len();
        is_worth_it.then_some(&self.substitutions)
    }

    /// Writes the substitution of what has changed before `end`, if something has.
    fn substituted(&mut self, changed_from: Option<usize>, end: usize) {
        let Some(offset) = changed_from else { return };
        let arcs = self.arcs.arcs().get(offset..end).unwrap_or(&[]);
        let octets = &mut self.substitutions;
        match arcs {
            [_] => octets.push(octet(offset)),
            _ => octets.extend([IS_RANGE | octet(offset), octet(arcs.len())]),
        }
        for &arc in arcs {
            let (start, arc) = (octets.len(), u64::from(arc));
            octets.resize(start + sub_identifier_length(arc), 0);
            write_sub_identifier(octets.get_mut(start..).unwrap_or(&mut []), arc);
        }
    }

    /// Makes the next name by substitutions in the last one. `None` if they are malformed, or if there was no name before.
    pub(super) fn expand(&mut self, substitutions: &[u8], name: &mut Name) -> Option<()> {
        if self.arcs.arcs().is_empty() {
            return None;
        }
        let mut rest = substitutions;
        while let [first, after @ ..] = rest {
            rest = match (*first, after) {
                (1..IS_RANGE, []) => {
                    self.arcs.resize(usize::from(*first) + 1);
                    &[]
                }
                (..IS_RANGE, _) => self.substitute(*first, 1, after)?,
                (IS_RANGE.., [count @ 1..=0x7f, after @ ..]) => {
                    self.substitute(first & !IS_RANGE, *count, after)?
                }
                _ => return None,
            };
        }
        name.set_arcs(self.arcs.arcs())
    }

    /// Takes this many sub-identifiers from `octets`, which it shortens, for the places from `offset` on.
    fn substitute<'a>(&mut self, offset: u8, count: u8, octets: &'a [u8]) -> Option<&'a [u8]> {
        let (offset, end) = (
            usize::from(offset),
            usize::from(offset) + usize::from(count),
        );
        if self.arcs.arcs().len() < end {
            self.arcs.resize(end);
        }
        let mut following = SubIdentifiers(octets);
        for place in self.arcs.arcs_mut().get_mut(offset..end)? {
            *place = sub_identifier(following.next()?)?;
        }
        Some(following.0)
    }
}

/// An offset, or the length of a part: both are below 128.
const fn octet(number: usize) -> u8 {
    number.to_le_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ber::Reader;

    fn short(previous: &[u8], content: &[u8]) -> Option<Vec<u8>> {
        let oid = |content| OidRef::from_content(&Reader::new(content)).unwrap();
        let (mut last, mut received, mut whole) = (LastName::new(), LastName::new(), Name::new());
        last.set(oid(previous));
        received.set(oid(previous));
        let substitutions = last.compress(oid(content))?;
        received.expand(substitutions, &mut whole).unwrap();
        assert_eq!(whole.content(), content);
        Some(substitutions.to_vec())
    }

    /// Examples of section 5.2.2, a column of tcpConnTable. Where the draft has the octets of another name, here are the right ones.
    #[test]
    fn names_become_the_octets_of_the_draft() {
        let connection = |tail: &[u8]| [&[0x2b, 6, 1, 2, 1, 6, 13, 1, 1], tail].concat();
        let listening = |port| connection(&[0, 0, 0, 0, port, 0, 0, 0, 0, 0]);
        assert_eq!(short(&listening(21), &listening(22)).unwrap(), [0x0e, 0x16]);
        assert_eq!(short(&listening(23), &listening(98)).unwrap(), [0x0e, 0x62]);
        let from = [0x81, 0x06, 0x81, 0x29, 0x22, 0x81, 0x3e];
        let open = |rest: &[u8]| connection(&[&from, rest].concat());
        let [first, second, third] = [
            &[0x83, 0x87, 0x06, 0x81, 0x02, 0x81, 0x70, 0x40, 0x35, 0x50][..],
            &[0x83, 0x89, 0x3e, 0x81, 0x54, 0x81, 0x39, 0x4c, 0x55, 0x50],
            &[
                0x83, 0xa0, 0x7a, 0x81, 0x06, 0x81, 0x29, 0x22, 0x75, 0xae, 0x70,
            ],
        ];
        let range = |head: [u8; 2], rest: &[u8]| [&head, rest].concat();
        let shared_port = second.len() - 1;
        assert_eq!(
            short(&open(first), &open(second)).unwrap(),
            range([0x8e, 5], &second[..shared_port])
        );
        assert_eq!(
            short(&open(second), &open(third)).unwrap(),
            range([0x8e, 6], third)
        );
        // Two substitutions.
        let fourth = [
            0x83, 0xb8, 0x4e, 0x81, 0x06, 0x81, 0x29, 0x22, 0x81, 0x3e, 0x78,
        ];
        assert_eq!(
            short(&open(third), &open(&fourth)).unwrap(),
            [0x0e, 0x83, 0xb8, 0x4e, 0x92, 2, 0x81, 0x3e, 0x78]
        );
    }

    /// ipRoutingDiscards.0 behind ipNetToMediaNetAddress.2.224.8.8.0, and the way back.
    #[test]
    fn a_name_of_another_length_is_truncated_or_made_longer() {
        let address = [0x2b, 6, 1, 2, 1, 4, 22, 1, 3, 2, 0x81, 0x60, 8, 8, 0];
        let discards = [0x2b, 6, 1, 2, 1, 4, 23, 0];
        assert_eq!(short(&address, &discards).unwrap(), [0x87, 2, 23, 0, 8]);
        let back = [0x87, 7, 22, 1, 3, 2, 0x81, 0x60, 8, 8, 14];
        assert_eq!(short(&discards, &address).unwrap(), back);
    }

    #[test]
    fn columns_and_rows_are_two_or_four_octets() {
        let name = [43, 6, 1, 2, 1, 2, 2, 1, 10, 7];
        let change = |column, row| short(&name, &[43, 6, 1, 2, 1, 2, 2, 1, column, row]);
        assert_eq!(change(11, 7).unwrap(), [9, 11]);
        assert_eq!(change(10, 8).unwrap(), [10, 8]);
        assert_eq!(change(1, 8).unwrap(), [0x89, 2, 1, 8]);
        assert_eq!(change(10, 7).unwrap(), []);
        assert_eq!(short(&name, &[44, 6]), None);
    }

    #[test]
    fn without_a_name_there_is_nothing_to_substitute_in() {
        let name = OidRef::from_content(&Reader::new(&[43, 6])).unwrap();
        assert_eq!(LastName::new().compress(name), None);
        assert_eq!(LastName::new().expand(&[], &mut Name::new()), None);
    }

    /// The name after one that was told whole refers to that one, and new places are 0.
    #[test]
    fn a_name_that_grows_has_zeros_in_new_places() {
        let (mut last, mut name) = (LastName::new(), Name::new());
        last.set(OidRef::from_content(&Reader::new(&[43, 6, 7, 8])).unwrap());
        last.expand(&[2], &mut name).unwrap();
        assert_eq!(name.content(), [43, 6]);
        last.expand(&[5, 9], &mut name).unwrap();
        assert_eq!(name.content(), [43, 6, 0, 0, 9]);
        assert_eq!(last.expand(&[127, 1, 0x80, 127], &mut name), None);
    }
}
