//! The objects of SNMPv2-SMI.

use super::row::{Module, Row, node};

pub(super) const MODULE: Module = Module { name: "SNMPv2-SMI", last_updated: "", rows: ROWS };

const ROWS: &[Row] = &[
    node("zeroDotZero", &[0, 0]),
    node("org", &[1, 3]),
    node("dod", &[1, 3, 6]),
    node("internet", &[1, 3, 6, 1]),
    node("directory", &[1, 3, 6, 1, 1]),
    node("mgmt", &[1, 3, 6, 1, 2]),
    node("mib-2", &[1, 3, 6, 1, 2, 1]),
    node("transmission", &[1, 3, 6, 1, 2, 1, 10]),
    node("experimental", &[1, 3, 6, 1, 3]),
    node("private", &[1, 3, 6, 1, 4]),
    node("enterprises", &[1, 3, 6, 1, 4, 1]),
    node("security", &[1, 3, 6, 1, 5]),
    node("snmpV2", &[1, 3, 6, 1, 6]),
    node("snmpDomains", &[1, 3, 6, 1, 6, 1]),
    node("snmpProxys", &[1, 3, 6, 1, 6, 2]),
    node("snmpModules", &[1, 3, 6, 1, 6, 3]),
];
