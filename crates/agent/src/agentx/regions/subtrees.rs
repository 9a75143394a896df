//! The subtrees that a region with a range stands for (RFC 2741 section 6.2.3), and where a subtree ends.

use varbind_codec::agentx::{Region, ResponseError};
use varbind_codec::smi::Oid;

/// The most subtrees that a registration with a range stands for.
const MOST_OF_RANGE: u32 = 4096;

/// The first name behind a subtree.
pub(super) fn successor(subtree: &[u32]) -> Option<Vec<u32>> {
    let mut name = subtree.to_vec();
    while let Some(last) = name.pop() {
        if let Some(next) = last.checked_add(1) {
            name.push(next);
            return Some(name);
        }
    }
    None
}

/// The subtrees that a region stands for.
pub(super) fn subtrees(region: &Region) -> Result<Vec<Oid>, ResponseError> {
    let Some((at, end)) = region.range else {
        return Ok(vec![region.subtree.clone()]);
    };
    let arcs = region.subtree.arcs();
    let place = usize::from(at).checked_sub(1);
    let first = place.and_then(|place| arcs.get(place).copied());
    let (Some(place), Some(first)) = (place, first) else {
        return Err(ResponseError::PARSE_ERROR);
    };
    let count = end.checked_sub(first).ok_or(ResponseError::PARSE_ERROR)?;
    if count >= MOST_OF_RANGE {
        return Err(ResponseError::REQUEST_DENIED);
    }
    let subtree = |number| {
        let mut arcs = arcs.to_vec();
        if let Some(arc) = arcs.get_mut(place) {
            *arc = number;
        }
        Oid::new(&arcs).map_err(|_| ResponseError::PARSE_ERROR)
    };
    (first..=end).map(subtree).collect()
}
