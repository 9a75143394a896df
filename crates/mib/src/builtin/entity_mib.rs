//! The objects of ENTITY-MIB.

use crate::clauses::Access::{NotAccessible, ReadOnly, ReadWrite};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    AUTONOMOUS_TYPE, INTEGER32_0_TO_2147483647, INTEGER32_1_TO_2147483647, OCTET_STRING,
    ROW_POINTER, SNMP_ADMIN_STRING_0_TO_255, SNMP_ADMIN_STRING_0_TO_32, TIME_STAMP, TRUTH_VALUE,
};
use super::row::{Module, Row, column, entry, node, notification, part, scalar, table};

pub(super) const MODULE: Module = Module { name: "ENTITY-MIB", last_updated: "200508100000Z", rows: ROWS };

static PHYSICAL_INDEX_1_TO_2147483647: Syntax = Syntax::new(BaseType::Integer32).convention("PhysicalIndex").hint("d").range(&[(1, 2147483647)]);
static PHYSICAL_INDEX_OR_ZERO_0_TO_2147483647: Syntax = Syntax::new(BaseType::Integer32).convention("PhysicalIndexOrZero").hint("d").range(&[(0, 2147483647)]);
static PHYSICAL_CLASS: Syntax = Syntax::new(BaseType::Integer32).convention("PhysicalClass").names(&[
    ("other", 1), ("unknown", 2), ("chassis", 3), ("backplane", 4), ("container", 5), ("powerSupply", 6), ("fan", 7),
    ("sensor", 8), ("module", 9), ("port", 10), ("stack", 11), ("cpu", 12),
]);
static INTEGER32_MINUS_1_TO_2147483647: Syntax = Syntax::new(BaseType::Integer32).range(&[(-1, 2147483647)]);
static DATE_AND_TIME_8_OR_11: Syntax = Syntax::new(BaseType::OctetString).convention("DateAndTime").hint("2d-1d-1d,1d:1d:1d.1d,1a1d:1d").range(&[(8, 8), (11, 11)]);
static OCTET_STRING_0_TO_255: Syntax = Syntax::new(BaseType::OctetString).range(&[(0, 255)]);
static T_ADDRESS_1_TO_255: Syntax = Syntax::new(BaseType::OctetString).convention("TAddress").range(&[(1, 255)]);
static T_DOMAIN: Syntax = Syntax::new(BaseType::ObjectIdentifier).convention("TDomain");
static SNMP_ENGINE_ID_OR_NONE_0_TO_32: Syntax = Syntax::new(BaseType::OctetString).convention("SnmpEngineIdOrNone").range(&[(0, 32)]);

