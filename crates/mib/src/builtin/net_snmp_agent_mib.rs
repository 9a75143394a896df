//! The objects of NET-SNMP-AGENT-MIB.

use crate::clauses::Access::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    DISPLAY_STRING_0_TO_255, INTEGER32, OBJECT_IDENTIFIER, ROW_STATUS, SNMP_ADMIN_STRING_0_TO_255,
    TRUTH_VALUE, UNSIGNED32,
};
use super::row::{Module, Row, column, entry, implied, node, notification, part, scalar, table};

pub(super) const MODULE: Module = Module { name: "NET-SNMP-AGENT-MIB", last_updated: "201003170000Z", rows: ROWS };

static NS_MODULE_MODES: Syntax = Syntax::new(BaseType::Bits).names(&[("getAndGetNext", 0), ("set", 1), ("getBulk", 2)]);
static NETSNMP_CACHE_STATUS: Syntax = Syntax::new(BaseType::Integer32).convention("NetsnmpCacheStatus").names(&[
    ("enabled", 1), ("disabled", 2), ("empty", 3), ("cached", 4), ("expired", 5),
]);
static NS_LOG_LEVEL: Syntax = Syntax::new(BaseType::Integer32).names(&[
    ("emergency", 0), ("alert", 1), ("critical", 2), ("error", 3), ("warning", 4), ("notice", 5), ("info", 6), ("debug", 7),
]);
static NS_LOG_TYPE: Syntax = Syntax::new(BaseType::Integer32).names(&[("stdout", 1), ("stderr", 2), ("file", 3), ("syslog", 4), ("callback", 5)]);

