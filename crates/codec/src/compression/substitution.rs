//! One substitution in the name before it, as an OCTET STRING: what a dictionary compresses best. Its content is a sequence of
//! sub-identifiers: first 2p + e, where p is how many sub-identifiers stay at the beginning, and then those that replace the
//! following ones. With e = 1 the name ends there, and with e = 0 what is behind them stays, too.

use super::name::{Marker, Name, Short, SubIdentifiers, prefix_octets, read_small, shared};

/// The content of the OCTET STRING; `None` if the name is not shorter for it.
pub(super) fn compress<'a>(previous: &Name, content: &'a [u8]) -> Option<Short<'a>> {
    let previous = previous.content();
    let (count, octets) = shared(previous, content);
    if count == 0 {
        return None;
    }
    let before = previous.get(octets..)?;
    let after = content.get(octets..)?;
    let has_same_length = SubIdentifiers(before).count() == SubIdentifiers(after).count();
    let tail = if has_same_length {
        shared_tail(before, after)
    } else {
        0
    };
    let short = Short {
        // The first stands for two.
        marker: Marker::new(2 * (count + 1) + usize::from(!has_same_length)),
        rest: after.get(..after.len().checked_sub(tail)?)?,
    };
    (short.len() < content.len()).then_some(short)
}

/// The octets of the last sub-identifiers that two names share.
fn shared_tail(before: &[u8], after: &[u8]) -> usize {
    let pairs = before.iter().rev().zip(after.iter().rev());
    let octets = pairs.take_while(|(a, b)| a == b).count();
    let Some(tail) = after.len().checked_sub(octets) else {
        return 0;
    };
    // It begins behind the end of a sub-identifier, in both.
    let ends = |content: &[u8], at: usize| {
        at.checked_sub(1)
            .is_none_or(|last| content.get(last).is_some_and(|&octet| octet < 0x80))
    };
    let excess = before.len().checked_sub(after.len());
    let in_before = |at: usize| match excess {
        Some(excess) => at.checked_add(excess),
        None => (at + before.len()).checked_sub(after.len()),
    };
    (tail..=after.len())
        .find(|&at| ends(after, at) && in_before(at).is_some_and(|at| ends(before, at)))
        .map_or(0, |at| after.len() - at)
}

/// Makes a whole name of a substitution; `None` if it refers to what is not there.
pub(super) fn expand(previous: &Name, content: &[u8], name: &mut Name) -> Option<()> {
    let (key, replacing) = read_small(content)?;
    // The first stands for two.
    let count = (key / 2).checked_sub(1).filter(|&count| count > 0)?;
    let previous = previous.content();
    let octets = prefix_octets(previous, count)?;
    name.set(previous.get(..octets)?);
    if !name.extend(replacing) {
        return None;
    }
    if key % 2 == 0 {
        // An incomplete sub-identifier would take the next one for its end.
        if replacing.last().is_some_and(|&octet| octet >= 0x80) {
            return None;
        }
        let behind = previous.get(octets..)?;
        let replaced = prefix_octets(behind, SubIdentifiers(replacing).count())?;
        if !name.extend(behind.get(replaced..)?) {
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(previous: &[u8], content: &[u8]) -> Option<std::vec::Vec<u8>> {
        let mut name = Name::new();
        name.set(previous);
        let short = compress(&name, content)?;
        let short = [short.marker.octets(), short.rest].concat();
        let mut whole = Name::new();
        expand(&name, &short, &mut whole).unwrap();
        assert_eq!(whole.content(), content);
        Some(short)
    }

    /// ifInOctets.7, and what comes near it in the responses to walks.
    #[test]
    fn one_sub_identifier_in_the_middle_is_two_octets() {
        let name = [43, 6, 1, 2, 1, 2, 2, 1, 10, 7];
        assert_eq!(
            short(&name, &[43, 6, 1, 2, 1, 2, 2, 1, 11, 7]).unwrap(),
            [18, 11]
        );
        assert_eq!(
            short(&name, &[43, 6, 1, 2, 1, 2, 2, 1, 10, 8]).unwrap(),
            [20, 8]
        );
        assert_eq!(
            short(&name, &[43, 6, 1, 2, 1, 2, 2, 1, 1, 8]).unwrap(),
            [18, 1, 8]
        );
        assert_eq!(short(&name, &name).unwrap(), [22]);
        assert_eq!(short(&name, &[43, 6, 1, 2, 1, 2, 2]).unwrap(), [17]);
        assert_eq!(short(&name, &[44, 6]), None);
    }

    #[test]
    fn a_tail_is_shared_whatever_the_length_of_what_is_before_it() {
        let name = [43, 6, 0x81, 1, 5, 7];
        assert_eq!(short(&name, &[43, 6, 3, 5, 7]).unwrap(), [6, 3]);
        assert_eq!(short(&[43, 6, 3, 5, 7], &name).unwrap(), [6, 0x81, 1]);
        // The last octet is the same, but not the sub-identifier.
        assert_eq!(
            short(&[43, 6, 3, 0x81, 7], &[43, 6, 3, 0x82, 7]).unwrap(),
            [8, 0x82, 7]
        );
    }
}
