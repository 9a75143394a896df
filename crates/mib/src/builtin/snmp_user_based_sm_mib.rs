//! The objects of SNMP-USER-BASED-SM-MIB.

use crate::clauses::Access::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    AUTONOMOUS_TYPE, COUNTER32, ROW_POINTER, ROW_STATUS, SNMP_ADMIN_STRING_0_TO_255,
    SNMP_ADMIN_STRING_1_TO_32, SNMP_ENGINE_ID, STORAGE_TYPE, TEST_AND_INCR,
};
use super::row::{Module, Row, column, entry, node, part, scalar, table};

pub(super) const MODULE: Module = Module { name: "SNMP-USER-BASED-SM-MIB", last_updated: "200210160000Z", rows: ROWS };

static KEY_CHANGE: Syntax = Syntax::new(BaseType::OctetString).convention("KeyChange");
static OCTET_STRING_0_TO_32: Syntax = Syntax::new(BaseType::OctetString).range(&[(0, 32)]);

const ROWS: &[Row] = &[
    node("usmNoAuthProtocol", &[1, 3, 6, 1, 6, 3, 10, 1, 1, 1]),
    node("usmHMACMD5AuthProtocol", &[1, 3, 6, 1, 6, 3, 10, 1, 1, 2]),
    node("usmHMACSHAAuthProtocol", &[1, 3, 6, 1, 6, 3, 10, 1, 1, 3]),
    node("usmNoPrivProtocol", &[1, 3, 6, 1, 6, 3, 10, 1, 2, 1]),
    node("usmDESPrivProtocol", &[1, 3, 6, 1, 6, 3, 10, 1, 2, 2]),
    node("snmpUsmMIB", &[1, 3, 6, 1, 6, 3, 15]),
    node("usmMIBObjects", &[1, 3, 6, 1, 6, 3, 15, 1]),
    node("usmStats", &[1, 3, 6, 1, 6, 3, 15, 1, 1]),
    scalar("usmStatsUnsupportedSecLevels", &[1, 3, 6, 1, 6, 3, 15, 1, 1, 1], ReadOnly, &COUNTER32),
    scalar("usmStatsNotInTimeWindows", &[1, 3, 6, 1, 6, 3, 15, 1, 1, 2], ReadOnly, &COUNTER32),
    scalar("usmStatsUnknownUserNames", &[1, 3, 6, 1, 6, 3, 15, 1, 1, 3], ReadOnly, &COUNTER32),
    scalar("usmStatsUnknownEngineIDs", &[1, 3, 6, 1, 6, 3, 15, 1, 1, 4], ReadOnly, &COUNTER32),
    scalar("usmStatsWrongDigests", &[1, 3, 6, 1, 6, 3, 15, 1, 1, 5], ReadOnly, &COUNTER32),
    scalar("usmStatsDecryptionErrors", &[1, 3, 6, 1, 6, 3, 15, 1, 1, 6], ReadOnly, &COUNTER32),
    node("usmUser", &[1, 3, 6, 1, 6, 3, 15, 1, 2]),
    scalar("usmUserSpinLock", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 1], ReadWrite, &TEST_AND_INCR),
    table("usmUserTable", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2]),
    entry("usmUserEntry", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1], const { &[
        part("usmUserEngineID", &SNMP_ENGINE_ID),
        part("usmUserName", &SNMP_ADMIN_STRING_1_TO_32),
    ] }),
    column("usmUserEngineID", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 1], NotAccessible, &SNMP_ENGINE_ID),
    column("usmUserName", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 2], NotAccessible, &SNMP_ADMIN_STRING_1_TO_32),
    column("usmUserSecurityName", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 3], ReadOnly, &SNMP_ADMIN_STRING_0_TO_255),
    column("usmUserCloneFrom", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 4], ReadCreate, &ROW_POINTER),
    column("usmUserAuthProtocol", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 5], ReadCreate, &AUTONOMOUS_TYPE),
    column("usmUserAuthKeyChange", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 6], ReadCreate, &KEY_CHANGE),
    column("usmUserOwnAuthKeyChange", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 7], ReadCreate, &KEY_CHANGE),
    column("usmUserPrivProtocol", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 8], ReadCreate, &AUTONOMOUS_TYPE),
    column("usmUserPrivKeyChange", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 9], ReadCreate, &KEY_CHANGE),
    column("usmUserOwnPrivKeyChange", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 10], ReadCreate, &KEY_CHANGE),
    column("usmUserPublic", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 11], ReadCreate, &OCTET_STRING_0_TO_32),
    column("usmUserStorageType", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 12], ReadCreate, &STORAGE_TYPE),
    column("usmUserStatus", &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 13], ReadCreate, &ROW_STATUS),
    node("usmMIBConformance", &[1, 3, 6, 1, 6, 3, 15, 2]),
    node("usmMIBCompliances", &[1, 3, 6, 1, 6, 3, 15, 2, 1]),
    node("usmMIBCompliance", &[1, 3, 6, 1, 6, 3, 15, 2, 1, 1]),
    node("usmMIBGroups", &[1, 3, 6, 1, 6, 3, 15, 2, 2]),
    node("usmMIBBasicGroup", &[1, 3, 6, 1, 6, 3, 15, 2, 2, 1]),
];
