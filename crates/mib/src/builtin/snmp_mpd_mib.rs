//! The objects of SNMP-MPD-MIB.

use crate::clauses::Access::{ReadOnly};
use super::syntax::{COUNTER32};
use super::row::{Module, Row, node, scalar};

pub(super) const MODULE: Module = Module { name: "SNMP-MPD-MIB", last_updated: "200210140000Z", rows: ROWS };

const ROWS: &[Row] = &[
    node("snmpMPDMIB", &[1, 3, 6, 1, 6, 3, 11]),
    node("snmpMPDAdmin", &[1, 3, 6, 1, 6, 3, 11, 1]),
    node("snmpMPDMIBObjects", &[1, 3, 6, 1, 6, 3, 11, 2]),
    node("snmpMPDStats", &[1, 3, 6, 1, 6, 3, 11, 2, 1]),
    scalar("snmpUnknownSecurityModels", &[1, 3, 6, 1, 6, 3, 11, 2, 1, 1], ReadOnly, &COUNTER32),
    scalar("snmpInvalidMsgs", &[1, 3, 6, 1, 6, 3, 11, 2, 1, 2], ReadOnly, &COUNTER32),
    scalar("snmpUnknownPDUHandlers", &[1, 3, 6, 1, 6, 3, 11, 2, 1, 3], ReadOnly, &COUNTER32),
    node("snmpMPDMIBConformance", &[1, 3, 6, 1, 6, 3, 11, 3]),
    node("snmpMPDMIBCompliances", &[1, 3, 6, 1, 6, 3, 11, 3, 1]),
    node("snmpMPDCompliance", &[1, 3, 6, 1, 6, 3, 11, 3, 1, 1]),
    node("snmpMPDMIBGroups", &[1, 3, 6, 1, 6, 3, 11, 3, 2]),
    node("snmpMPDGroup", &[1, 3, 6, 1, 6, 3, 11, 3, 2, 1]),
];
