//! The objects of IP-FORWARD-MIB.

use crate::clauses::Access::{NotAccessible, ReadCreate, ReadOnly};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    COUNTER32, GAUGE32, INET_ADDRESS, INET_ADDRESS_TYPE, INTEGER32, INTEGER32_0_TO_2147483647,
    INTERFACE_INDEX_OR_ZERO, IP_ADDRESS, OBJECT_IDENTIFIER, ROW_STATUS,
};
use super::row::{Module, Row, column, entry, node, part, scalar, table};

pub(super) const MODULE: Module = Module { name: "IP-FORWARD-MIB", last_updated: "200602010000Z", rows: ROWS };

static IP_FORWARD_PROTO: Syntax = Syntax::new(BaseType::Integer32).names(&[
    ("other", 1), ("local", 2), ("netmgmt", 3), ("icmp", 4), ("egp", 5), ("ggp", 6), ("hello", 7), ("rip", 8), ("is-is", 9),
    ("es-is", 10), ("ciscoIgrp", 11), ("bbnSpfIgp", 12), ("ospf", 13), ("bgp", 14), ("idpr", 15),
]);
static IP_FORWARD_TYPE: Syntax = Syntax::new(BaseType::Integer32).names(&[("other", 1), ("invalid", 2), ("local", 3), ("remote", 4)]);
static IP_CIDR_ROUTE_TYPE: Syntax = Syntax::new(BaseType::Integer32).names(&[("other", 1), ("reject", 2), ("local", 3), ("remote", 4)]);
static IP_CIDR_ROUTE_PROTO: Syntax = Syntax::new(BaseType::Integer32).names(&[
    ("other", 1), ("local", 2), ("netmgmt", 3), ("icmp", 4), ("egp", 5), ("ggp", 6), ("hello", 7), ("rip", 8), ("isIs", 9),
    ("esIs", 10), ("ciscoIgrp", 11), ("bbnSpfIgp", 12), ("ospf", 13), ("bgp", 14), ("idpr", 15), ("ciscoEigrp", 16),
]);
static INET_ADDRESS_PREFIX_LENGTH_0_TO_2040: Syntax = Syntax::new(BaseType::Unsigned32).convention("InetAddressPrefixLength").hint("d").range(&[(0, 2040)]);
static INET_CIDR_ROUTE_TYPE: Syntax = Syntax::new(BaseType::Integer32).names(&[("other", 1), ("reject", 2), ("local", 3), ("remote", 4), ("blackhole", 5)]);
static IAN_AIP_ROUTE_PROTOCOL: Syntax = Syntax::new(BaseType::Integer32).convention("IANAipRouteProtocol").names(&[
    ("other", 1), ("local", 2), ("netmgmt", 3), ("icmp", 4), ("egp", 5), ("ggp", 6), ("hello", 7), ("rip", 8), ("isIs", 9),
    ("esIs", 10), ("ciscoIgrp", 11), ("bbnSpfIgp", 12), ("ospf", 13), ("bgp", 14), ("idpr", 15), ("ciscoEigrp", 16),
    ("dvmrp", 17), ("rpl", 18), ("dhcp", 19), ("ttdp", 20),
]);
static INET_AUTONOMOUS_SYSTEM_NUMBER: Syntax = Syntax::new(BaseType::Unsigned32).convention("InetAutonomousSystemNumber").hint("d");

