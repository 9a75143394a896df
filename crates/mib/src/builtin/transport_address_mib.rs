//! The objects of TRANSPORT-ADDRESS-MIB.

use super::row::{Module, Row, node};

pub(super) const MODULE: Module = Module { name: "TRANSPORT-ADDRESS-MIB", last_updated: "200211010000Z", rows: ROWS };

const ROWS: &[Row] = &[
    node("transportAddressMIB", &[1, 3, 6, 1, 2, 1, 100]),
    node("transportDomains", &[1, 3, 6, 1, 2, 1, 100, 1]),
    node("transportDomainUdpIpv4", &[1, 3, 6, 1, 2, 1, 100, 1, 1]),
    node("transportDomainUdpIpv6", &[1, 3, 6, 1, 2, 1, 100, 1, 2]),
    node("transportDomainUdpIpv4z", &[1, 3, 6, 1, 2, 1, 100, 1, 3]),
    node("transportDomainUdpIpv6z", &[1, 3, 6, 1, 2, 1, 100, 1, 4]),
    node("transportDomainTcpIpv4", &[1, 3, 6, 1, 2, 1, 100, 1, 5]),
    node("transportDomainTcpIpv6", &[1, 3, 6, 1, 2, 1, 100, 1, 6]),
    node("transportDomainTcpIpv4z", &[1, 3, 6, 1, 2, 1, 100, 1, 7]),
    node("transportDomainTcpIpv6z", &[1, 3, 6, 1, 2, 1, 100, 1, 8]),
    node("transportDomainSctpIpv4", &[1, 3, 6, 1, 2, 1, 100, 1, 9]),
    node("transportDomainSctpIpv6", &[1, 3, 6, 1, 2, 1, 100, 1, 10]),
    node("transportDomainSctpIpv4z", &[1, 3, 6, 1, 2, 1, 100, 1, 11]),
    node("transportDomainSctpIpv6z", &[1, 3, 6, 1, 2, 1, 100, 1, 12]),
    node("transportDomainLocal", &[1, 3, 6, 1, 2, 1, 100, 1, 13]),
    node("transportDomainUdpDns", &[1, 3, 6, 1, 2, 1, 100, 1, 14]),
    node("transportDomainTcpDns", &[1, 3, 6, 1, 2, 1, 100, 1, 15]),
    node("transportDomainSctpDns", &[1, 3, 6, 1, 2, 1, 100, 1, 16]),
];
