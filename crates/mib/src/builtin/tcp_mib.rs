//! The objects of TCP-MIB.

use crate::clauses::Access::{NotAccessible, ReadOnly, ReadWrite};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    COUNTER32, COUNTER64, GAUGE32, INET_ADDRESS, INET_ADDRESS_TYPE, INET_PORT_NUMBER,
    INTEGER32_0_TO_2147483647, INTEGER32_0_TO_65535, IP_ADDRESS, UNSIGNED32,
};
use super::row::{Module, Row, column, entry, node, part, scalar, table};

pub(super) const MODULE: Module = Module { name: "TCP-MIB", last_updated: "200502180000Z", rows: ROWS };

static TCP_RTO_ALGORITHM: Syntax = Syntax::new(BaseType::Integer32).names(&[
    ("other", 1), ("constant", 2), ("rsre", 3), ("vanj", 4), ("rfc2988", 5),
]);
static INTEGER32_MINUS_1_OR_0_TO_2147483647: Syntax = Syntax::new(BaseType::Integer32).range(&[(-1, -1), (0, 2147483647)]);
static TCP_CONN_STATE: Syntax = Syntax::new(BaseType::Integer32).names(&[
    ("closed", 1), ("listen", 2), ("synSent", 3), ("synReceived", 4), ("established", 5), ("finWait1", 6),
    ("finWait2", 7), ("closeWait", 8), ("lastAck", 9), ("closing", 10), ("timeWait", 11), ("deleteTCB", 12),
]);

