//! Object identifier delta compression (ODC), as in draft-irtf-nmrg-snmp-compression-01 section 5.2: a name is a list of
//! substitutions in the name before it. Offsets are counted from 0. A list has any of these, the last one only at its end:
//!
//! - an offset below 128, and the sub-identifier for that place;
//! - an offset and 128, how many follow, and the sub-identifiers for the places from there on;
//! - how many sub-identifiers the name has, less one.
//!
//! New places without a sub-identifier are 0.

use super::name::{Name, SubIdentifiers, sub_identifier};
use crate::ber::{Reader, Tag, Writer};
use crate::smi::{
    MAX_SUB_IDENTIFIERS, OidRef, encoded_arcs_length, sub_identifier_length, write_sub_identifier,
};

/// `CompOID`, which the draft defines as `[42] IMPLICIT OCTET STRING`, and writes in all its examples with this one octet.
pub(super) const COMPRESSED: Tag = Tag(0x2a);

/// Marks the offset of a range.
const IS_RANGE: u8 = 0x80;

/// Writes the substitutions that turn the previous name into this one. Returns whether they are no longer than the name.
pub(super) fn compress(previous: &Name, content: &[u8], delta: &mut Name) -> bool {
    delta.set(&[]);
    let names = (Arcs::decode(previous.content()), Arcs::decode(content));
    let (Some(before), Some(after)) = names else {
        return false;
    };
    let differs = |at: usize| after.arcs.get(at) != before.arcs.get(at);
    let (mut length, mut start) = (before.length, 0);
    while let Some(first) = (start..after.length).find(|&at| differs(at)) {
        let end = (first..after.length).find(|&at| !differs(at));
        let end = end.unwrap_or(after.length);
        if !substitution(first, after.arcs.get(first..end).unwrap_or(&[]), delta) {
            return false;
        }
        length = length.max(end);
        start = end;
    }
    let is_whole = length == after.length || delta.extend(&[octet(after.length - 1)]);
    is_whole && delta.content().len() <= content.len()
}

/// Adds a substitution; whether there was room.
fn substitution(offset: usize, arcs: &[u32], delta: &mut Name) -> bool {
    let has_head = match arcs {
        [_] => delta.extend(&[octet(offset)]),
        _ => delta.extend(&[IS_RANGE | octet(offset), octet(arcs.len())]),
    };
    has_head
        && arcs.iter().all(|&arc| {
            let mut room = [0; 5];
            let room = room.get_mut(..sub_identifier_length(u64::from(arc)));
            room.is_some_and(|room| {
                write_sub_identifier(room, u64::from(arc));
                delta.extend(room)
            })
        })
}

/// An offset, or the length of a part: both are below 128.
const fn octet(number: usize) -> u8 {
    number.to_le_bytes()[0]
}

/// Makes a whole name of substitutions; `None` if they are none, or there is no name before it.
pub(super) fn expand(previous: &Name, content: &[u8], name: &mut Name) -> Option<()> {
    let mut arcs = Arcs::decode(previous.content())?;
    let mut rest = content;
    while let [first, after @ ..] = rest {
        rest = match (*first, after) {
            (1..IS_RANGE, []) => {
                arcs.truncate(usize::from(*first) + 1);
                &[]
            }
            (..IS_RANGE, _) => arcs.substitute(*first, 1, after)?,
            (IS_RANGE.., [count @ 1..=0x7f, after @ ..]) => {
                arcs.substitute(first & !IS_RANGE, *count, after)?
            }
            _ => return None,
        };
    }
    arcs.encode(name)
}

/// The sub-identifiers of a name.
///
/// Invariant: those from `length` on are 0.
struct Arcs {
    arcs: [u32; MAX_SUB_IDENTIFIERS],
    length: usize,
}

impl Arcs {
    /// `None` without a name.
    fn decode(content: &[u8]) -> Option<Self> {
        let name = OidRef::from_content(&Reader::new(content)).ok()?;
        let mut arcs = Self {
            arcs: [0; MAX_SUB_IDENTIFIERS],
            length: 0,
        };
        for (place, arc) in arcs.arcs.iter_mut().zip(name.arcs()) {
            *place = arc;
            arcs.length += 1;
        }
        (!content.is_empty()).then_some(arcs)
    }

    /// Takes this many sub-identifiers from `octets`, which it shortens, for the places from `offset` on.
    fn substitute<'a>(&mut self, offset: u8, count: u8, octets: &'a [u8]) -> Option<&'a [u8]> {
        let (offset, count) = (usize::from(offset), usize::from(count));
        let mut following = SubIdentifiers(octets);
        for place in self.arcs.get_mut(offset..offset + count)? {
            *place = sub_identifier(following.next()?)?;
        }
        self.length = self.length.max(offset + count);
        Some(following.0)
    }

    fn truncate(&mut self, length: usize) {
        self.arcs.iter_mut().skip(length).for_each(|arc| *arc = 0);
        self.length = length;
    }

    /// `None` if they are no name.
    fn encode(&self, name: &mut Name) -> Option<()> {
        let arcs = self.arcs.get(..self.length)?;
        let length = encoded_arcs_length(arcs).ok()?;
        let mut buffer = [0; Name::LONGEST];
        let mut writer = Writer::new(&mut buffer, 0).ok()?;
        writer.append_arcs(arcs, length).ok()?;
        name.set(writer.written());
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn short(previous: &[u8], content: &[u8]) -> Option<Vec<u8>> {
        let mut name = Name::new();
        name.set(previous);
        let (mut delta, mut whole) = (Name::new(), Name::new());
        if !compress(&name, content, &mut delta) {
            return None;
        }
        expand(&name, delta.content(), &mut whole).unwrap();
        assert_eq!(whole.content(), content);
        Some(delta.content().to_vec())
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
        assert_eq!(short(&[], &name), None);
    }
}
