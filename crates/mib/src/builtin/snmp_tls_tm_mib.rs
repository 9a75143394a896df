//! The objects of SNMP-TLS-TM-MIB.

use crate::clauses::Access::{NotAccessible, ReadCreate, ReadOnly};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    AUTONOMOUS_TYPE, COUNTER32, GAUGE32, ROW_STATUS, SNMP_ADMIN_STRING_0_TO_255, SNMP_ADMIN_STRING_1_TO_32, STORAGE_TYPE,
    TIME_STAMP,
};
use super::row::{Module, Row, column, entry, implied, node, notification, part, scalar, table};

pub(super) const MODULE: Module = Module { name: "SNMP-TLS-TM-MIB", last_updated: "201107190000Z", rows: ROWS };

static FINGERPRINT: Syntax = Syntax::new(BaseType::OctetString).convention("SnmpTLSFingerprint").hint("1x:1x").range(&[(0, 255)]);
static FINGERPRINT_1_TO_255: Syntax = Syntax::new(BaseType::OctetString).convention("SnmpTLSFingerprint").hint("1x:1x").range(&[(1, 255)]);
static OCTET_STRING_0_TO_1024: Syntax = Syntax::new(BaseType::OctetString).range(&[(0, 1024)]);
static UNSIGNED32_1_TO_4294967295: Syntax = Syntax::new(BaseType::Unsigned32).range(&[(1, 4294967295)]);