const ROWS: &[Row] = &[
    node("tcp", &[1, 3, 6, 1, 2, 1, 6]),
    scalar("tcpRtoAlgorithm", &[1, 3, 6, 1, 2, 1, 6, 1], ReadOnly, &TCP_RTO_ALGORITHM),
    scalar("tcpRtoMin", &[1, 3, 6, 1, 2, 1, 6, 2], ReadOnly, &INTEGER32_0_TO_2147483647).units("milliseconds"),
    scalar("tcpRtoMax", &[1, 3, 6, 1, 2, 1, 6, 3], ReadOnly, &INTEGER32_0_TO_2147483647).units("milliseconds"),
    scalar("tcpMaxConn", &[1, 3, 6, 1, 2, 1, 6, 4], ReadOnly, &INTEGER32_MINUS_1_OR_0_TO_2147483647),
    scalar("tcpActiveOpens", &[1, 3, 6, 1, 2, 1, 6, 5], ReadOnly, &COUNTER32),
    scalar("tcpPassiveOpens", &[1, 3, 6, 1, 2, 1, 6, 6], ReadOnly, &COUNTER32),
    scalar("tcpAttemptFails", &[1, 3, 6, 1, 2, 1, 6, 7], ReadOnly, &COUNTER32),
    scalar("tcpEstabResets", &[1, 3, 6, 1, 2, 1, 6, 8], ReadOnly, &COUNTER32),
    scalar("tcpCurrEstab", &[1, 3, 6, 1, 2, 1, 6, 9], ReadOnly, &GAUGE32),
    scalar("tcpInSegs", &[1, 3, 6, 1, 2, 1, 6, 10], ReadOnly, &COUNTER32),
    scalar("tcpOutSegs", &[1, 3, 6, 1, 2, 1, 6, 11], ReadOnly, &COUNTER32),
    scalar("tcpRetransSegs", &[1, 3, 6, 1, 2, 1, 6, 12], ReadOnly, &COUNTER32),
    table("tcpConnTable", &[1, 3, 6, 1, 2, 1, 6, 13]),
    entry("tcpConnEntry", &[1, 3, 6, 1, 2, 1, 6, 13, 1], const { &[
        part("tcpConnLocalAddress", &IP_ADDRESS),
        part("tcpConnLocalPort", &INTEGER32_0_TO_65535),
        part("tcpConnRemAddress", &IP_ADDRESS),
        part("tcpConnRemPort", &INTEGER32_0_TO_65535),
    ] }),
    column("tcpConnState", &[1, 3, 6, 1, 2, 1, 6, 13, 1, 1], ReadWrite, &TCP_CONN_STATE),
    column("tcpConnLocalAddress", &[1, 3, 6, 1, 2, 1, 6, 13, 1, 2], ReadOnly, &IP_ADDRESS),
    column("tcpConnLocalPort", &[1, 3, 6, 1, 2, 1, 6, 13, 1, 3], ReadOnly, &INTEGER32_0_TO_65535),
    column("tcpConnRemAddress", &[1, 3, 6, 1, 2, 1, 6, 13, 1, 4], ReadOnly, &IP_ADDRESS),
    column("tcpConnRemPort", &[1, 3, 6, 1, 2, 1, 6, 13, 1, 5], ReadOnly, &INTEGER32_0_TO_65535),
    scalar("tcpInErrs", &[1, 3, 6, 1, 2, 1, 6, 14], ReadOnly, &COUNTER32),
    scalar("tcpOutRsts", &[1, 3, 6, 1, 2, 1, 6, 15], ReadOnly, &COUNTER32),
    scalar("tcpHCInSegs", &[1, 3, 6, 1, 2, 1, 6, 17], ReadOnly, &COUNTER64),
    scalar("tcpHCOutSegs", &[1, 3, 6, 1, 2, 1, 6, 18], ReadOnly, &COUNTER64),
    table("tcpConnectionTable", &[1, 3, 6, 1, 2, 1, 6, 19]),
    entry("tcpConnectionEntry", &[1, 3, 6, 1, 2, 1, 6, 19, 1], const { &[
        part("tcpConnectionLocalAddressType", &INET_ADDRESS_TYPE),
        part("tcpConnectionLocalAddress", &INET_ADDRESS),
        part("tcpConnectionLocalPort", &INET_PORT_NUMBER),
        part("tcpConnectionRemAddressType", &INET_ADDRESS_TYPE),
        part("tcpConnectionRemAddress", &INET_ADDRESS),
        part("tcpConnectionRemPort", &INET_PORT_NUMBER),
    ] }),
    column("tcpConnectionLocalAddressType", &[1, 3, 6, 1, 2, 1, 6, 19, 1, 1], NotAccessible, &INET_ADDRESS_TYPE),
    column("tcpConnectionLocalAddress", &[1, 3, 6, 1, 2, 1, 6, 19, 1, 2], NotAccessible, &INET_ADDRESS),
    column("tcpConnectionLocalPort", &[1, 3, 6, 1, 2, 1, 6, 19, 1, 3], NotAccessible, &INET_PORT_NUMBER),
    column("tcpConnectionRemAddressType", &[1, 3, 6, 1, 2, 1, 6, 19, 1, 4], NotAccessible, &INET_ADDRESS_TYPE),
    column("tcpConnectionRemAddress", &[1, 3, 6, 1, 2, 1, 6, 19, 1, 5], NotAccessible, &INET_ADDRESS),
    column("tcpConnectionRemPort", &[1, 3, 6, 1, 2, 1, 6, 19, 1, 6], NotAccessible, &INET_PORT_NUMBER),
    column("tcpConnectionState", &[1, 3, 6, 1, 2, 1, 6, 19, 1, 7], ReadWrite, &TCP_CONN_STATE),
    column("tcpConnectionProcess", &[1, 3, 6, 1, 2, 1, 6, 19, 1, 8], ReadOnly, &UNSIGNED32),
    table("tcpListenerTable", &[1, 3, 6, 1, 2, 1, 6, 20]),
    entry("tcpListenerEntry", &[1, 3, 6, 1, 2, 1, 6, 20, 1], const { &[
        part("tcpListenerLocalAddressType", &INET_ADDRESS_TYPE),
        part("tcpListenerLocalAddress", &INET_ADDRESS),
        part("tcpListenerLocalPort", &INET_PORT_NUMBER),
    ] }),
    column("tcpListenerLocalAddressType", &[1, 3, 6, 1, 2, 1, 6, 20, 1, 1], NotAccessible, &INET_ADDRESS_TYPE),
    column("tcpListenerLocalAddress", &[1, 3, 6, 1, 2, 1, 6, 20, 1, 2], NotAccessible, &INET_ADDRESS),
    column("tcpListenerLocalPort", &[1, 3, 6, 1, 2, 1, 6, 20, 1, 3], NotAccessible, &INET_PORT_NUMBER),
    column("tcpListenerProcess", &[1, 3, 6, 1, 2, 1, 6, 20, 1, 4], ReadOnly, &UNSIGNED32),
    node("tcpMIB", &[1, 3, 6, 1, 2, 1, 49]),
    node("tcpMIBConformance", &[1, 3, 6, 1, 2, 1, 49, 2]),
    node("tcpMIBCompliances", &[1, 3, 6, 1, 2, 1, 49, 2, 1]),
    node("tcpMIBCompliance", &[1, 3, 6, 1, 2, 1, 49, 2, 1, 1]),
    node("tcpMIBCompliance2", &[1, 3, 6, 1, 2, 1, 49, 2, 1, 2]),
    node("tcpMIBGroups", &[1, 3, 6, 1, 2, 1, 49, 2, 2]),
    node("tcpGroup", &[1, 3, 6, 1, 2, 1, 49, 2, 2, 1]),
    node("tcpBaseGroup", &[1, 3, 6, 1, 2, 1, 49, 2, 2, 2]),
    node("tcpConnectionGroup", &[1, 3, 6, 1, 2, 1, 49, 2, 2, 3]),
    node("tcpListenerGroup", &[1, 3, 6, 1, 2, 1, 49, 2, 2, 4]),
    node("tcpHCGroup", &[1, 3, 6, 1, 2, 1, 49, 2, 2, 5]),
];
