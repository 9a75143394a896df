//! The objects of BRIDGE-MIB.

use crate::clauses::Access::{ReadCreate, ReadOnly, ReadWrite};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    COUNTER32, ENABLED_OR_DISABLED, INTEGER32, INTEGER32_0_TO_255, INTEGER32_0_TO_65535,
    INTERFACE_INDEX, OBJECT_IDENTIFIER, TIME_TICKS,
};
use super::row::{Module, Row, column, entry, node, notification, part, scalar, table};

pub(super) const MODULE: Module = Module { name: "BRIDGE-MIB", last_updated: "200509190000Z", rows: ROWS };

static MAC_ADDRESS_6: Syntax = Syntax::new(BaseType::OctetString).convention("MacAddress").hint("1x:").range(&[(6, 6)]);
static DOT1D_BASE_TYPE: Syntax = Syntax::new(BaseType::Integer32).names(&[("unknown", 1), ("transparent-only", 2), ("sourceroute-only", 3), ("srt", 4)]);
static INTEGER32_1_TO_65535: Syntax = Syntax::new(BaseType::Integer32).range(&[(1, 65535)]);
static DOT1D_STP_PROTOCOL_SPECIFICATION: Syntax = Syntax::new(BaseType::Integer32).names(&[("unknown", 1), ("decLb100", 2), ("ieee8021d", 3)]);
static BRIDGE_ID_8: Syntax = Syntax::new(BaseType::OctetString).convention("BridgeId").range(&[(8, 8)]);
static TIMEOUT: Syntax = Syntax::new(BaseType::Integer32).convention("Timeout").hint("d");
static TIMEOUT_600_TO_4000: Syntax = Syntax::new(BaseType::Integer32).convention("Timeout").hint("d").range(&[(600, 4000)]);
static TIMEOUT_100_TO_1000: Syntax = Syntax::new(BaseType::Integer32).convention("Timeout").hint("d").range(&[(100, 1000)]);
static TIMEOUT_400_TO_3000: Syntax = Syntax::new(BaseType::Integer32).convention("Timeout").hint("d").range(&[(400, 3000)]);
static DOT1D_STP_PORT_STATE: Syntax = Syntax::new(BaseType::Integer32).names(&[("disabled", 1), ("blocking", 2), ("listening", 3), ("learning", 4), ("forwarding", 5), ("broken", 6)]);
static OCTET_STRING_2: Syntax = Syntax::new(BaseType::OctetString).range(&[(2, 2)]);
static INTEGER32_1_TO_200000000: Syntax = Syntax::new(BaseType::Integer32).range(&[(1, 200000000)]);
static INTEGER32_10_TO_1000000: Syntax = Syntax::new(BaseType::Integer32).range(&[(10, 1000000)]);
static DOT1D_TP_FDB_STATUS: Syntax = Syntax::new(BaseType::Integer32).names(&[("other", 1), ("invalid", 2), ("learned", 3), ("self", 4), ("mgmt", 5)]);
static OCTET_STRING_0_TO_512: Syntax = Syntax::new(BaseType::OctetString).range(&[(0, 512)]);
static DOT1D_STATIC_STATUS: Syntax = Syntax::new(BaseType::Integer32).names(&[("other", 1), ("invalid", 2), ("permanent", 3), ("deleteOnReset", 4), ("deleteOnTimeout", 5)]);

