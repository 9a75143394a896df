//! The objects of SNMP-TSM-MIB.

use crate::clauses::Access::{ReadOnly, ReadWrite};
use super::syntax::{COUNTER32, TRUTH_VALUE};
use super::row::{Module, Row, node, scalar};

pub(super) const MODULE: Module = Module { name: "SNMP-TSM-MIB", last_updated: "200906090000Z", rows: ROWS };

const ROWS: &[Row] = &[
    node("snmpTsmMIB", &[1, 3, 6, 1, 2, 1, 190]),
    node("snmpTsmNotifications", &[1, 3, 6, 1, 2, 1, 190, 0]),
    node("snmpTsmMIBObjects", &[1, 3, 6, 1, 2, 1, 190, 1]),
    node("snmpTsmStats", &[1, 3, 6, 1, 2, 1, 190, 1, 1]),
    scalar("snmpTsmInvalidCaches", &[1, 3, 6, 1, 2, 1, 190, 1, 1, 1], ReadOnly, &COUNTER32),
    scalar("snmpTsmInadequateSecurityLevels", &[1, 3, 6, 1, 2, 1, 190, 1, 1, 2], ReadOnly, &COUNTER32),
    scalar("snmpTsmUnknownPrefixes", &[1, 3, 6, 1, 2, 1, 190, 1, 1, 3], ReadOnly, &COUNTER32),
    scalar("snmpTsmInvalidPrefixes", &[1, 3, 6, 1, 2, 1, 190, 1, 1, 4], ReadOnly, &COUNTER32),
    node("snmpTsmConfiguration", &[1, 3, 6, 1, 2, 1, 190, 1, 2]),
    scalar("snmpTsmConfigurationUsePrefix", &[1, 3, 6, 1, 2, 1, 190, 1, 2, 1], ReadWrite, &TRUTH_VALUE),
    node("snmpTsmConformance", &[1, 3, 6, 1, 2, 1, 190, 2]),
    node("snmpTsmCompliances", &[1, 3, 6, 1, 2, 1, 190, 2, 1]),
    node("snmpTsmCompliance", &[1, 3, 6, 1, 2, 1, 190, 2, 1, 1]),
    node("snmpTsmGroups", &[1, 3, 6, 1, 2, 1, 190, 2, 2]),
    node("snmpTsmGroup", &[1, 3, 6, 1, 2, 1, 190, 2, 2, 2]),
];
