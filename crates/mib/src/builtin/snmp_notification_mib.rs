//! The objects of SNMP-NOTIFICATION-MIB.

use crate::clauses::Access::{NotAccessible, ReadCreate};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    OBJECT_IDENTIFIER, OCTET_STRING_0_TO_16, ROW_STATUS, SNMP_ADMIN_STRING_1_TO_32,
    SNMP_NOTIFY_FILTER_TYPE, SNMP_TAG_VALUE, STORAGE_TYPE,
};
use super::row::{Module, Row, column, entry, implied, node, part, table};

pub(super) const MODULE: Module = Module { name: "SNMP-NOTIFICATION-MIB", last_updated: "200210140000Z", rows: ROWS };

static SNMP_NOTIFY_TYPE: Syntax = Syntax::new(BaseType::Integer32).names(&[("trap", 1), ("inform", 2)]);

const ROWS: &[Row] = &[
    node("snmpNotificationMIB", &[1, 3, 6, 1, 6, 3, 13]),
    node("snmpNotifyObjects", &[1, 3, 6, 1, 6, 3, 13, 1]),
    table("snmpNotifyTable", &[1, 3, 6, 1, 6, 3, 13, 1, 1]),
    entry("snmpNotifyEntry", &[1, 3, 6, 1, 6, 3, 13, 1, 1, 1], const { &[implied("snmpNotifyName", &SNMP_ADMIN_STRING_1_TO_32)] }),
    column("snmpNotifyName", &[1, 3, 6, 1, 6, 3, 13, 1, 1, 1, 1], NotAccessible, &SNMP_ADMIN_STRING_1_TO_32),
    column("snmpNotifyTag", &[1, 3, 6, 1, 6, 3, 13, 1, 1, 1, 2], ReadCreate, &SNMP_TAG_VALUE),
    column("snmpNotifyType", &[1, 3, 6, 1, 6, 3, 13, 1, 1, 1, 3], ReadCreate, &SNMP_NOTIFY_TYPE),
    column("snmpNotifyStorageType", &[1, 3, 6, 1, 6, 3, 13, 1, 1, 1, 4], ReadCreate, &STORAGE_TYPE),
    column("snmpNotifyRowStatus", &[1, 3, 6, 1, 6, 3, 13, 1, 1, 1, 5], ReadCreate, &ROW_STATUS),
    table("snmpNotifyFilterProfileTable", &[1, 3, 6, 1, 6, 3, 13, 1, 2]),
    entry("snmpNotifyFilterProfileEntry", &[1, 3, 6, 1, 6, 3, 13, 1, 2, 1], const { &[implied("snmpTargetParamsName", &SNMP_ADMIN_STRING_1_TO_32)] }),
    column("snmpNotifyFilterProfileName", &[1, 3, 6, 1, 6, 3, 13, 1, 2, 1, 1], ReadCreate, &SNMP_ADMIN_STRING_1_TO_32),
    column("snmpNotifyFilterProfileStorType", &[1, 3, 6, 1, 6, 3, 13, 1, 2, 1, 2], ReadCreate, &STORAGE_TYPE),
    column("snmpNotifyFilterProfileRowStatus", &[1, 3, 6, 1, 6, 3, 13, 1, 2, 1, 3], ReadCreate, &ROW_STATUS),
    table("snmpNotifyFilterTable", &[1, 3, 6, 1, 6, 3, 13, 1, 3]),
    entry("snmpNotifyFilterEntry", &[1, 3, 6, 1, 6, 3, 13, 1, 3, 1], const { &[
        part("snmpNotifyFilterProfileName", &SNMP_ADMIN_STRING_1_TO_32),
        implied("snmpNotifyFilterSubtree", &OBJECT_IDENTIFIER),
    ] }),
    column("snmpNotifyFilterSubtree", &[1, 3, 6, 1, 6, 3, 13, 1, 3, 1, 1], NotAccessible, &OBJECT_IDENTIFIER),
    column("snmpNotifyFilterMask", &[1, 3, 6, 1, 6, 3, 13, 1, 3, 1, 2], ReadCreate, &OCTET_STRING_0_TO_16),
    column("snmpNotifyFilterType", &[1, 3, 6, 1, 6, 3, 13, 1, 3, 1, 3], ReadCreate, &SNMP_NOTIFY_FILTER_TYPE),
    column("snmpNotifyFilterStorageType", &[1, 3, 6, 1, 6, 3, 13, 1, 3, 1, 4], ReadCreate, &STORAGE_TYPE),
    column("snmpNotifyFilterRowStatus", &[1, 3, 6, 1, 6, 3, 13, 1, 3, 1, 5], ReadCreate, &ROW_STATUS),
    node("snmpNotifyConformance", &[1, 3, 6, 1, 6, 3, 13, 3]),
    node("snmpNotifyCompliances", &[1, 3, 6, 1, 6, 3, 13, 3, 1]),
    node("snmpNotifyBasicCompliance", &[1, 3, 6, 1, 6, 3, 13, 3, 1, 1]),
    node("snmpNotifyBasicFiltersCompliance", &[1, 3, 6, 1, 6, 3, 13, 3, 1, 2]),
    node("snmpNotifyFullCompliance", &[1, 3, 6, 1, 6, 3, 13, 3, 1, 3]),
    node("snmpNotifyGroups", &[1, 3, 6, 1, 6, 3, 13, 3, 2]),
    node("snmpNotifyGroup", &[1, 3, 6, 1, 6, 3, 13, 3, 2, 1]),
    node("snmpNotifyFilterGroup", &[1, 3, 6, 1, 6, 3, 13, 3, 2, 2]),
];
