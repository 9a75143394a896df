//! The objects of UDP-MIB.

use crate::clauses::Access::{NotAccessible, ReadOnly};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    COUNTER32, COUNTER64, INET_ADDRESS, INET_ADDRESS_TYPE, INET_PORT_NUMBER, INTEGER32_0_TO_65535,
    IP_ADDRESS, UNSIGNED32,
};
use super::row::{Module, Row, column, entry, node, part, scalar, table};

pub(super) const MODULE: Module = Module { name: "UDP-MIB", last_updated: "200505200000Z", rows: ROWS };

static UNSIGNED32_1_TO_4294967295: Syntax = Syntax::new(BaseType::Unsigned32).range(&[(1, 4294967295)]);

const ROWS: &[Row] = &[
    node("udp", &[1, 3, 6, 1, 2, 1, 7]),
    scalar("udpInDatagrams", &[1, 3, 6, 1, 2, 1, 7, 1], ReadOnly, &COUNTER32),
    scalar("udpNoPorts", &[1, 3, 6, 1, 2, 1, 7, 2], ReadOnly, &COUNTER32),
    scalar("udpInErrors", &[1, 3, 6, 1, 2, 1, 7, 3], ReadOnly, &COUNTER32),
    scalar("udpOutDatagrams", &[1, 3, 6, 1, 2, 1, 7, 4], ReadOnly, &COUNTER32),
    table("udpTable", &[1, 3, 6, 1, 2, 1, 7, 5]),
    entry("udpEntry", &[1, 3, 6, 1, 2, 1, 7, 5, 1], const { &[
        part("udpLocalAddress", &IP_ADDRESS),
        part("udpLocalPort", &INTEGER32_0_TO_65535),
    ] }),
    column("udpLocalAddress", &[1, 3, 6, 1, 2, 1, 7, 5, 1, 1], ReadOnly, &IP_ADDRESS),
    column("udpLocalPort", &[1, 3, 6, 1, 2, 1, 7, 5, 1, 2], ReadOnly, &INTEGER32_0_TO_65535),
    table("udpEndpointTable", &[1, 3, 6, 1, 2, 1, 7, 7]),
    entry("udpEndpointEntry", &[1, 3, 6, 1, 2, 1, 7, 7, 1], const { &[
        part("udpEndpointLocalAddressType", &INET_ADDRESS_TYPE),
        part("udpEndpointLocalAddress", &INET_ADDRESS),
        part("udpEndpointLocalPort", &INET_PORT_NUMBER),
        part("udpEndpointRemoteAddressType", &INET_ADDRESS_TYPE),
        part("udpEndpointRemoteAddress", &INET_ADDRESS),
        part("udpEndpointRemotePort", &INET_PORT_NUMBER),
        part("udpEndpointInstance", &UNSIGNED32_1_TO_4294967295),
    ] }),
    column("udpEndpointLocalAddressType", &[1, 3, 6, 1, 2, 1, 7, 7, 1, 1], NotAccessible, &INET_ADDRESS_TYPE),
    column("udpEndpointLocalAddress", &[1, 3, 6, 1, 2, 1, 7, 7, 1, 2], NotAccessible, &INET_ADDRESS),
    column("udpEndpointLocalPort", &[1, 3, 6, 1, 2, 1, 7, 7, 1, 3], NotAccessible, &INET_PORT_NUMBER),
    column("udpEndpointRemoteAddressType", &[1, 3, 6, 1, 2, 1, 7, 7, 1, 4], NotAccessible, &INET_ADDRESS_TYPE),
    column("udpEndpointRemoteAddress", &[1, 3, 6, 1, 2, 1, 7, 7, 1, 5], NotAccessible, &INET_ADDRESS),
    column("udpEndpointRemotePort", &[1, 3, 6, 1, 2, 1, 7, 7, 1, 6], NotAccessible, &INET_PORT_NUMBER),
    column("udpEndpointInstance", &[1, 3, 6, 1, 2, 1, 7, 7, 1, 7], NotAccessible, &UNSIGNED32_1_TO_4294967295),
    column("udpEndpointProcess", &[1, 3, 6, 1, 2, 1, 7, 7, 1, 8], ReadOnly, &UNSIGNED32),
    scalar("udpHCInDatagrams", &[1, 3, 6, 1, 2, 1, 7, 8], ReadOnly, &COUNTER64),
    scalar("udpHCOutDatagrams", &[1, 3, 6, 1, 2, 1, 7, 9], ReadOnly, &COUNTER64),
    node("udpMIB", &[1, 3, 6, 1, 2, 1, 50]),
    node("udpMIBConformance", &[1, 3, 6, 1, 2, 1, 50, 2]),
    node("udpMIBCompliances", &[1, 3, 6, 1, 2, 1, 50, 2, 1]),
    node("udpMIBCompliance", &[1, 3, 6, 1, 2, 1, 50, 2, 1, 1]),
    node("udpMIBCompliance2", &[1, 3, 6, 1, 2, 1, 50, 2, 1, 2]),
    node("udpMIBGroups", &[1, 3, 6, 1, 2, 1, 50, 2, 2]),
    node("udpGroup", &[1, 3, 6, 1, 2, 1, 50, 2, 2, 1]),
    node("udpBaseGroup", &[1, 3, 6, 1, 2, 1, 50, 2, 2, 2]),
    node("udpHCGroup", &[1, 3, 6, 1, 2, 1, 50, 2, 2, 3]),
    node("udpEndpointGroup", &[1, 3, 6, 1, 2, 1, 50, 2, 2, 4]),
];
