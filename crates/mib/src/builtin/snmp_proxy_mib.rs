//! The objects of SNMP-PROXY-MIB.

use crate::clauses::Access::{NotAccessible, ReadCreate};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    ROW_STATUS, SNMP_ADMIN_STRING_0_TO_255, SNMP_ADMIN_STRING_1_TO_32, SNMP_ENGINE_ID, SNMP_TAG_VALUE, STORAGE_TYPE,
};
use super::row::{Module, Row, column, entry, implied, node, table};

pub(super) const MODULE: Module = Module { name: "SNMP-PROXY-MIB", last_updated: "200210140000Z", rows: ROWS };

static SNMP_PROXY_TYPE: Syntax = Syntax::new(BaseType::Integer32).names(&[("read", 1), ("write", 2), ("trap", 3), ("inform", 4)]);

const ROWS: &[Row] = &[
    node("snmpProxyMIB", &[1, 3, 6, 1, 6, 3, 14]),
    node("snmpProxyObjects", &[1, 3, 6, 1, 6, 3, 14, 1]),
    table("snmpProxyTable", &[1, 3, 6, 1, 6, 3, 14, 1, 2]),
    entry("snmpProxyEntry", &[1, 3, 6, 1, 6, 3, 14, 1, 2, 1], const { &[implied("snmpProxyName", &SNMP_ADMIN_STRING_1_TO_32)] }),
    column("snmpProxyName", &[1, 3, 6, 1, 6, 3, 14, 1, 2, 1, 1], NotAccessible, &SNMP_ADMIN_STRING_1_TO_32),
    column("snmpProxyType", &[1, 3, 6, 1, 6, 3, 14, 1, 2, 1, 2], ReadCreate, &SNMP_PROXY_TYPE),
    column("snmpProxyContextEngineID", &[1, 3, 6, 1, 6, 3, 14, 1, 2, 1, 3], ReadCreate, &SNMP_ENGINE_ID),
    column("snmpProxyContextName", &[1, 3, 6, 1, 6, 3, 14, 1, 2, 1, 4], ReadCreate, &SNMP_ADMIN_STRING_0_TO_255),
    column("snmpProxyTargetParamsIn", &[1, 3, 6, 1, 6, 3, 14, 1, 2, 1, 5], ReadCreate, &SNMP_ADMIN_STRING_0_TO_255),
    column("snmpProxySingleTargetOut", &[1, 3, 6, 1, 6, 3, 14, 1, 2, 1, 6], ReadCreate, &SNMP_ADMIN_STRING_0_TO_255),
    column("snmpProxyMultipleTargetOut", &[1, 3, 6, 1, 6, 3, 14, 1, 2, 1, 7], ReadCreate, &SNMP_TAG_VALUE),
    column("snmpProxyStorageType", &[1, 3, 6, 1, 6, 3, 14, 1, 2, 1, 8], ReadCreate, &STORAGE_TYPE),
    column("snmpProxyRowStatus", &[1, 3, 6, 1, 6, 3, 14, 1, 2, 1, 9], ReadCreate, &ROW_STATUS),
    node("snmpProxyConformance", &[1, 3, 6, 1, 6, 3, 14, 3]),
    node("snmpProxyCompliances", &[1, 3, 6, 1, 6, 3, 14, 3, 1]),
    node("snmpProxyCompliance", &[1, 3, 6, 1, 6, 3, 14, 3, 1, 1]),
    node("snmpProxyGroups", &[1, 3, 6, 1, 6, 3, 14, 3, 2]),
    node("snmpProxyGroup", &[1, 3, 6, 1, 6, 3, 14, 3, 2, 3]),
];
