//! The interfaces of a recording, and their indexes after a device renumbers them.

use varbind_codec::smi::OidScratch;

use crate::device::name_number;
use crate::recording::Recording;

/// ifTable's entry (IF-MIB, RFC 2863).
const IF_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2, 1];
/// ifXTable's entry.
const IF_X_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1];
/// The column ifIndex of ifTable.
const IF_INDEX: u32 = 1;

/// The values of ifIndex, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interfaces(Box<[u32]>);

/// The value of an interface's object after renumbering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Renumbered {
    /// It has the value of the object of that name.
    As(Box<[u32]>),
    /// It is ifIndex itself, which stays.
    Same,
}

impl Interfaces {
    /// The interfaces in a recording.
    pub(crate) fn find(recording: &Recording) -> Self {
        let column = [IF_ENTRY, &[IF_INDEX]].concat();
        let mut name = OidScratch::new();
        let mut indexes = Vec::new();
        let mut at = recording.next(&column, usize::MAX);
        while at < recording.len() {
            recording.name(at, &mut name);
            let Some(&[index]) = name.arcs().strip_prefix(&column[..]) else {
                break;
            };
            indexes.push(index);
            at += 1;
        }
        Self(indexes.into_boxed_slice())
    }

    /// The value of the object `name` after the interfaces have moved by `shift` places; `None` if it belongs to no interface.
    pub(crate) fn renumbered(&self, name: &[u32], shift: u64) -> Option<Renumbered> {
        let (entry, rest) = [IF_ENTRY, IF_X_ENTRY]
            .iter()
            .find_map(|entry| Some((*entry, name.strip_prefix(*entry)?)))?;
        let &[column, index] = rest else {
            return None;
        };
        let at = self.0.binary_search(&index).ok()? as u64;
        let count = self.0.len() as u64;
        let other = usize::try_from((at + shift % count) % count).ok()?;
        let &other = self.0.get(other)?;
        if other == index || entry == IF_ENTRY && column == IF_INDEX {
            return Some(Renumbered::Same);
        }
        Some(Renumbered::As([entry, &[column, other]].concat().into()))
    }
}

/// The columns of ifXTable with 64 bits, and the columns of ifTable that count the same with 32.
const WIDE_COLUMNS: &[(u32, u32)] = &[(6, 10), (7, 11), (10, 16), (11, 17)];

/// A number for the quantity that a counter counts: ifInOctets and ifHCInOctets of an interface grow at one rate.
pub(crate) fn counter_identity(name: &[u32]) -> u64 {
    if let Some(&[column, index]) = name.strip_prefix(IF_X_ENTRY)
        && let Some((_, narrow)) = WIDE_COLUMNS.iter().find(|(wide, _)| *wide == column)
    {
        return name_number(&[IF_ENTRY, &[*narrow, index]].concat());
    }
    name_number(name)
}

#[cfg(test)]
mod tests {
    use varbind_codec::smi::ValueRef;

    use super::*;

    #[test]
    fn interfaces_move_and_their_indexes_stay() {
        let name = |entry: &[u32], column, index| [entry, &[column, index]].concat();
        let objects: Vec<_> = [1, 7, 65_539]
            .into_iter()
            .flat_map(|index| {
                [
                    name(IF_ENTRY, 1, index),
                    name(IF_ENTRY, 2, index),
                    name(IF_X_ENTRY, 1, index),
                ]
            })
            .collect();
        let recording =
            Recording::of_objects(objects.iter().map(|name| (&name[..], ValueRef::Null)));
        let interfaces = recording.interfaces();
        assert_eq!(*interfaces.0, [1, 7, 65_539]);
        let renumbered = |name: &[u32], shift| interfaces.renumbered(name, shift);
        let becomes = |name: Vec<u32>| Some(Renumbered::As(name.into()));
        assert_eq!(
            renumbered(&name(IF_ENTRY, 2, 1), 1),
            becomes(name(IF_ENTRY, 2, 7))
        );
        assert_eq!(
            renumbered(&name(IF_X_ENTRY, 1, 65_539), 1),
            becomes(name(IF_X_ENTRY, 1, 1))
        );
        assert_eq!(
            renumbered(&name(IF_ENTRY, 2, 7), u64::MAX),
            becomes(name(IF_ENTRY, 2, 7))
                .filter(|_| u64::MAX % 3 != 0)
                .or(Some(Renumbered::Same))
        );
        assert_eq!(renumbered(&name(IF_ENTRY, 1, 7), 1), Some(Renumbered::Same));
        assert_eq!(renumbered(&name(IF_ENTRY, 2, 2), 1), None);
        assert_eq!(renumbered(&[1, 3, 6, 1, 2, 1, 1, 1, 0], 1), None);
    }
}
