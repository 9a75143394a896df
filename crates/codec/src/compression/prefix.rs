//! Object identifier prefix compression: a name is written 2.N, where N is how many sub-identifiers it shares with the
//! name before it, and then the rest. Names of managed objects are below 1.3, so that nothing else begins with 2.

use super::name::{Marker, Name, Short, prefix_octets, read_small, shared};

/// The first sub-identifier of 2.0 (X.690 section 8.19.4).
const ROOT_2: usize = 80;

/// Whether a name cannot be in a compressed list: it would be taken for a compressed one.
pub(super) fn is_ambiguous(content: &[u8]) -> bool {
    content
        .first()
        .is_some_and(|&first| usize::from(first) >= ROOT_2)
}

/// The name in its short form; `None` if that is not shorter.
pub(super) fn compress<'a>(previous: &Name, content: &'a [u8]) -> Option<Short<'a>> {
    let (count, octets) = shared(previous.content(), content);
    let short = Short {
        // The first stands for two.
        marker: Marker::new(ROOT_2 + count + 1),
        rest: content.get(octets..)?,
    };
    (count > 0 && short.len() < content.len()).then_some(short)
}

/// Makes a whole name of a short form; `None` if it refers to what is not there.
pub(super) fn expand(previous: &Name, content: &[u8], name: &mut Name) -> Option<()> {
    let (marker, rest) = read_small(content)?;
    let count = marker.checked_sub(ROOT_2 + 1)?;
    if count == 0 {
        return None;
    }
    let octets = prefix_octets(previous.content(), count)?;
    name.set(previous.content().get(..octets)?);
    name.extend(rest).then_some(())
}
