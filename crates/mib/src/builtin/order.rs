//! The orders of the rows, computed by the compiler.
#![allow(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a panic is an error of the build"
)]

use super::row::{Module, Row};
use crate::catalog::format::NONE;

/// Where a row is.
#[derive(Clone, Copy)]
pub(super) struct Position {
    pub(super) module: u16,
    row: u16,
}

pub(super) const fn row(modules: &[Module], position: Position) -> &'static Row {
    &modules[position.module as usize].rows[position.row as usize]
}

pub(super) const fn count(modules: &[Module]) -> usize {
    let mut count = 0;
    let mut module = 0;
    while module < modules.len() {
        count += modules[module].rows.len();
        module += 1;
    }
    count
}

pub(super) const fn by_oid<const N: usize>(modules: &[Module]) -> [Position; N] {
    let positions = in_module_order::<N>(modules);
    let order = merge_sort(modules, &positions, true);
    let mut sorted = positions;
    let mut at = 0;
    while at < N {
        sorted[at] = positions[order[at] as usize];
        at += 1;
    }
    sorted
}

/// Places in the order by OBJECT IDENTIFIER.
pub(super) const fn by_name<const N: usize>(
    modules: &[Module],
    by_oid: &[Position; N],
) -> [u32; N] {
    merge_sort(modules, by_oid, false)
}

/// For each row in order of OBJECT IDENTIFIER, the place of the nearest row above it.
pub(super) const fn parents<const N: usize>(
    modules: &[Module],
    by_oid: &[Position; N],
) -> [u32; N] {
    let mut parents = [NONE; N];
    let mut at = 1;
    while at < N {
        let arcs = row(modules, by_oid[at]).arcs;
        let mut above = at - 1;
        loop {
            if is_prefix(row(modules, by_oid[above]).arcs, arcs) {
                parents[at] = above as u32;
                break;
            }
            if parents[above] == NONE {
                break;
            }
            above = parents[above] as usize;
        }
        at += 1;
    }
    parents
}

const fn short(number: usize) -> u16 {
    assert!(number <= u16::MAX as usize, "too many rows");
    number as u16
}

const fn in_module_order<const N: usize>(modules: &[Module]) -> [Position; N] {
    let mut positions = [Position { module: 0, row: 0 }; N];
    let (mut at, mut module) = (0, 0);
    while module < modules.len() {
        let mut row = 0;
        while row < modules[module].rows.len() {
            positions[at] = Position {
                module: short(module),
                row: short(row),
            };
            at += 1;
            row += 1;
        }
        module += 1;
    }
    positions
}

/// The order of `positions`: bottom-up and stable.
const fn merge_sort<const N: usize>(
    modules: &[Module],
    positions: &[Position; N],
    by_oid: bool,
) -> [u32; N] {
    let mut from = [0; N];
    let mut at = 0;
    while at < N {
        from[at] = at as u32;
        at += 1;
    }
    let mut width = 1;
    while width < N {
        let mut into = from;
        let mut start = 0;
        while start < N {
            let middle = smaller(start + width, N);
            let end = smaller(start + 2 * width, N);
            let (mut left, mut right, mut at) = (start, middle, start);
            while at < end {
                let take_right = left == middle
                    || (right < end && {
                        let (a, b) = (from[right] as usize, from[left] as usize);
                        is_before(
                            row(modules, positions[a]),
                            row(modules, positions[b]),
                            by_oid,
                        )
                    });
                into[at] = from[if take_right { right } else { left }];
                if take_right {
                    right += 1;
                } else {
                    left += 1;
                }
                at += 1;
            }
            start = end;
        }
        from = into;
        width *= 2;
    }
    from
}

const fn smaller(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}

const fn is_before(a: &Row, b: &Row, by_oid: bool) -> bool {
    let mut at = 0;
    if by_oid {
        let (a, b) = (a.arcs, b.arcs);
        let common = smaller(a.len(), b.len());
        while at < common {
            if a[at] != b[at] {
                return a[at] < b[at];
            }
            at += 1;
        }
        return a.len() < b.len();
    }
    let (a, b) = (a.name.as_bytes(), b.name.as_bytes());
    let common = smaller(a.len(), b.len());
    while at < common {
        if a[at] != b[at] {
            return a[at] < b[at];
        }
        at += 1;
    }
    a.len() < b.len()
}

const fn is_prefix(prefix: &[u32], name: &[u32]) -> bool {
    if prefix.len() > name.len() {
        return false;
    }
    let mut at = 0;
    while at < prefix.len() {
        if prefix[at] != name[at] {
            return false;
        }
        at += 1;
    }
    true
}
