//! The objects of NET-SNMP-MIB.

use super::row::{Module, Row, node};

pub(super) const MODULE: Module = Module { name: "NET-SNMP-MIB", last_updated: "200201300000Z", rows: ROWS };

const ROWS: &[Row] = &[
    node("netSnmp", &[1, 3, 6, 1, 4, 1, 8072]),
    node("netSnmpObjects", &[1, 3, 6, 1, 4, 1, 8072, 1]),
    node("netSnmpEnumerations", &[1, 3, 6, 1, 4, 1, 8072, 3]),
    node("netSnmpModuleIDs", &[1, 3, 6, 1, 4, 1, 8072, 3, 1]),
    node("netSnmpAgentOIDs", &[1, 3, 6, 1, 4, 1, 8072, 3, 2]),
    node("netSnmpDomains", &[1, 3, 6, 1, 4, 1, 8072, 3, 3]),
    node("netSnmpNotificationPrefix", &[1, 3, 6, 1, 4, 1, 8072, 4]),
    node("netSnmpNotifications", &[1, 3, 6, 1, 4, 1, 8072, 4, 0]),
    node("netSnmpNotificationObjects", &[1, 3, 6, 1, 4, 1, 8072, 4, 1]),
    node("netSnmpConformance", &[1, 3, 6, 1, 4, 1, 8072, 5]),
    node("netSnmpCompliances", &[1, 3, 6, 1, 4, 1, 8072, 5, 1]),
    node("netSnmpGroups", &[1, 3, 6, 1, 4, 1, 8072, 5, 2]),
    node("netSnmpExperimental", &[1, 3, 6, 1, 4, 1, 8072, 9999]),
    node("netSnmpPlaypen", &[1, 3, 6, 1, 4, 1, 8072, 9999, 9999]),
];
