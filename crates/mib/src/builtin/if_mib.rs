//! The objects of IF-MIB.

use crate::clauses::Access::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    AUTONOMOUS_TYPE, COUNTER32, COUNTER64, DISPLAY_STRING_0_TO_255, DISPLAY_STRING_0_TO_64,
    ENABLED_OR_DISABLED, GAUGE32, INTEGER32, INTERFACE_INDEX, INTERFACE_INDEX_OR_ZERO,
    OBJECT_IDENTIFIER, ROW_STATUS, TEST_AND_INCR, TIME_STAMP, TIME_TICKS, TRUTH_VALUE,
};
use super::iana_if_type_mib::IANA_IF_TYPE;
use super::row::{Module, Row, augmenting, column, entry, node, notification, part, scalar, table};

pub(super) const MODULE: Module = Module { name: "IF-MIB", last_updated: "200006140000Z", rows: ROWS };

static PHYS_ADDRESS: Syntax = Syntax::new(BaseType::OctetString).convention("PhysAddress").hint("1x:");
static IF_ADMIN_STATUS: Syntax = Syntax::new(BaseType::Integer32).names(&[("up", 1), ("down", 2), ("testing", 3)]);
static IF_OPER_STATUS: Syntax = Syntax::new(BaseType::Integer32).names(&[
    ("up", 1), ("down", 2), ("testing", 3), ("unknown", 4), ("dormant", 5), ("notPresent", 6),
    ("lowerLayerDown", 7),
]);
static IF_TEST_STATUS: Syntax = Syntax::new(BaseType::Integer32).names(&[("notInUse", 1), ("inUse", 2)]);
static IF_TEST_RESULT: Syntax = Syntax::new(BaseType::Integer32).names(&[
    ("none", 1), ("success", 2), ("inProgress", 3), ("notSupported", 4), ("unAbleToRun", 5), ("aborted", 6),
    ("failed", 7),
]);
static OWNER_STRING: Syntax = Syntax::new(BaseType::OctetString).convention("OwnerString").hint("255a").range(&[(0, 255)]);
static IF_RCV_ADDRESS_TYPE: Syntax = Syntax::new(BaseType::Integer32).names(&[("other", 1), ("volatile", 2), ("nonVolatile", 3)]);

