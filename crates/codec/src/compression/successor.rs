//! Names whose last sub-identifier is one more than that of the name before them.

use super::name::Name;

/// Whether it is such a name.
pub(super) fn is_successor(previous: &Name, content: &[u8]) -> bool {
    let Some((before, last)) = split(previous.content()) else {
        return false;
    };
    content
        .strip_prefix(before)
        .is_some_and(|following| next(last).octets() == Some(following))
}

/// Makes such a name; `None` if there is none before it, or nothing comes behind its last sub-identifier.
pub(super) fn expand(previous: &Name, name: &mut Name) -> Option<()> {
    let (before, last) = split(previous.content())?;
    name.set(before);
    name.extend(next(last).octets()?).then_some(())
}

/// The last sub-identifier, and what is before it; none of the first one, which stands for two.
fn split(content: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_, before) = content.split_last()?;
    let end = before.iter().rposition(|&octet| octet < 0x80)? + 1;
    content.split_at_checked(end)
}

/// A sub-identifier.
struct SubIdentifier {
    octets: [u8; 5],
    start: usize,
}

impl SubIdentifier {
    fn octets(&self) -> Option<&[u8]> {
        self.octets.get(self.start..)
    }
}

/// The successor of an encoded sub-identifier; empty if it needs more than 32 bits.
fn next(encoded: &[u8]) -> SubIdentifier {
    let value = encoded
        .iter()
        .try_fold(0_u64, |value, &octet| {
            (value < 1 << 32).then_some(value << 7 | u64::from(octet & 0x7f))
        })
        .filter(|&value| value < u64::from(u32::MAX));
    let Some(value) = value else {
        return SubIdentifier {
            octets: [0; 5],
            start: 6,
        };
    };
    let value = value + 1;
    let mut octets = [0; 5];
    let mut start = octets.len();
    for (at, place) in octets.iter_mut().enumerate().rev() {
        let rest = value >> (7 * (4 - at));
        if rest == 0 {
            break;
        }
        let more = if at < 4 { 0x80 } else { 0 };
        *place = (rest & 0x7f).to_le_bytes()[0] | more;
        start = at;
    }
    SubIdentifier { octets, start }
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
