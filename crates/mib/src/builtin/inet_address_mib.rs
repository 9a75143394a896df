//! The objects of INET-ADDRESS-MIB.

use super::row::{Module, Row, node};

pub(super) const MODULE: Module = Module { name: "INET-ADDRESS-MIB", last_updated: "200502040000Z", rows: ROWS };

const ROWS: &[Row] = &[
    node("inetAddressMIB", &[1, 3, 6, 1, 2, 1, 76]),
];