const ROWS: &[Row] = &[
    node("ipForward", &[1, 3, 6, 1, 2, 1, 4, 24]),
    scalar("ipForwardNumber", &[1, 3, 6, 1, 2, 1, 4, 24, 1], ReadOnly, &GAUGE32),
    table("ipForwardTable", &[1, 3, 6, 1, 2, 1, 4, 24, 2]),
    entry("ipForwardEntry", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1], const { &[part("ipForwardDest", &IP_ADDRESS), part("ipForwardProto", &IP_FORWARD_PROTO), part("ipForwardPolicy", &INTEGER32_0_TO_2147483647), part("ipForwardNextHop", &IP_ADDRESS)] }),
    column("ipForwardDest", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 1], ReadOnly, &IP_ADDRESS),
    column("ipForwardMask", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 2], ReadCreate, &IP_ADDRESS),
    column("ipForwardPolicy", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 3], ReadOnly, &INTEGER32_0_TO_2147483647),
    column("ipForwardNextHop", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 4], ReadOnly, &IP_ADDRESS),
    column("ipForwardIfIndex", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 5], ReadCreate, &INTEGER32),
    column("ipForwardType", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 6], ReadCreate, &IP_FORWARD_TYPE),
    column("ipForwardProto", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 7], ReadOnly, &IP_FORWARD_PROTO),
    column("ipForwardAge", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 8], ReadOnly, &INTEGER32),
    column("ipForwardInfo", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 9], ReadCreate, &OBJECT_IDENTIFIER),
    column("ipForwardNextHopAS", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 10], ReadCreate, &INTEGER32),
    column("ipForwardMetric1", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 11], ReadCreate, &INTEGER32),
    column("ipForwardMetric2", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 12], ReadCreate, &INTEGER32),
    column("ipForwardMetric3", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 13], ReadCreate, &INTEGER32),
    column("ipForwardMetric4", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 14], ReadCreate, &INTEGER32),
    column("ipForwardMetric5", &[1, 3, 6, 1, 2, 1, 4, 24, 2, 1, 15], ReadCreate, &INTEGER32),
    scalar("ipCidrRouteNumber", &[1, 3, 6, 1, 2, 1, 4, 24, 3], ReadOnly, &GAUGE32),
    table("ipCidrRouteTable", &[1, 3, 6, 1, 2, 1, 4, 24, 4]),
    entry("ipCidrRouteEntry", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1], const { &[part("ipCidrRouteDest", &IP_ADDRESS), part("ipCidrRouteMask", &IP_ADDRESS), part("ipCidrRouteTos", &INTEGER32_0_TO_2147483647), part("ipCidrRouteNextHop", &IP_ADDRESS)] }),
    column("ipCidrRouteDest", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 1], ReadOnly, &IP_ADDRESS),
    column("ipCidrRouteMask", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 2], ReadOnly, &IP_ADDRESS),
    column("ipCidrRouteTos", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 3], ReadOnly, &INTEGER32_0_TO_2147483647),
    column("ipCidrRouteNextHop", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 4], ReadOnly, &IP_ADDRESS),
    column("ipCidrRouteIfIndex", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 5], ReadCreate, &INTEGER32),
    column("ipCidrRouteType", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 6], ReadCreate, &IP_CIDR_ROUTE_TYPE),
    column("ipCidrRouteProto", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 7], ReadOnly, &IP_CIDR_ROUTE_PROTO),
    column("ipCidrRouteAge", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 8], ReadOnly, &INTEGER32),
    column("ipCidrRouteInfo", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 9], ReadCreate, &OBJECT_IDENTIFIER),
    column("ipCidrRouteNextHopAS", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 10], ReadCreate, &INTEGER32),
    column("ipCidrRouteMetric1", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 11], ReadCreate, &INTEGER32),
    column("ipCidrRouteMetric2", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 12], ReadCreate, &INTEGER32),
    column("ipCidrRouteMetric3", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 13], ReadCreate, &INTEGER32),
    column("ipCidrRouteMetric4", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 14], ReadCreate, &INTEGER32),
    column("ipCidrRouteMetric5", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 15], ReadCreate, &INTEGER32),
    column("ipCidrRouteStatus", &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 16], ReadCreate, &ROW_STATUS),
    node("ipForwardConformance", &[1, 3, 6, 1, 2, 1, 4, 24, 5]),
    node("ipForwardGroups", &[1, 3, 6, 1, 2, 1, 4, 24, 5, 1]),
    node("ipForwardMultiPathGroup", &[1, 3, 6, 1, 2, 1, 4, 24, 5, 1, 2]),
    node("ipForwardCidrRouteGroup", &[1, 3, 6, 1, 2, 1, 4, 24, 5, 1, 3]),
    node("inetForwardCidrRouteGroup", &[1, 3, 6, 1, 2, 1, 4, 24, 5, 1, 4]),
    node("ipForwardCompliances", &[1, 3, 6, 1, 2, 1, 4, 24, 5, 2]),
    node("ipForwardCompliance", &[1, 3, 6, 1, 2, 1, 4, 24, 5, 2, 1]),
    node("ipForwardOldCompliance", &[1, 3, 6, 1, 2, 1, 4, 24, 5, 2, 2]),
    node("ipForwardFullCompliance", &[1, 3, 6, 1, 2, 1, 4, 24, 5, 2, 3]),
    node("ipForwardReadOnlyCompliance", &[1, 3, 6, 1, 2, 1, 4, 24, 5, 2, 4]),
    scalar("inetCidrRouteNumber", &[1, 3, 6, 1, 2, 1, 4, 24, 6], ReadOnly, &GAUGE32),
    table("inetCidrRouteTable", &[1, 3, 6, 1, 2, 1, 4, 24, 7]),
    entry("inetCidrRouteEntry", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1], const { &[part("inetCidrRouteDestType", &INET_ADDRESS_TYPE), part("inetCidrRouteDest", &INET_ADDRESS), part("inetCidrRoutePfxLen", &INET_ADDRESS_PREFIX_LENGTH_0_TO_2040), part("inetCidrRoutePolicy", &OBJECT_IDENTIFIER), part("inetCidrRouteNextHopType", &INET_ADDRESS_TYPE), part("inetCidrRouteNextHop", &INET_ADDRESS)] }),
    column("inetCidrRouteDestType", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 1], NotAccessible, &INET_ADDRESS_TYPE),
    column("inetCidrRouteDest", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 2], NotAccessible, &INET_ADDRESS),
    column("inetCidrRoutePfxLen", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 3], NotAccessible, &INET_ADDRESS_PREFIX_LENGTH_0_TO_2040),
    column("inetCidrRoutePolicy", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 4], NotAccessible, &OBJECT_IDENTIFIER),
    column("inetCidrRouteNextHopType", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 5], NotAccessible, &INET_ADDRESS_TYPE),
    column("inetCidrRouteNextHop", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 6], NotAccessible, &INET_ADDRESS),
    column("inetCidrRouteIfIndex", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 7], ReadCreate, &INTERFACE_INDEX_OR_ZERO),
    column("inetCidrRouteType", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 8], ReadCreate, &INET_CIDR_ROUTE_TYPE),
    column("inetCidrRouteProto", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 9], ReadOnly, &IAN_AIP_ROUTE_PROTOCOL),
    column("inetCidrRouteAge", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 10], ReadOnly, &GAUGE32),
    column("inetCidrRouteNextHopAS", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 11], ReadCreate, &INET_AUTONOMOUS_SYSTEM_NUMBER),
    column("inetCidrRouteMetric1", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 12], ReadCreate, &INTEGER32),
    column("inetCidrRouteMetric2", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 13], ReadCreate, &INTEGER32),
    column("inetCidrRouteMetric3", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 14], ReadCreate, &INTEGER32),
    column("inetCidrRouteMetric4", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 15], ReadCreate, &INTEGER32),
    column("inetCidrRouteMetric5", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 16], ReadCreate, &INTEGER32),
    column("inetCidrRouteStatus", &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 17], ReadCreate, &ROW_STATUS),
    scalar("inetCidrRouteDiscards", &[1, 3, 6, 1, 2, 1, 4, 24, 8], ReadOnly, &COUNTER32),
];
