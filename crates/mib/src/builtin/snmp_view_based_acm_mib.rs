//! The objects of SNMP-VIEW-BASED-ACM-MIB.

use crate::clauses::Access::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    OBJECT_IDENTIFIER, OCTET_STRING_0_TO_16, ROW_STATUS, SNMP_ADMIN_STRING_0_TO_32,
    SNMP_ADMIN_STRING_1_TO_32, SNMP_NOTIFY_FILTER_TYPE, SNMP_SECURITY_LEVEL,
    SNMP_SECURITY_MODEL_1_TO_2147483647, STORAGE_TYPE, TEST_AND_INCR,
};
use super::row::{Module, Row, column, entry, node, part, scalar, table};

pub(super) const MODULE: Module = Module { name: "SNMP-VIEW-BASED-ACM-MIB", last_updated: "200210160000Z", rows: ROWS };

static SNMP_SECURITY_MODEL_0_TO_2147483647: Syntax = Syntax::new(BaseType::Integer32).convention("SnmpSecurityModel").range(&[(0, 2147483647)]);
static VACM_ACCESS_CONTEXT_MATCH: Syntax = Syntax::new(BaseType::Integer32).names(&[("exact", 1), ("prefix", 2)]);

const ROWS: &[Row] = &[
    node("snmpVacmMIB", &[1, 3, 6, 1, 6, 3, 16]),
    node("vacmMIBObjects", &[1, 3, 6, 1, 6, 3, 16, 1]),
    table("vacmContextTable", &[1, 3, 6, 1, 6, 3, 16, 1, 1]),
    entry("vacmContextEntry", &[1, 3, 6, 1, 6, 3, 16, 1, 1, 1], const { &[part("vacmContextName", &SNMP_ADMIN_STRING_0_TO_32)] }),
    column("vacmContextName", &[1, 3, 6, 1, 6, 3, 16, 1, 1, 1, 1], ReadOnly, &SNMP_ADMIN_STRING_0_TO_32),
    table("vacmSecurityToGroupTable", &[1, 3, 6, 1, 6, 3, 16, 1, 2]),
    entry("vacmSecurityToGroupEntry", &[1, 3, 6, 1, 6, 3, 16, 1, 2, 1], const { &[
        part("vacmSecurityModel", &SNMP_SECURITY_MODEL_1_TO_2147483647),
        part("vacmSecurityName", &SNMP_ADMIN_STRING_1_TO_32),
    ] }),
    column("vacmSecurityModel", &[1, 3, 6, 1, 6, 3, 16, 1, 2, 1, 1], NotAccessible, &SNMP_SECURITY_MODEL_1_TO_2147483647),
    column("vacmSecurityName", &[1, 3, 6, 1, 6, 3, 16, 1, 2, 1, 2], NotAccessible, &SNMP_ADMIN_STRING_1_TO_32),
    column("vacmGroupName", &[1, 3, 6, 1, 6, 3, 16, 1, 2, 1, 3], ReadCreate, &SNMP_ADMIN_STRING_1_TO_32),
    column("vacmSecurityToGroupStorageType", &[1, 3, 6, 1, 6, 3, 16, 1, 2, 1, 4], ReadCreate, &STORAGE_TYPE),
    column("vacmSecurityToGroupStatus", &[1, 3, 6, 1, 6, 3, 16, 1, 2, 1, 5], ReadCreate, &ROW_STATUS),
    table("vacmAccessTable", &[1, 3, 6, 1, 6, 3, 16, 1, 4]),
    entry("vacmAccessEntry", &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1], const { &[
        part("vacmGroupName", &SNMP_ADMIN_STRING_1_TO_32),
        part("vacmAccessContextPrefix", &SNMP_ADMIN_STRING_0_TO_32),
        part("vacmAccessSecurityModel", &SNMP_SECURITY_MODEL_0_TO_2147483647),
        part("vacmAccessSecurityLevel", &SNMP_SECURITY_LEVEL),
    ] }),
    column("vacmAccessContextPrefix", &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 1], NotAccessible, &SNMP_ADMIN_STRING_0_TO_32),
    column("vacmAccessSecurityModel", &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 2], NotAccessible, &SNMP_SECURITY_MODEL_0_TO_2147483647),
    column("vacmAccessSecurityLevel", &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 3], NotAccessible, &SNMP_SECURITY_LEVEL),
    column("vacmAccessContextMatch", &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 4], ReadCreate, &VACM_ACCESS_CONTEXT_MATCH),
    column("vacmAccessReadViewName", &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 5], ReadCreate, &SNMP_ADMIN_STRING_0_TO_32),
    column("vacmAccessWriteViewName", &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 6], ReadCreate, &SNMP_ADMIN_STRING_0_TO_32),
    column("vacmAccessNotifyViewName", &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 7], ReadCreate, &SNMP_ADMIN_STRING_0_TO_32),
    column("vacmAccessStorageType", &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 8], ReadCreate, &STORAGE_TYPE),
    column("vacmAccessStatus", &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 9], ReadCreate, &ROW_STATUS),
    node("vacmMIBViews", &[1, 3, 6, 1, 6, 3, 16, 1, 5]),
    scalar("vacmViewSpinLock", &[1, 3, 6, 1, 6, 3, 16, 1, 5, 1], ReadWrite, &TEST_AND_INCR),
    table("vacmViewTreeFamilyTable", &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2]),
    entry("vacmViewTreeFamilyEntry", &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2, 1], const { &[
        part("vacmViewTreeFamilyViewName", &SNMP_ADMIN_STRING_1_TO_32),
        part("vacmViewTreeFamilySubtree", &OBJECT_IDENTIFIER),
    ] }),
    column("vacmViewTreeFamilyViewName", &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2, 1, 1], NotAccessible, &SNMP_ADMIN_STRING_1_TO_32),
    column("vacmViewTreeFamilySubtree", &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2, 1, 2], NotAccessible, &OBJECT_IDENTIFIER),
    column("vacmViewTreeFamilyMask", &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2, 1, 3], ReadCreate, &OCTET_STRING_0_TO_16),
    column("vacmViewTreeFamilyType", &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2, 1, 4], ReadCreate, &SNMP_NOTIFY_FILTER_TYPE),
    column("vacmViewTreeFamilyStorageType", &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2, 1, 5], ReadCreate, &STORAGE_TYPE),
    column("vacmViewTreeFamilyStatus", &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2, 1, 6], ReadCreate, &ROW_STATUS),
    node("vacmMIBConformance", &[1, 3, 6, 1, 6, 3, 16, 2]),
    node("vacmMIBCompliances", &[1, 3, 6, 1, 6, 3, 16, 2, 1]),
    node("vacmMIBCompliance", &[1, 3, 6, 1, 6, 3, 16, 2, 1, 1]),
    node("vacmMIBGroups", &[1, 3, 6, 1, 6, 3, 16, 2, 2]),
    node("vacmBasicGroup", &[1, 3, 6, 1, 6, 3, 16, 2, 2, 1]),
];