const ROWS: &[Row] = &[
    node("entityMIB", &[1, 3, 6, 1, 2, 1, 47]),
    node("entityMIBObjects", &[1, 3, 6, 1, 2, 1, 47, 1]),
    node("entityPhysical", &[1, 3, 6, 1, 2, 1, 47, 1, 1]),
    table("entPhysicalTable", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1]),
    entry("entPhysicalEntry", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1], const { &[part("entPhysicalIndex", &PHYSICAL_INDEX_1_TO_2147483647)] }),
    column("entPhysicalIndex", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 1], NotAccessible, &PHYSICAL_INDEX_1_TO_2147483647),
    column("entPhysicalDescr", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 2], ReadOnly, &SNMP_ADMIN_STRING_0_TO_255),
    column("entPhysicalVendorType", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 3], ReadOnly, &AUTONOMOUS_TYPE),
    column("entPhysicalContainedIn", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 4], ReadOnly, &PHYSICAL_INDEX_OR_ZERO_0_TO_2147483647),
    column("entPhysicalClass", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 5], ReadOnly, &PHYSICAL_CLASS),
    column("entPhysicalParentRelPos", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 6], ReadOnly, &INTEGER32_MINUS_1_TO_2147483647),
    column("entPhysicalName", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 7], ReadOnly, &SNMP_ADMIN_STRING_0_TO_255),
    column("entPhysicalHardwareRev", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 8], ReadOnly, &SNMP_ADMIN_STRING_0_TO_255),
    column("entPhysicalFirmwareRev", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 9], ReadOnly, &SNMP_ADMIN_STRING_0_TO_255),
    column("entPhysicalSoftwareRev", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 10], ReadOnly, &SNMP_ADMIN_STRING_0_TO_255),
    column("entPhysicalSerialNum", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 11], ReadWrite, &SNMP_ADMIN_STRING_0_TO_32),
    column("entPhysicalMfgName", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 12], ReadOnly, &SNMP_ADMIN_STRING_0_TO_255),
    column("entPhysicalModelName", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 13], ReadOnly, &SNMP_ADMIN_STRING_0_TO_255),
    column("entPhysicalAlias", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 14], ReadWrite, &SNMP_ADMIN_STRING_0_TO_32),
    column("entPhysicalAssetID", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 15], ReadWrite, &SNMP_ADMIN_STRING_0_TO_32),
    column("entPhysicalIsFRU", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 16], ReadOnly, &TRUTH_VALUE),
    column("entPhysicalMfgDate", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 17], ReadOnly, &DATE_AND_TIME_8_OR_11),
    column("entPhysicalUris", &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 18], ReadWrite, &OCTET_STRING),
    node("entityLogical", &[1, 3, 6, 1, 2, 1, 47, 1, 2]),
    table("entLogicalTable", &[1, 3, 6, 1, 2, 1, 47, 1, 2, 1]),
    entry("entLogicalEntry", &[1, 3, 6, 1, 2, 1, 47, 1, 2, 1, 1], const { &[part("entLogicalIndex", &INTEGER32_1_TO_2147483647)] }),
    column("entLogicalIndex", &[1, 3, 6, 1, 2, 1, 47, 1, 2, 1, 1, 1], NotAccessible, &INTEGER32_1_TO_2147483647),
    column("entLogicalDescr", &[1, 3, 6, 1, 2, 1, 47, 1, 2, 1, 1, 2], ReadOnly, &SNMP_ADMIN_STRING_0_TO_255),
    column("entLogicalType", &[1, 3, 6, 1, 2, 1, 47, 1, 2, 1, 1, 3], ReadOnly, &AUTONOMOUS_TYPE),
    column("entLogicalCommunity", &[1, 3, 6, 1, 2, 1, 47, 1, 2, 1, 1, 4], ReadOnly, &OCTET_STRING_0_TO_255),
    column("entLogicalTAddress", &[1, 3, 6, 1, 2, 1, 47, 1, 2, 1, 1, 5], ReadOnly, &T_ADDRESS_1_TO_255),
    column("entLogicalTDomain", &[1, 3, 6, 1, 2, 1, 47, 1, 2, 1, 1, 6], ReadOnly, &T_DOMAIN),
    column("entLogicalContextEngineID", &[1, 3, 6, 1, 2, 1, 47, 1, 2, 1, 1, 7], ReadOnly, &SNMP_ENGINE_ID_OR_NONE_0_TO_32),
    column("entLogicalContextName", &[1, 3, 6, 1, 2, 1, 47, 1, 2, 1, 1, 8], ReadOnly, &SNMP_ADMIN_STRING_0_TO_255),
    node("entityMapping", &[1, 3, 6, 1, 2, 1, 47, 1, 3]),
    table("entLPMappingTable", &[1, 3, 6, 1, 2, 1, 47, 1, 3, 1]),
    entry("entLPMappingEntry", &[1, 3, 6, 1, 2, 1, 47, 1, 3, 1, 1], const { &[part("entLogicalIndex", &INTEGER32_1_TO_2147483647), part("entLPPhysicalIndex", &PHYSICAL_INDEX_1_TO_2147483647)] }),
    column("entLPPhysicalIndex", &[1, 3, 6, 1, 2, 1, 47, 1, 3, 1, 1, 1], ReadOnly, &PHYSICAL_INDEX_1_TO_2147483647),
    table("entAliasMappingTable", &[1, 3, 6, 1, 2, 1, 47, 1, 3, 2]),
    entry("entAliasMappingEntry", &[1, 3, 6, 1, 2, 1, 47, 1, 3, 2, 1], const { &[part("entPhysicalIndex", &PHYSICAL_INDEX_1_TO_2147483647), part("entAliasLogicalIndexOrZero", &INTEGER32_0_TO_2147483647)] }),
    column("entAliasLogicalIndexOrZero", &[1, 3, 6, 1, 2, 1, 47, 1, 3, 2, 1, 1], NotAccessible, &INTEGER32_0_TO_2147483647),
    column("entAliasMappingIdentifier", &[1, 3, 6, 1, 2, 1, 47, 1, 3, 2, 1, 2], ReadOnly, &ROW_POINTER),
    table("entPhysicalContainsTable", &[1, 3, 6, 1, 2, 1, 47, 1, 3, 3]),
    entry("entPhysicalContainsEntry", &[1, 3, 6, 1, 2, 1, 47, 1, 3, 3, 1], const { &[part("entPhysicalIndex", &PHYSICAL_INDEX_1_TO_2147483647), part("entPhysicalChildIndex", &PHYSICAL_INDEX_1_TO_2147483647)] }),
    column("entPhysicalChildIndex", &[1, 3, 6, 1, 2, 1, 47, 1, 3, 3, 1, 1], ReadOnly, &PHYSICAL_INDEX_1_TO_2147483647),
    node("entityGeneral", &[1, 3, 6, 1, 2, 1, 47, 1, 4]),
    scalar("entLastChangeTime", &[1, 3, 6, 1, 2, 1, 47, 1, 4, 1], ReadOnly, &TIME_STAMP),
    node("entityMIBTraps", &[1, 3, 6, 1, 2, 1, 47, 2]),
    node("entityMIBTrapPrefix", &[1, 3, 6, 1, 2, 1, 47, 2, 0]),
    notification("entConfigChange", &[1, 3, 6, 1, 2, 1, 47, 2, 0, 1], &[]),
    node("entityConformance", &[1, 3, 6, 1, 2, 1, 47, 3]),
    node("entityCompliances", &[1, 3, 6, 1, 2, 1, 47, 3, 1]),
    node("entityCompliance", &[1, 3, 6, 1, 2, 1, 47, 3, 1, 1]),
    node("entity2Compliance", &[1, 3, 6, 1, 2, 1, 47, 3, 1, 2]),
    node("entity3Compliance", &[1, 3, 6, 1, 2, 1, 47, 3, 1, 3]),
    node("entityGroups", &[1, 3, 6, 1, 2, 1, 47, 3, 2]),
    node("entityPhysicalGroup", &[1, 3, 6, 1, 2, 1, 47, 3, 2, 1]),
    node("entityLogicalGroup", &[1, 3, 6, 1, 2, 1, 47, 3, 2, 2]),
    node("entityMappingGroup", &[1, 3, 6, 1, 2, 1, 47, 3, 2, 3]),
    node("entityGeneralGroup", &[1, 3, 6, 1, 2, 1, 47, 3, 2, 4]),
    node("entityNotificationsGroup", &[1, 3, 6, 1, 2, 1, 47, 3, 2, 5]),
    node("entityPhysical2Group", &[1, 3, 6, 1, 2, 1, 47, 3, 2, 6]),
    node("entityLogical2Group", &[1, 3, 6, 1, 2, 1, 47, 3, 2, 7]),
    node("entityPhysical3Group", &[1, 3, 6, 1, 2, 1, 47, 3, 2, 8]),
];
