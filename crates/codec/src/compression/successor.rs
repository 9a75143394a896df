//! Names whose last sub-identifier is one more than that of the name before them.

use super::name::{Name, sub_identifier};
use crate::smi::{sub_identifier_length, write_sub_identifier};

/// Whether it is such a name.
pub(super) fn is_successor(previous: &Name, content: &[u8]) -> bool {
    let Some((before, last)) = split(previous.content()) else {
        return false;
    };
    content
        .strip_prefix(before)
        .is_some_and(|following| next(last).is_some_and(|next| next.octets() == Some(following)))
}

/// Makes such a name; `None` if there is none before it, or nothing comes behind its last sub-identifier.
pub(super) fn expand(previous: &Name, name: &mut Name) -> Option<()> {
    let (before, last) = split(previous.content())?;
    name.set(before);
    name.extend(next(last)?.octets()?).then_some(())
}

/// The last sub-identifier, and what is before it; none of the first one, which stands for two.
fn split(content: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_, before) = content.split_last()?;
    let end = before.iter().rposition(|&octet| octet < 0x80)? + 1;
    content.split_at_checked(end)
}

/// The octets of a sub-identifier.
struct SubIdentifier {
    octets: [u8; 5],
    length: usize,
}

impl SubIdentifier {
    fn octets(&self) -> Option<&[u8]> {
        self.octets.get(..self.length)
    }
}

/// The successor of an encoded sub-identifier; `None` if it needs more than 32 bits.
fn next(encoded: &[u8]) -> Option<SubIdentifier> {
    let value = u64::from(sub_identifier(encoded)?.checked_add(1)?);
    let mut octets = [0; 5];
    let length = sub_identifier_length(value);
    write_sub_identifier(octets.get_mut(..length)?, value);
    Some(SubIdentifier { octets, length })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smi::{EncodedOid, Oid};

    fn follows(one: &[u32], other: &[u32]) -> bool {
        let encode = |arcs: &[u32]| EncodedOid::from(&Oid::new(arcs).unwrap());
        let (one, other) = (encode(one), encode(other));
        let mut previous = Name::new();
        previous.set(one.as_oid_ref().content());
        let mut name = Name::new();
        let content = other.as_oid_ref().content();
        let is_successor = is_successor(&previous, content);
        let expanded = expand(&previous, &mut name).is_some() && name.content() == content;
        assert_eq!(is_successor, expanded);
        is_successor
    }

    #[test]
    fn one_more_in_the_last_place_follows_whatever_its_length() {
        for last in [
            0,
            1,
            126,
            127,
            128,
            16_383,
            16_384,
            1 << 21,
            1 << 28,
            u32::MAX - 1,
        ] {
            assert!(follows(&[1, 3, 6, last], &[1, 3, 6, last + 1]), "{last}");
            assert!(!follows(&[1, 3, 6, last], &[1, 3, 6, last]), "{last}");
            assert!(!follows(&[1, 3, 6, last], &[1, 3, 7, last + 1]), "{last}");
        }
        assert!(!follows(&[1, 3, 6, u32::MAX], &[1, 3, 6, 0]));
        // The first sub-identifier that is encoded stands for two.
        assert!(!follows(&[1, 3], &[1, 4]));
    }
}
