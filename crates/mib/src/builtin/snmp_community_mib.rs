//! The objects of SNMP-COMMUNITY-MIB.

use crate::clauses::Access::{AccessibleForNotify, NotAccessible, ReadCreate};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    IP_ADDRESS, OCTET_STRING, ROW_STATUS, SNMP_ADMIN_STRING_0_TO_32, SNMP_ADMIN_STRING_1_TO_32,
    SNMP_ENGINE_ID, SNMP_TAG_VALUE, STORAGE_TYPE,
};
use super::row::{Module, Row, augmenting, column, entry, implied, node, scalar, table};

pub(super) const MODULE: Module = Module { name: "SNMP-COMMUNITY-MIB", last_updated: "200003060000Z", rows: ROWS };

static OCTET_STRING_0_TO_255: Syntax = Syntax::new(BaseType::OctetString).range(&[(0, 255)]);
static INTEGER32_0_OR_484_TO_2147483647: Syntax = Syntax::new(BaseType::Integer32).range(&[(0, 0), (484, 2147483647)]);

const ROWS: &[Row] = &[
    node("snmpCommunityMIB", &[1, 3, 6, 1, 6, 3, 18]),
    node("snmpCommunityMIBObjects", &[1, 3, 6, 1, 6, 3, 18, 1]),
    table("snmpCommunityTable", &[1, 3, 6, 1, 6, 3, 18, 1, 1]),
    entry("snmpCommunityEntry", &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1], const { &[implied("snmpCommunityIndex", &SNMP_ADMIN_STRING_1_TO_32)] }),
    column("snmpCommunityIndex", &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 1], NotAccessible, &SNMP_ADMIN_STRING_1_TO_32),
    column("snmpCommunityName", &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 2], ReadCreate, &OCTET_STRING),
    column("snmpCommunitySecurityName", &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 3], ReadCreate, &SNMP_ADMIN_STRING_1_TO_32),
    column("snmpCommunityContextEngineID", &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 4], ReadCreate, &SNMP_ENGINE_ID),
    column("snmpCommunityContextName", &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 5], ReadCreate, &SNMP_ADMIN_STRING_0_TO_32),
    column("snmpCommunityTransportTag", &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 6], ReadCreate, &SNMP_TAG_VALUE),
    column("snmpCommunityStorageType", &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 7], ReadCreate, &STORAGE_TYPE),
    column("snmpCommunityStatus", &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 8], ReadCreate, &ROW_STATUS),
    table("snmpTargetAddrExtTable", &[1, 3, 6, 1, 6, 3, 18, 1, 2]),
    augmenting("snmpTargetAddrExtEntry", &[1, 3, 6, 1, 6, 3, 18, 1, 2, 1], "snmpTargetAddrEntry", const { &[implied("snmpTargetAddrName", &SNMP_ADMIN_STRING_1_TO_32)] }),
    column("snmpTargetAddrTMask", &[1, 3, 6, 1, 6, 3, 18, 1, 2, 1, 1], ReadCreate, &OCTET_STRING_0_TO_255),
    column("snmpTargetAddrMMS", &[1, 3, 6, 1, 6, 3, 18, 1, 2, 1, 2], ReadCreate, &INTEGER32_0_OR_484_TO_2147483647),
    scalar("snmpTrapAddress", &[1, 3, 6, 1, 6, 3, 18, 1, 3], AccessibleForNotify, &IP_ADDRESS),
    scalar("snmpTrapCommunity", &[1, 3, 6, 1, 6, 3, 18, 1, 4], AccessibleForNotify, &OCTET_STRING),
    node("snmpCommunityMIBConformance", &[1, 3, 6, 1, 6, 3, 18, 2]),
    node("snmpCommunityMIBCompliances", &[1, 3, 6, 1, 6, 3, 18, 2, 1]),
    node("snmpCommunityMIBCompliance", &[1, 3, 6, 1, 6, 3, 18, 2, 1, 1]),
    node("snmpProxyTrapForwardCompliance", &[1, 3, 6, 1, 6, 3, 18, 2, 1, 2]),
    node("snmpCommunityMIBGroups", &[1, 3, 6, 1, 6, 3, 18, 2, 2]),
    node("snmpCommunityTableGroup", &[1, 3, 6, 1, 6, 3, 18, 2, 2, 1]),
    node("snmpProxyTrapForwardGroup", &[1, 3, 6, 1, 6, 3, 18, 2, 2, 3]),
];
