//! The objects of SNMP-SSH-TM-MIB.

use crate::clauses::Access::ReadOnly;
use super::syntax::COUNTER32;
use super::row::{Module, Row, node, scalar};

pub(super) const MODULE: Module = Module { name: "SNMP-SSH-TM-MIB", last_updated: "200906090000Z", rows: ROWS };

const ROWS: &[Row] = &[
    node("snmpSshtmMIB", &[1, 3, 6, 1, 2, 1, 189]),
    node("snmpSshtmNotifications", &[1, 3, 6, 1, 2, 1, 189, 0]),
    node("snmpSshtmObjects", &[1, 3, 6, 1, 2, 1, 189, 1]),
    node("snmpSshtmSession", &[1, 3, 6, 1, 2, 1, 189, 1, 1]),
    scalar("snmpSshtmSessionOpens", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 1], ReadOnly, &COUNTER32),
    scalar("snmpSshtmSessionCloses", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 2], ReadOnly, &COUNTER32),
    scalar("snmpSshtmSessionOpenErrors", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 3], ReadOnly, &COUNTER32),
    scalar("snmpSshtmSessionUserAuthFailures", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 4], ReadOnly, &COUNTER32),
    scalar("snmpSshtmSessionNoChannels", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 5], ReadOnly, &COUNTER32),
    scalar("snmpSshtmSessionNoSubsystems", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 6], ReadOnly, &COUNTER32),
    scalar("snmpSshtmSessionNoSessions", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 7], ReadOnly, &COUNTER32),
    scalar("snmpSshtmSessionInvalidCaches", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 8], ReadOnly, &COUNTER32),
    node("snmpSshtmConformance", &[1, 3, 6, 1, 2, 1, 189, 2]),
    node("snmpSshtmCompliances", &[1, 3, 6, 1, 2, 1, 189, 2, 1]),
    node("snmpSshtmCompliance", &[1, 3, 6, 1, 2, 1, 189, 2, 1, 1]),
    node("snmpSshtmGroups", &[1, 3, 6, 1, 2, 1, 189, 2, 2]),
    node("snmpSshtmGroup", &[1, 3, 6, 1, 2, 1, 189, 2, 2, 2]),
    node("snmpSSHDomain", &[1, 3, 6, 1, 6, 1, 7]),
];
