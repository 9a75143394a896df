//! The objects of SNMP-USM-AES-MIB.

use super::row::{Module, Row, node};

pub(super) const MODULE: Module = Module { name: "SNMP-USM-AES-MIB", last_updated: "200406140000Z", rows: ROWS };

const ROWS: &[Row] = &[
    node("usmAesCfb128Protocol", &[1, 3, 6, 1, 6, 3, 10, 1, 2, 4]),
    node("snmpUsmAesMIB", &[1, 3, 6, 1, 6, 3, 20]),
];