const ROWS: &[Row] = &[
    node("snmpTlstmMIB", &[1, 3, 6, 1, 2, 1, 198]),
    node("snmpTlstmNotifications", &[1, 3, 6, 1, 2, 1, 198, 0]),
    notification("snmpTlstmServerCertificateUnknown", &[1, 3, 6, 1, 2, 1, 198, 0, 1], &["snmpTlstmSessionUnknownServerCertificate"]),
    notification("snmpTlstmServerInvalidCertificate", &[1, 3, 6, 1, 2, 1, 198, 0, 2], &["snmpTlstmAddrServerFingerprint", "snmpTlstmSessionInvalidServerCertificates"]),
    node("snmpTlstmIdentities", &[1, 3, 6, 1, 2, 1, 198, 1]),
    node("snmpTlstmCertToTSNMIdentities", &[1, 3, 6, 1, 2, 1, 198, 1, 1]),
    node("snmpTlstmCertSpecified", &[1, 3, 6, 1, 2, 1, 198, 1, 1, 1]),
    node("snmpTlstmCertSANRFC822Name", &[1, 3, 6, 1, 2, 1, 198, 1, 1, 2]),
    node("snmpTlstmCertSANDNSName", &[1, 3, 6, 1, 2, 1, 198, 1, 1, 3]),
    node("snmpTlstmCertSANIpAddress", &[1, 3, 6, 1, 2, 1, 198, 1, 1, 4]),
    node("snmpTlstmCertSANAny", &[1, 3, 6, 1, 2, 1, 198, 1, 1, 5]),
    node("snmpTlstmCertCommonName", &[1, 3, 6, 1, 2, 1, 198, 1, 1, 6]),
    node("snmpTlstmObjects", &[1, 3, 6, 1, 2, 1, 198, 2]),
    node("snmpTlstmSession", &[1, 3, 6, 1, 2, 1, 198, 2, 1]),
    scalar("snmpTlstmSessionOpens", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 1], ReadOnly, &COUNTER32),
    scalar("snmpTlstmSessionClientCloses", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 2], ReadOnly, &COUNTER32),
    scalar("snmpTlstmSessionOpenErrors", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 3], ReadOnly, &COUNTER32),
    scalar("snmpTlstmSessionAccepts", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 4], ReadOnly, &COUNTER32),
    scalar("snmpTlstmSessionServerCloses", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 5], ReadOnly, &COUNTER32),
    scalar("snmpTlstmSessionNoSessions", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 6], ReadOnly, &COUNTER32),
    scalar("snmpTlstmSessionInvalidClientCertificates", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 7], ReadOnly, &COUNTER32),
    scalar("snmpTlstmSessionUnknownServerCertificate", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 8], ReadOnly, &COUNTER32),
    scalar("snmpTlstmSessionInvalidServerCertificates", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 9], ReadOnly, &COUNTER32),
    scalar("snmpTlstmSessionInvalidCaches", &[1, 3, 6, 1, 2, 1, 198, 2, 1, 10], ReadOnly, &COUNTER32),
    node("snmpTlstmConfig", &[1, 3, 6, 1, 2, 1, 198, 2, 2]),
    node("snmpTlstmCertificateMapping", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1]),
    scalar("snmpTlstmCertToTSNCount", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 1], ReadOnly, &GAUGE32),
    scalar("snmpTlstmCertToTSNTableLastChanged", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 2], ReadOnly, &TIME_STAMP),
    table("snmpTlstmCertToTSNTable", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3]),
    entry("snmpTlstmCertToTSNEntry", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3, 1], const { &[part("snmpTlstmCertToTSNID", &UNSIGNED32_1_TO_4294967295)] }),
    column("snmpTlstmCertToTSNID", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3, 1, 1], NotAccessible, &UNSIGNED32_1_TO_4294967295),
    column("snmpTlstmCertToTSNFingerprint", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3, 1, 2], ReadCreate, &FINGERPRINT_1_TO_255),
    column("snmpTlstmCertToTSNMapType", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3, 1, 3], ReadCreate, &AUTONOMOUS_TYPE),
    column("snmpTlstmCertToTSNData", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3, 1, 4], ReadCreate, &OCTET_STRING_0_TO_1024),
    column("snmpTlstmCertToTSNStorageType", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3, 1, 5], ReadCreate, &STORAGE_TYPE),
    column("snmpTlstmCertToTSNRowStatus", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3, 1, 6], ReadCreate, &ROW_STATUS),
    scalar("snmpTlstmParamsCount", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 4], ReadOnly, &GAUGE32),
    scalar("snmpTlstmParamsTableLastChanged", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 5], ReadOnly, &TIME_STAMP),
    table("snmpTlstmParamsTable", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 6]),
    entry("snmpTlstmParamsEntry", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 6, 1], const { &[implied("snmpTargetParamsName", &SNMP_ADMIN_STRING_1_TO_32)] }),
    column("snmpTlstmParamsClientFingerprint", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 6, 1, 1], ReadCreate, &FINGERPRINT),
    column("snmpTlstmParamsStorageType", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 6, 1, 2], ReadCreate, &STORAGE_TYPE),
    column("snmpTlstmParamsRowStatus", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 6, 1, 3], ReadCreate, &ROW_STATUS),
    scalar("snmpTlstmAddrCount", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 7], ReadOnly, &GAUGE32),
    scalar("snmpTlstmAddrTableLastChanged", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 8], ReadOnly, &TIME_STAMP),
    table("snmpTlstmAddrTable", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 9]),
    entry("snmpTlstmAddrEntry", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 9, 1], const { &[implied("snmpTargetAddrName", &SNMP_ADMIN_STRING_1_TO_32)] }),
    column("snmpTlstmAddrServerFingerprint", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 9, 1, 1], ReadCreate, &FINGERPRINT),
    column("snmpTlstmAddrServerIdentity", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 9, 1, 2], ReadCreate, &SNMP_ADMIN_STRING_0_TO_255),
    column("snmpTlstmAddrStorageType", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 9, 1, 3], ReadCreate, &STORAGE_TYPE),
    column("snmpTlstmAddrRowStatus", &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 9, 1, 4], ReadCreate, &ROW_STATUS),
    node("snmpTlstmConformance", &[1, 3, 6, 1, 2, 1, 198, 3]),
    node("snmpTlstmCompliances", &[1, 3, 6, 1, 2, 1, 198, 3, 1]),
    node("snmpTlstmCompliance", &[1, 3, 6, 1, 2, 1, 198, 3, 1, 1]),
    node("snmpTlstmGroups", &[1, 3, 6, 1, 2, 1, 198, 3, 2]),
    node("snmpTlstmStatsGroup", &[1, 3, 6, 1, 2, 1, 198, 3, 2, 1]),
    node("snmpTlstmIncomingGroup", &[1, 3, 6, 1, 2, 1, 198, 3, 2, 2]),
    node("snmpTlstmOutgoingGroup", &[1, 3, 6, 1, 2, 1, 198, 3, 2, 3]),
    node("snmpTlstmNotificationGroup", &[1, 3, 6, 1, 2, 1, 198, 3, 2, 4]),
    node("snmpTLSTCPDomain", &[1, 3, 6, 1, 6, 1, 8]),
    node("snmpDTLSUDPDomain", &[1, 3, 6, 1, 6, 1, 9]),
];