const ROWS: &[Row] = &[
    node("nsVersion", &[1, 3, 6, 1, 4, 1, 8072, 1, 1]),
    node("nsMibRegistry", &[1, 3, 6, 1, 4, 1, 8072, 1, 2]),
    table("nsModuleTable", &[1, 3, 6, 1, 4, 1, 8072, 1, 2, 1]),
    entry("nsModuleEntry", &[1, 3, 6, 1, 4, 1, 8072, 1, 2, 1, 1], const { &[part("nsmContextName", &SNMP_ADMIN_STRING_0_TO_255), part("nsmRegistrationPoint", &OBJECT_IDENTIFIER), part("nsmRegistrationPriority", &INTEGER32)] }),
    column("nsmContextName", &[1, 3, 6, 1, 4, 1, 8072, 1, 2, 1, 1, 1], NotAccessible, &SNMP_ADMIN_STRING_0_TO_255),
    column("nsmRegistrationPoint", &[1, 3, 6, 1, 4, 1, 8072, 1, 2, 1, 1, 2], NotAccessible, &OBJECT_IDENTIFIER),
    column("nsmRegistrationPriority", &[1, 3, 6, 1, 4, 1, 8072, 1, 2, 1, 1, 3], NotAccessible, &INTEGER32),
    column("nsModuleName", &[1, 3, 6, 1, 4, 1, 8072, 1, 2, 1, 1, 4], ReadOnly, &DISPLAY_STRING_0_TO_255),
    column("nsModuleModes", &[1, 3, 6, 1, 4, 1, 8072, 1, 2, 1, 1, 5], ReadOnly, &NS_MODULE_MODES),
    column("nsModuleTimeout", &[1, 3, 6, 1, 4, 1, 8072, 1, 2, 1, 1, 6], ReadOnly, &INTEGER32),
    node("nsExtensions", &[1, 3, 6, 1, 4, 1, 8072, 1, 3]),
    node("nsDLMod", &[1, 3, 6, 1, 4, 1, 8072, 1, 4]),
    node("nsCache", &[1, 3, 6, 1, 4, 1, 8072, 1, 5]),
    scalar("nsCacheDefaultTimeout", &[1, 3, 6, 1, 4, 1, 8072, 1, 5, 1], ReadWrite, &INTEGER32),
    scalar("nsCacheEnabled", &[1, 3, 6, 1, 4, 1, 8072, 1, 5, 2], ReadWrite, &TRUTH_VALUE),
    table("nsCacheTable", &[1, 3, 6, 1, 4, 1, 8072, 1, 5, 3]),
    entry("nsCacheEntry", &[1, 3, 6, 1, 4, 1, 8072, 1, 5, 3, 1], const { &[implied("nsCachedOID", &OBJECT_IDENTIFIER)] }),
    column("nsCachedOID", &[1, 3, 6, 1, 4, 1, 8072, 1, 5, 3, 1, 1], NotAccessible, &OBJECT_IDENTIFIER),
    column("nsCacheTimeout", &[1, 3, 6, 1, 4, 1, 8072, 1, 5, 3, 1, 2], ReadWrite, &INTEGER32),
    column("nsCacheStatus", &[1, 3, 6, 1, 4, 1, 8072, 1, 5, 3, 1, 3], ReadWrite, &NETSNMP_CACHE_STATUS),
    node("nsErrorHistory", &[1, 3, 6, 1, 4, 1, 8072, 1, 6]),
    node("nsConfiguration", &[1, 3, 6, 1, 4, 1, 8072, 1, 7]),
    node("nsConfigDebug", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 1]),
    scalar("nsDebugEnabled", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 1, 1], ReadWrite, &TRUTH_VALUE),
    scalar("nsDebugOutputAll", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 1, 2], ReadWrite, &TRUTH_VALUE),
    scalar("nsDebugDumpPdu", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 1, 3], ReadWrite, &TRUTH_VALUE),
    table("nsDebugTokenTable", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 1, 4]),
    entry("nsDebugTokenEntry", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 1, 4, 1], const { &[implied("nsDebugTokenPrefix", &DISPLAY_STRING_0_TO_255)] }),
    column("nsDebugTokenPrefix", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 1, 4, 1, 2], NotAccessible, &DISPLAY_STRING_0_TO_255),
    column("nsDebugTokenStatus", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 1, 4, 1, 4], ReadCreate, &ROW_STATUS),
    node("nsConfigLogging", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 2]),
    table("nsLoggingTable", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 2, 1]),
    entry("nsLoggingEntry", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 2, 1, 1], const { &[part("nsLogLevel", &NS_LOG_LEVEL), implied("nsLogToken", &DISPLAY_STRING_0_TO_255)] }),
    column("nsLogLevel", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 2, 1, 1, 1], NotAccessible, &NS_LOG_LEVEL),
    column("nsLogToken", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 2, 1, 1, 2], NotAccessible, &DISPLAY_STRING_0_TO_255),
    column("nsLogType", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 2, 1, 1, 3], ReadCreate, &NS_LOG_TYPE),
    column("nsLogMaxLevel", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 2, 1, 1, 4], ReadCreate, &NS_LOG_LEVEL),
    column("nsLogStatus", &[1, 3, 6, 1, 4, 1, 8072, 1, 7, 2, 1, 1, 5], ReadCreate, &ROW_STATUS),
    node("nsTransactions", &[1, 3, 6, 1, 4, 1, 8072, 1, 8]),
    table("nsTransactionTable", &[1, 3, 6, 1, 4, 1, 8072, 1, 8, 1]),
    entry("nsTransactionEntry", &[1, 3, 6, 1, 4, 1, 8072, 1, 8, 1, 1], const { &[part("nsTransactionID", &UNSIGNED32)] }),
    column("nsTransactionID", &[1, 3, 6, 1, 4, 1, 8072, 1, 8, 1, 1, 1], NotAccessible, &UNSIGNED32),
    column("nsTransactionMode", &[1, 3, 6, 1, 4, 1, 8072, 1, 8, 1, 1, 2], ReadOnly, &INTEGER32),
    node("netSnmpAgentMIB", &[1, 3, 6, 1, 4, 1, 8072, 3, 1, 2]),
    notification("nsNotifyStart", &[1, 3, 6, 1, 4, 1, 8072, 4, 0, 1], &[]),
    notification("nsNotifyShutdown", &[1, 3, 6, 1, 4, 1, 8072, 4, 0, 2], &[]),
    notification("nsNotifyRestart", &[1, 3, 6, 1, 4, 1, 8072, 4, 0, 3], &[]),
    node("nsModuleGroup", &[1, 3, 6, 1, 4, 1, 8072, 5, 2, 2]),
    node("nsCacheGroup", &[1, 3, 6, 1, 4, 1, 8072, 5, 2, 4]),
    node("nsConfigGroups", &[1, 3, 6, 1, 4, 1, 8072, 5, 2, 7]),
    node("nsDebugGroup", &[1, 3, 6, 1, 4, 1, 8072, 5, 2, 7, 1]),
    node("nsLoggingGroup", &[1, 3, 6, 1, 4, 1, 8072, 5, 2, 7, 2]),
    node("nsTransactionGroup", &[1, 3, 6, 1, 4, 1, 8072, 5, 2, 8]),
    node("nsAgentNotifyGroup", &[1, 3, 6, 1, 4, 1, 8072, 5, 2, 9]),
];
