//! The objects of SNMP-USM-HMAC-SHA2-MIB.

use super::row::{Module, Row, node};

pub(super) const MODULE: Module = Module { name: "SNMP-USM-HMAC-SHA2-MIB", last_updated: "201604180000Z", rows: ROWS };

const ROWS: &[Row] = &[
    node("snmpUsmHmacSha2MIB", &[1, 3, 6, 1, 2, 1, 235]),
    node("usmHMAC128SHA224AuthProtocol", &[1, 3, 6, 1, 6, 3, 10, 1, 1, 4]),
    node("usmHMAC192SHA256AuthProtocol", &[1, 3, 6, 1, 6, 3, 10, 1, 1, 5]),
    node("usmHMAC256SHA384AuthProtocol", &[1, 3, 6, 1, 6, 3, 10, 1, 1, 6]),
    node("usmHMAC384SHA512AuthProtocol", &[1, 3, 6, 1, 6, 3, 10, 1, 1, 7]),
];