const ROWS: &[Row] = &[
    node("interfaces", &[1, 3, 6, 1, 2, 1, 2]),
    scalar("ifNumber", &[1, 3, 6, 1, 2, 1, 2, 1], ReadOnly, &INTEGER32),
    table("ifTable", &[1, 3, 6, 1, 2, 1, 2, 2]),
    entry("ifEntry", &[1, 3, 6, 1, 2, 1, 2, 2, 1], const { &[part("ifIndex", &INTERFACE_INDEX)] }),
    column("ifIndex", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 1], ReadOnly, &INTERFACE_INDEX),
    column("ifDescr", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 2], ReadOnly, &DISPLAY_STRING_0_TO_255),
    column("ifType", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 3], ReadOnly, &IANA_IF_TYPE),
    column("ifMtu", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 4], ReadOnly, &INTEGER32),
    column("ifSpeed", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 5], ReadOnly, &GAUGE32),
    column("ifPhysAddress", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 6], ReadOnly, &PHYS_ADDRESS),
    column("ifAdminStatus", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 7], ReadWrite, &IF_ADMIN_STATUS),
    column("ifOperStatus", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 8], ReadOnly, &IF_OPER_STATUS),
    column("ifLastChange", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 9], ReadOnly, &TIME_TICKS),
    column("ifInOctets", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 10], ReadOnly, &COUNTER32),
    column("ifInUcastPkts", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 11], ReadOnly, &COUNTER32),
    column("ifInNUcastPkts", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 12], ReadOnly, &COUNTER32),
    column("ifInDiscards", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 13], ReadOnly, &COUNTER32),
    column("ifInErrors", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 14], ReadOnly, &COUNTER32),
    column("ifInUnknownProtos", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 15], ReadOnly, &COUNTER32),
    column("ifOutOctets", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 16], ReadOnly, &COUNTER32),
    column("ifOutUcastPkts", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 17], ReadOnly, &COUNTER32),
    column("ifOutNUcastPkts", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 18], ReadOnly, &COUNTER32),
    column("ifOutDiscards", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 19], ReadOnly, &COUNTER32),
    column("ifOutErrors", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 20], ReadOnly, &COUNTER32),
    column("ifOutQLen", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 21], ReadOnly, &GAUGE32),
    column("ifSpecific", &[1, 3, 6, 1, 2, 1, 2, 2, 1, 22], ReadOnly, &OBJECT_IDENTIFIER),
    node("ifMIB", &[1, 3, 6, 1, 2, 1, 31]),
    node("ifMIBObjects", &[1, 3, 6, 1, 2, 1, 31, 1]),
    table("ifXTable", &[1, 3, 6, 1, 2, 1, 31, 1, 1]),
    augmenting("ifXEntry", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1], "ifEntry", const { &[part("ifIndex", &INTERFACE_INDEX)] }),
    column("ifName", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1], ReadOnly, &DISPLAY_STRING_0_TO_255),
    column("ifInMulticastPkts", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 2], ReadOnly, &COUNTER32),
    column("ifInBroadcastPkts", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 3], ReadOnly, &COUNTER32),
    column("ifOutMulticastPkts", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 4], ReadOnly, &COUNTER32),
    column("ifOutBroadcastPkts", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 5], ReadOnly, &COUNTER32),
    column("ifHCInOctets", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6], ReadOnly, &COUNTER64),
    column("ifHCInUcastPkts", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 7], ReadOnly, &COUNTER64),
    column("ifHCInMulticastPkts", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 8], ReadOnly, &COUNTER64),
    column("ifHCInBroadcastPkts", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 9], ReadOnly, &COUNTER64),
    column("ifHCOutOctets", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10], ReadOnly, &COUNTER64),
    column("ifHCOutUcastPkts", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 11], ReadOnly, &COUNTER64),
    column("ifHCOutMulticastPkts", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 12], ReadOnly, &COUNTER64),
    column("ifHCOutBroadcastPkts", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 13], ReadOnly, &COUNTER64),
    column("ifLinkUpDownTrapEnable", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 14], ReadWrite, &ENABLED_OR_DISABLED),
    column("ifHighSpeed", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 15], ReadOnly, &GAUGE32),
    column("ifPromiscuousMode", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 16], ReadWrite, &TRUTH_VALUE),
    column("ifConnectorPresent", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 17], ReadOnly, &TRUTH_VALUE),
    column("ifAlias", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 18], ReadWrite, &DISPLAY_STRING_0_TO_64),
    column("ifCounterDiscontinuityTime", &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 19], ReadOnly, &TIME_STAMP),
    table("ifStackTable", &[1, 3, 6, 1, 2, 1, 31, 1, 2]),
    entry("ifStackEntry", &[1, 3, 6, 1, 2, 1, 31, 1, 2, 1], const { &[
        part("ifStackHigherLayer", &INTERFACE_INDEX_OR_ZERO),
        part("ifStackLowerLayer", &INTERFACE_INDEX_OR_ZERO),
    ] }),
    column("ifStackHigherLayer", &[1, 3, 6, 1, 2, 1, 31, 1, 2, 1, 1], NotAccessible, &INTERFACE_INDEX_OR_ZERO),
    column("ifStackLowerLayer", &[1, 3, 6, 1, 2, 1, 31, 1, 2, 1, 2], NotAccessible, &INTERFACE_INDEX_OR_ZERO),
    column("ifStackStatus", &[1, 3, 6, 1, 2, 1, 31, 1, 2, 1, 3], ReadCreate, &ROW_STATUS),
    table("ifTestTable", &[1, 3, 6, 1, 2, 1, 31, 1, 3]),
    augmenting("ifTestEntry", &[1, 3, 6, 1, 2, 1, 31, 1, 3, 1], "ifEntry", const { &[part("ifIndex", &INTERFACE_INDEX)] }),
    column("ifTestId", &[1, 3, 6, 1, 2, 1, 31, 1, 3, 1, 1], ReadWrite, &TEST_AND_INCR),
    column("ifTestStatus", &[1, 3, 6, 1, 2, 1, 31, 1, 3, 1, 2], ReadWrite, &IF_TEST_STATUS),
    column("ifTestType", &[1, 3, 6, 1, 2, 1, 31, 1, 3, 1, 3], ReadWrite, &AUTONOMOUS_TYPE),
    column("ifTestResult", &[1, 3, 6, 1, 2, 1, 31, 1, 3, 1, 4], ReadOnly, &IF_TEST_RESULT),
    column("ifTestCode", &[1, 3, 6, 1, 2, 1, 31, 1, 3, 1, 5], ReadOnly, &OBJECT_IDENTIFIER),
    column("ifTestOwner", &[1, 3, 6, 1, 2, 1, 31, 1, 3, 1, 6], ReadWrite, &OWNER_STRING),
    table("ifRcvAddressTable", &[1, 3, 6, 1, 2, 1, 31, 1, 4]),
    entry("ifRcvAddressEntry", &[1, 3, 6, 1, 2, 1, 31, 1, 4, 1], const { &[
        part("ifIndex", &INTERFACE_INDEX),
        part("ifRcvAddressAddress", &PHYS_ADDRESS),
    ] }),
    column("ifRcvAddressAddress", &[1, 3, 6, 1, 2, 1, 31, 1, 4, 1, 1], NotAccessible, &PHYS_ADDRESS),
    column("ifRcvAddressStatus", &[1, 3, 6, 1, 2, 1, 31, 1, 4, 1, 2], ReadCreate, &ROW_STATUS),
    column("ifRcvAddressType", &[1, 3, 6, 1, 2, 1, 31, 1, 4, 1, 3], ReadCreate, &IF_RCV_ADDRESS_TYPE),
    scalar("ifTableLastChange", &[1, 3, 6, 1, 2, 1, 31, 1, 5], ReadOnly, &TIME_TICKS),
    scalar("ifStackLastChange", &[1, 3, 6, 1, 2, 1, 31, 1, 6], ReadOnly, &TIME_TICKS),
    node("ifConformance", &[1, 3, 6, 1, 2, 1, 31, 2]),
    node("ifGroups", &[1, 3, 6, 1, 2, 1, 31, 2, 1]),
    node("ifGeneralGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 1]),
    node("ifFixedLengthGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 2]),
    node("ifHCFixedLengthGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 3]),
    node("ifPacketGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 4]),
    node("ifHCPacketGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 5]),
    node("ifVHCPacketGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 6]),
    node("ifRcvAddressGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 7]),
    node("ifTestGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 8]),
    node("ifStackGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 9]),
    node("ifGeneralInformationGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 10]),
    node("ifStackGroup2", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 11]),
    node("ifOldObjectsGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 12]),
    node("ifCounterDiscontinuityGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 13]),
    node("linkUpDownNotificationsGroup", &[1, 3, 6, 1, 2, 1, 31, 2, 1, 14]),
    node("ifCompliances", &[1, 3, 6, 1, 2, 1, 31, 2, 2]),
    node("ifCompliance", &[1, 3, 6, 1, 2, 1, 31, 2, 2, 1]),
    node("ifCompliance2", &[1, 3, 6, 1, 2, 1, 31, 2, 2, 2]),
    node("ifCompliance3", &[1, 3, 6, 1, 2, 1, 31, 2, 2, 3]),
    notification("linkDown", &[1, 3, 6, 1, 6, 3, 1, 1, 5, 3], &["ifIndex", "ifAdminStatus", "ifOperStatus"]),
    notification("linkUp", &[1, 3, 6, 1, 6, 3, 1, 1, 5, 4], &["ifIndex", "ifAdminStatus", "ifOperStatus"]),
];
