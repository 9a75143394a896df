//! The orders of the rows, computed by the compiler.
#![allow(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a panic is an error of the build"
)]

use crate::source::{Module, Position, ROOT, Row};

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
    merge_sort(modules, true)
}

pub(super) const fn by_name<const N: usize>(modules: &[Module]) -> [Position; N] {
    merge_sort(modules, false)
}

pub(super) const fn parents<const N: usize>(modules: &[Module]) -> [u16; N] {
    let order = by_oid::<N>(modules);
    let mut parents = [ROOT; N];
    let mut at = 1;
    while at < N {
        let arcs = row(modules, order[at]).arcs;
        let mut above = at - 1;
        loop {
            if is_prefix(row(modules, order[above]).arcs, arcs) {
                parents[at] = short(above);
                break;
            }
            if parents[above] == ROOT {
                break;
            }
            above = parents[above] as usize;
        }
        at += 1;
    }
    parents
}

const fn short(number: usize) -> u16 {
    assert!(number < ROOT as usize, "too many rows");
    number as u16
}

const fn row(modules: &[Module], position: Position) -> &'static Row {
    &modules[position.module as usize].rows[position.row as usize]
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

/// Bottom-up and stable.
const fn merge_sort<const N: usize>(modules: &[Module], by_oid: bool) -> [Position; N] {
    let mut from = in_module_order::<N>(modules);
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
                    || (right < end && is_before(modules, from[right], from[left], by_oid));
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

const fn is_before(modules: &[Module], a: Position, b: Position, by_oid: bool) -> bool {
    let (a, b) = (row(modules, a), row(modules, b));
    let mut at = 0;
    if by_oid {
        let (a, b) = (a.arcs, b.arcs);
        while at < a.len() && at < b.len() {
            if a[at] != b[at] {
                return a[at] < b[at];
            }
            at += 1;
        }
        return a.len() < b.len();
    }
    let (a, b) = (a.name.as_bytes(), b.name.as_bytes());
    while at < a.len() && at < b.len() {
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
