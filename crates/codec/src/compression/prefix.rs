//! Object identifier compression (OPC), as in draft-ietf-eos-oidcompression-00: a name is the position of the first
//! sub-identifier in which it differs from the name before it, and the sub-identifiers from there on.

use super::name::{Marker, Name, Short, prefix_octets, read_small, shared};
use crate::ber::Tag;

/// `uncompressedDeltaIdentifier`: a whole name (section 8).
pub(super) const UNCOMPRESSED: Tag = Tag(0x4e);

/// `compressedDeltaIdentifier`: a position and a tail.
pub(super) const COMPRESSED: Tag = Tag(0x4f);

/// The position is encoded as the first two sub-identifiers are. Beyond this one, the first of them would be 3 (section 5).
const LAST_POSITION: usize = 119;

/// Positions are counted from 1, and the first sub-identifier that is encoded stands for two.
const FIRST_POSITION: usize = 2;

/// The name in its short form; `None` if that is longer.
pub(super) fn compress<'a>(previous: &Name, content: &'a [u8]) -> Option<Short<'a>> {
    let (count, octets) = shared(previous.content(), content);
    let position = count + FIRST_POSITION;
    let short = Short {
        marker: Marker::new(position),
        rest: content.get(octets..)?,
    };
    let is_possible = count > 0 && position <= LAST_POSITION;
    (is_possible && short.len() <= content.len()).then_some(short)
}

/// Makes a whole name of a short form; `None` if it refers to what is not there.
pub(super) fn expand(previous: &Name, content: &[u8], name: &mut Name) -> Option<()> {
    let (position, rest) = read_small(content)?;
    // A lower position would replace the whole name, and take more octets than it.
    let count = position
        .checked_sub(FIRST_POSITION)
        .filter(|&count| count > 0)?;
    let octets = prefix_octets(previous.content(), count)?;
    name.set(previous.content().get(..octets)?);
    name.extend(rest).then_some(())
}
