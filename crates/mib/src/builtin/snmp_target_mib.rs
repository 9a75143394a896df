//! The objects of SNMP-TARGET-MIB.

use crate::clauses::Access::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    COUNTER32, INTEGER32_0_TO_255, ROW_STATUS, SNMP_ADMIN_STRING_0_TO_255,
    SNMP_ADMIN_STRING_1_TO_32, SNMP_SECURITY_LEVEL, SNMP_SECURITY_MODEL_1_TO_2147483647,
    STORAGE_TYPE, TEST_AND_INCR,
};
use super::row::{Module, Row, column, entry, implied, node, scalar, table};

pub(super) const MODULE: Module = Module { name: "SNMP-TARGET-MIB", last_updated: "200210140000Z", rows: ROWS };

static T_DOMAIN: Syntax = Syntax::new(BaseType::ObjectIdentifier).convention("TDomain");
static T_ADDRESS: Syntax = Syntax::new(BaseType::OctetString).convention("TAddress").range(&[(1, 255)]);
static TIME_INTERVAL: Syntax = Syntax::new(BaseType::Integer32).convention("TimeInterval").range(&[(0, 2147483647)]);
static SNMP_TAG_LIST: Syntax = Syntax::new(BaseType::OctetString).convention("SnmpTagList").hint("255t").range(&[(0, 255)]);
static SNMP_MESSAGE_PROCESSING_MODEL: Syntax = Syntax::new(BaseType::Integer32).convention("SnmpMessageProcessingModel").range(&[(0, 2147483647)]);

const ROWS: &[Row] = &[
    node("snmpTargetMIB", &[1, 3, 6, 1, 6, 3, 12]),
    node("snmpTargetObjects", &[1, 3, 6, 1, 6, 3, 12, 1]),
    scalar("snmpTargetSpinLock", &[1, 3, 6, 1, 6, 3, 12, 1, 1], ReadWrite, &TEST_AND_INCR),
    table("snmpTargetAddrTable", &[1, 3, 6, 1, 6, 3, 12, 1, 2]),
    entry("snmpTargetAddrEntry", &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1], const { &[implied("snmpTargetAddrName", &SNMP_ADMIN_STRING_1_TO_32)] }),
    column("snmpTargetAddrName", &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 1], NotAccessible, &SNMP_ADMIN_STRING_1_TO_32),
    column("snmpTargetAddrTDomain", &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 2], ReadCreate, &T_DOMAIN),
    column("snmpTargetAddrTAddress", &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 3], ReadCreate, &T_ADDRESS),
    column("snmpTargetAddrTimeout", &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 4], ReadCreate, &TIME_INTERVAL),
    column("snmpTargetAddrRetryCount", &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 5], ReadCreate, &INTEGER32_0_TO_255),
    column("snmpTargetAddrTagList", &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 6], ReadCreate, &SNMP_TAG_LIST),
    column("snmpTargetAddrParams", &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 7], ReadCreate, &SNMP_ADMIN_STRING_1_TO_32),
    column("snmpTargetAddrStorageType", &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 8], ReadCreate, &STORAGE_TYPE),
    column("snmpTargetAddrRowStatus", &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 9], ReadCreate, &ROW_STATUS),
    table("snmpTargetParamsTable", &[1, 3, 6, 1, 6, 3, 12, 1, 3]),
    entry("snmpTargetParamsEntry", &[1, 3, 6, 1, 6, 3, 12, 1, 3, 1], const { &[implied("snmpTargetParamsName", &SNMP_ADMIN_STRING_1_TO_32)] }),
    column("snmpTargetParamsName", &[1, 3, 6, 1, 6, 3, 12, 1, 3, 1, 1], NotAccessible, &SNMP_ADMIN_STRING_1_TO_32),
    column("snmpTargetParamsMPModel", &[1, 3, 6, 1, 6, 3, 12, 1, 3, 1, 2], ReadCreate, &SNMP_MESSAGE_PROCESSING_MODEL),
    column("snmpTargetParamsSecurityModel", &[1, 3, 6, 1, 6, 3, 12, 1, 3, 1, 3], ReadCreate, &SNMP_SECURITY_MODEL_1_TO_2147483647),
    column("snmpTargetParamsSecurityName", &[1, 3, 6, 1, 6, 3, 12, 1, 3, 1, 4], ReadCreate, &SNMP_ADMIN_STRING_0_TO_255),
    column("snmpTargetParamsSecurityLevel", &[1, 3, 6, 1, 6, 3, 12, 1, 3, 1, 5], ReadCreate, &SNMP_SECURITY_LEVEL),
    column("snmpTargetParamsStorageType", &[1, 3, 6, 1, 6, 3, 12, 1, 3, 1, 6], ReadCreate, &STORAGE_TYPE),
    column("snmpTargetParamsRowStatus", &[1, 3, 6, 1, 6, 3, 12, 1, 3, 1, 7], ReadCreate, &ROW_STATUS),
    scalar("snmpUnavailableContexts", &[1, 3, 6, 1, 6, 3, 12, 1, 4], ReadOnly, &COUNTER32),
    scalar("snmpUnknownContexts", &[1, 3, 6, 1, 6, 3, 12, 1, 5], ReadOnly, &COUNTER32),
    node("snmpTargetConformance", &[1, 3, 6, 1, 6, 3, 12, 3]),
    node("snmpTargetCompliances", &[1, 3, 6, 1, 6, 3, 12, 3, 1]),
    node("snmpTargetCommandResponderCompliance", &[1, 3, 6, 1, 6, 3, 12, 3, 1, 1]),
    node("snmpTargetGroups", &[1, 3, 6, 1, 6, 3, 12, 3, 2]),
    node("snmpTargetBasicGroup", &[1, 3, 6, 1, 6, 3, 12, 3, 2, 1]),
    node("snmpTargetResponseGroup", &[1, 3, 6, 1, 6, 3, 12, 3, 2, 2]),
    node("snmpTargetCommandResponderGroup", &[1, 3, 6, 1, 6, 3, 12, 3, 2, 3]),
];