const ROWS: &[Row] = &[
    node("dot1dBridge", &[1, 3, 6, 1, 2, 1, 17]),
    node("dot1dNotifications", &[1, 3, 6, 1, 2, 1, 17, 0]),
    notification("newRoot", &[1, 3, 6, 1, 2, 1, 17, 0, 1], &[]),
    notification("topologyChange", &[1, 3, 6, 1, 2, 1, 17, 0, 2], &[]),
    node("dot1dBase", &[1, 3, 6, 1, 2, 1, 17, 1]),
    scalar("dot1dBaseBridgeAddress", &[1, 3, 6, 1, 2, 1, 17, 1, 1], ReadOnly, &MAC_ADDRESS_6),
    scalar("dot1dBaseNumPorts", &[1, 3, 6, 1, 2, 1, 17, 1, 2], ReadOnly, &INTEGER32).units("ports"),
    scalar("dot1dBaseType", &[1, 3, 6, 1, 2, 1, 17, 1, 3], ReadOnly, &DOT1D_BASE_TYPE),
    table("dot1dBasePortTable", &[1, 3, 6, 1, 2, 1, 17, 1, 4]),
    entry("dot1dBasePortEntry", &[1, 3, 6, 1, 2, 1, 17, 1, 4, 1], const { &[part("dot1dBasePort", &INTEGER32_1_TO_65535)] }),
    column("dot1dBasePort", &[1, 3, 6, 1, 2, 1, 17, 1, 4, 1, 1], ReadOnly, &INTEGER32_1_TO_65535),
    column("dot1dBasePortIfIndex", &[1, 3, 6, 1, 2, 1, 17, 1, 4, 1, 2], ReadOnly, &INTERFACE_INDEX),
    column("dot1dBasePortCircuit", &[1, 3, 6, 1, 2, 1, 17, 1, 4, 1, 3], ReadOnly, &OBJECT_IDENTIFIER),
    column("dot1dBasePortDelayExceededDiscards", &[1, 3, 6, 1, 2, 1, 17, 1, 4, 1, 4], ReadOnly, &COUNTER32),
    column("dot1dBasePortMtuExceededDiscards", &[1, 3, 6, 1, 2, 1, 17, 1, 4, 1, 5], ReadOnly, &COUNTER32),
    node("dot1dStp", &[1, 3, 6, 1, 2, 1, 17, 2]),
    scalar("dot1dStpProtocolSpecification", &[1, 3, 6, 1, 2, 1, 17, 2, 1], ReadOnly, &DOT1D_STP_PROTOCOL_SPECIFICATION),
    scalar("dot1dStpPriority", &[1, 3, 6, 1, 2, 1, 17, 2, 2], ReadWrite, &INTEGER32_0_TO_65535),
    scalar("dot1dStpTimeSinceTopologyChange", &[1, 3, 6, 1, 2, 1, 17, 2, 3], ReadOnly, &TIME_TICKS).units("centi-seconds"),
    scalar("dot1dStpTopChanges", &[1, 3, 6, 1, 2, 1, 17, 2, 4], ReadOnly, &COUNTER32),
    scalar("dot1dStpDesignatedRoot", &[1, 3, 6, 1, 2, 1, 17, 2, 5], ReadOnly, &BRIDGE_ID_8),
    scalar("dot1dStpRootCost", &[1, 3, 6, 1, 2, 1, 17, 2, 6], ReadOnly, &INTEGER32),
    scalar("dot1dStpRootPort", &[1, 3, 6, 1, 2, 1, 17, 2, 7], ReadOnly, &INTEGER32),
    scalar("dot1dStpMaxAge", &[1, 3, 6, 1, 2, 1, 17, 2, 8], ReadOnly, &TIMEOUT).units("centi-seconds"),
    scalar("dot1dStpHelloTime", &[1, 3, 6, 1, 2, 1, 17, 2, 9], ReadOnly, &TIMEOUT).units("centi-seconds"),
    scalar("dot1dStpHoldTime", &[1, 3, 6, 1, 2, 1, 17, 2, 10], ReadOnly, &INTEGER32).units("centi-seconds"),
    scalar("dot1dStpForwardDelay", &[1, 3, 6, 1, 2, 1, 17, 2, 11], ReadOnly, &TIMEOUT).units("centi-seconds"),
    scalar("dot1dStpBridgeMaxAge", &[1, 3, 6, 1, 2, 1, 17, 2, 12], ReadWrite, &TIMEOUT_600_TO_4000).units("centi-seconds"),
    scalar("dot1dStpBridgeHelloTime", &[1, 3, 6, 1, 2, 1, 17, 2, 13], ReadWrite, &TIMEOUT_100_TO_1000).units("centi-seconds"),
    scalar("dot1dStpBridgeForwardDelay", &[1, 3, 6, 1, 2, 1, 17, 2, 14], ReadWrite, &TIMEOUT_400_TO_3000).units("centi-seconds"),
    table("dot1dStpPortTable", &[1, 3, 6, 1, 2, 1, 17, 2, 15]),
    entry("dot1dStpPortEntry", &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1], const { &[part("dot1dStpPort", &INTEGER32_1_TO_65535)] }),
    column("dot1dStpPort", &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1, 1], ReadOnly, &INTEGER32_1_TO_65535),
    column("dot1dStpPortPriority", &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1, 2], ReadWrite, &INTEGER32_0_TO_255),
    column("dot1dStpPortState", &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1, 3], ReadOnly, &DOT1D_STP_PORT_STATE),
    column("dot1dStpPortEnable", &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1, 4], ReadWrite, &ENABLED_OR_DISABLED),
    column("dot1dStpPortPathCost", &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1, 5], ReadWrite, &INTEGER32_1_TO_65535),
    column("dot1dStpPortDesignatedRoot", &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1, 6], ReadOnly, &BRIDGE_ID_8),
    column("dot1dStpPortDesignatedCost", &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1, 7], ReadOnly, &INTEGER32),
    column("dot1dStpPortDesignatedBridge", &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1, 8], ReadOnly, &BRIDGE_ID_8),
    column("dot1dStpPortDesignatedPort", &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1, 9], ReadOnly, &OCTET_STRING_2),
    column("dot1dStpPortForwardTransitions", &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1, 10], ReadOnly, &COUNTER32),
    column("dot1dStpPortPathCost32", &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1, 11], ReadWrite, &INTEGER32_1_TO_200000000),
    node("dot1dSr", &[1, 3, 6, 1, 2, 1, 17, 3]),
    node("dot1dTp", &[1, 3, 6, 1, 2, 1, 17, 4]),
    scalar("dot1dTpLearnedEntryDiscards", &[1, 3, 6, 1, 2, 1, 17, 4, 1], ReadOnly, &COUNTER32),
    scalar("dot1dTpAgingTime", &[1, 3, 6, 1, 2, 1, 17, 4, 2], ReadWrite, &INTEGER32_10_TO_1000000).units("seconds"),
    table("dot1dTpFdbTable", &[1, 3, 6, 1, 2, 1, 17, 4, 3]),
    entry("dot1dTpFdbEntry", &[1, 3, 6, 1, 2, 1, 17, 4, 3, 1], const { &[part("dot1dTpFdbAddress", &MAC_ADDRESS_6)] }),
    column("dot1dTpFdbAddress", &[1, 3, 6, 1, 2, 1, 17, 4, 3, 1, 1], ReadOnly, &MAC_ADDRESS_6),
    column("dot1dTpFdbPort", &[1, 3, 6, 1, 2, 1, 17, 4, 3, 1, 2], ReadOnly, &INTEGER32),
    column("dot1dTpFdbStatus", &[1, 3, 6, 1, 2, 1, 17, 4, 3, 1, 3], ReadOnly, &DOT1D_TP_FDB_STATUS),
    table("dot1dTpPortTable", &[1, 3, 6, 1, 2, 1, 17, 4, 4]),
    entry("dot1dTpPortEntry", &[1, 3, 6, 1, 2, 1, 17, 4, 4, 1], const { &[part("dot1dTpPort", &INTEGER32_1_TO_65535)] }),
    column("dot1dTpPort", &[1, 3, 6, 1, 2, 1, 17, 4, 4, 1, 1], ReadOnly, &INTEGER32_1_TO_65535),
    column("dot1dTpPortMaxInfo", &[1, 3, 6, 1, 2, 1, 17, 4, 4, 1, 2], ReadOnly, &INTEGER32).units("bytes"),
    column("dot1dTpPortInFrames", &[1, 3, 6, 1, 2, 1, 17, 4, 4, 1, 3], ReadOnly, &COUNTER32).units("frames"),
    column("dot1dTpPortOutFrames", &[1, 3, 6, 1, 2, 1, 17, 4, 4, 1, 4], ReadOnly, &COUNTER32).units("frames"),
    column("dot1dTpPortInDiscards", &[1, 3, 6, 1, 2, 1, 17, 4, 4, 1, 5], ReadOnly, &COUNTER32).units("frames"),
    node("dot1dStatic", &[1, 3, 6, 1, 2, 1, 17, 5]),
    table("dot1dStaticTable", &[1, 3, 6, 1, 2, 1, 17, 5, 1]),
    entry("dot1dStaticEntry", &[1, 3, 6, 1, 2, 1, 17, 5, 1, 1], const { &[part("dot1dStaticAddress", &MAC_ADDRESS_6), part("dot1dStaticReceivePort", &INTEGER32_0_TO_65535)] }),
    column("dot1dStaticAddress", &[1, 3, 6, 1, 2, 1, 17, 5, 1, 1, 1], ReadCreate, &MAC_ADDRESS_6),
    column("dot1dStaticReceivePort", &[1, 3, 6, 1, 2, 1, 17, 5, 1, 1, 2], ReadCreate, &INTEGER32_0_TO_65535),
    column("dot1dStaticAllowedToGoTo", &[1, 3, 6, 1, 2, 1, 17, 5, 1, 1, 3], ReadCreate, &OCTET_STRING_0_TO_512),
    column("dot1dStaticStatus", &[1, 3, 6, 1, 2, 1, 17, 5, 1, 1, 4], ReadCreate, &DOT1D_STATIC_STATUS),
    node("dot1dConformance", &[1, 3, 6, 1, 2, 1, 17, 8]),
    node("dot1dGroups", &[1, 3, 6, 1, 2, 1, 17, 8, 1]),
    node("dot1dBaseBridgeGroup", &[1, 3, 6, 1, 2, 1, 17, 8, 1, 1]),
    node("dot1dBasePortGroup", &[1, 3, 6, 1, 2, 1, 17, 8, 1, 2]),
    node("dot1dStpBridgeGroup", &[1, 3, 6, 1, 2, 1, 17, 8, 1, 3]),
    node("dot1dStpPortGroup", &[1, 3, 6, 1, 2, 1, 17, 8, 1, 4]),
    node("dot1dStpPortGroup2", &[1, 3, 6, 1, 2, 1, 17, 8, 1, 5]),
    node("dot1dStpPortGroup3", &[1, 3, 6, 1, 2, 1, 17, 8, 1, 6]),
    node("dot1dTpBridgeGroup", &[1, 3, 6, 1, 2, 1, 17, 8, 1, 7]),
    node("dot1dTpFdbGroup", &[1, 3, 6, 1, 2, 1, 17, 8, 1, 8]),
    node("dot1dTpGroup", &[1, 3, 6, 1, 2, 1, 17, 8, 1, 9]),
    node("dot1dStaticGroup", &[1, 3, 6, 1, 2, 1, 17, 8, 1, 10]),
    node("dot1dNotificationGroup", &[1, 3, 6, 1, 2, 1, 17, 8, 1, 11]),
    node("dot1dCompliances", &[1, 3, 6, 1, 2, 1, 17, 8, 2]),
    node("bridgeCompliance1493", &[1, 3, 6, 1, 2, 1, 17, 8, 2, 1]),
    node("bridgeCompliance4188", &[1, 3, 6, 1, 2, 1, 17, 8, 2, 2]),
];
