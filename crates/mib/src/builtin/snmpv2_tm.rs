//! The objects of SNMPv2-TM.

use super::row::{Module, Row, node};

pub(super) const MODULE: Module = Module { name: "SNMPv2-TM", last_updated: "200210160000Z", rows: ROWS };

const ROWS: &[Row] = &[
    node("snmpUDPDomain", &[1, 3, 6, 1, 6, 1, 1]),
    node("snmpCLNSDomain", &[1, 3, 6, 1, 6, 1, 2]),
    node("snmpCONSDomain", &[1, 3, 6, 1, 6, 1, 3]),
    node("snmpDDPDomain", &[1, 3, 6, 1, 6, 1, 4]),
    node("snmpIPXDomain", &[1, 3, 6, 1, 6, 1, 5]),
    node("rfc1157Proxy", &[1, 3, 6, 1, 6, 2, 1]),
    node("rfc1157Domain", &[1, 3, 6, 1, 6, 2, 1, 1]),
    node("snmpv2tm", &[1, 3, 6, 1, 6, 3, 19]),
];
