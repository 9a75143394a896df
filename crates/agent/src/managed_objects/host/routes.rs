//! IP-FORWARD-MIB (RFC 4292), ipRouteTable of RFC 1213 and ipDefaultRouterTable of IP-MIB: the routes of the main table.

use std::net::{IpAddr, Ipv4Addr};

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, ZERO_DOT_ZERO, gauge, integer, object_identifier};
use crate::managed_objects::address_tables::{inet_address, netmask};
use crate::operating_system::{Route, RouteKind, routes};

pub(super) const ROOTS: &[&[u32]] = &[IP_ROUTE_TABLE, IP_FORWARD, IP_DEFAULT_ROUTER_TABLE];

const IP_ROUTE_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 21];
const IP_ROUTE_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 21, 1];
const IP_FORWARD: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 24];
const IP_CIDR_ROUTE_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 24, 4, 1];
const INET_CIDR_ROUTE_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1];
const IP_DEFAULT_ROUTER_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 37];
const IP_DEFAULT_ROUTER_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 37, 1];
/// The largest ipDefaultRouterLifetime: infinity.
const INFINITY: u32 = 65_535;
/// Metrics that are not used.
const UNUSED: i32 = -1;
/// RowStatus: active(1).
const ACTIVE: i32 = 1;

pub(super) fn read(_: &Host, instances: &mut Instances) {
    let routes = routes();
    instances.group(
        IP_FORWARD,
        [
            // ipCidrRouteNumber, inetCidrRouteNumber
            (3, gauge(routes.number_of_ipv4.into())),
            (6, gauge(routes.number.into())),
        ],
    );
    for route in &routes.list {
        inet_cidr_route(instances, route);
        default_router(instances, route);
        if let IpAddr::V4(destination) = route.destination {
            let next_hop = match route.next_hop.gateway {
                Some(IpAddr::V4(gateway)) => gateway,
                _ => Ipv4Addr::UNSPECIFIED,
            };
            ip_cidr_route(instances, route, destination, next_hop);
            ip_route(instances, route, destination, next_hop);
        }
    }
}

fn inet_cidr_route(instances: &mut Instances, route: &Route) {
    // A destination on the link has no next hop: unknown(0) with no octets (RFC 4292).
    let next_hop = route.next_hop.gateway;
    let next_hop = next_hop.map_or_else(|| vec![0, 0], |gateway| inet_address(gateway, None));
    // inetCidrRoutePolicy tells routes apart that differ in their interface and metric alone.
    let policy = [4, 0, 0, route.next_hop.link, route.metric];
    let index = [
        &inet_address(route.destination, None)[..],
        &[route.prefix_length.into()],
        &policy,
        &next_hop,
    ];
    let kind = match (route.kind, route.next_hop.gateway) {
        // reject(2), local(3), remote(4), blackhole(5)
        (RouteKind::Reject, _) => 2,
        (RouteKind::Unicast, None) => 3,
        (RouteKind::Unicast, Some(_)) => 4,
        (RouteKind::Blackhole, _) => 5,
    };
    let columns = [
        // inetCidrRouteIfIndex, Type, Proto, Age: not known, NextHopAS
        (7, integer(route.next_hop.link)),
        (8, Value::Integer(kind)),
        (9, Value::Integer(protocol(route.protocol))),
        (10, gauge(0)),
        (11, gauge(0)),
        // inetCidrRouteMetric1 to Metric5, Status
        (12, integer(route.metric)),
        (13, Value::Integer(UNUSED)),
        (14, Value::Integer(UNUSED)),
        (15, Value::Integer(UNUSED)),
        (16, Value::Integer(UNUSED)),
        (17, Value::Integer(ACTIVE)),
    ];
    instances.row(INET_CIDR_ROUTE_ENTRY, &index.concat(), columns);
}

fn default_router(instances: &mut Instances, route: &Route) {
    let (0, RouteKind::Unicast, Some(router)) =
        (route.prefix_length, route.kind, route.next_hop.gateway)
    else {
        return;
    };
    let index = [&inet_address(router, None)[..], &[route.next_hop.link]];
    let lifetime = route.lifetime.unwrap_or(INFINITY).min(INFINITY);
    // ipDefaultRouterLifetime, Preference
    let columns = [
        (4, gauge(lifetime.into())),
        (5, Value::Integer(route.preference)),
    ];
    instances.row(IP_DEFAULT_ROUTER_ENTRY, &index.concat(), columns);
}

/// What both older tables tell: local or direct (3), remote or indirect (4); reject(2), for which the oldest has invalid(2).
const fn older_kind(route: &Route) -> i32 {
    match (route.kind, route.next_hop.gateway) {
        (RouteKind::Unicast, None) => 3,
        (RouteKind::Unicast, Some(_)) => 4,
        (RouteKind::Reject | RouteKind::Blackhole, _) => 2,
    }
}

fn ip_cidr_route(instances: &mut Instances, route: &Route, destination: Ipv4Addr, next: Ipv4Addr) {
    let mask = netmask(route.prefix_length);
    let service = u32::from(route.service);
    let arcs = |address: Ipv4Addr| address.octets().map(u32::from);
    let index = [&arcs(destination)[..], &arcs(mask), &[service], &arcs(next)];
    let columns = [
        // ipCidrRouteDest, Mask, Tos, NextHop
        (1, Value::IpAddress(destination.octets())),
        (2, Value::IpAddress(mask.octets())),
        (3, integer(service)),
        (4, Value::IpAddress(next.octets())),
        // ipCidrRouteIfIndex, Type, Proto, Age: not known, Info, NextHopAS
        (5, integer(route.next_hop.link)),
        (6, Value::Integer(older_kind(route))),
        (7, Value::Integer(protocol(route.protocol))),
        (8, Value::Integer(0)),
        (9, object_identifier(ZERO_DOT_ZERO)),
        (10, Value::Integer(0)),
        // ipCidrRouteMetric1 to Metric5, Status
        (11, integer(route.metric)),
        (12, Value::Integer(UNUSED)),
        (13, Value::Integer(UNUSED)),
        (14, Value::Integer(UNUSED)),
        (15, Value::Integer(UNUSED)),
        (16, Value::Integer(ACTIVE)),
    ];
    instances.row(IP_CIDR_ROUTE_ENTRY, &index.concat(), columns);
}

fn ip_route(instances: &mut Instances, route: &Route, destination: Ipv4Addr, next: Ipv4Addr) {
    let columns = [
        // ipRouteDest, IfIndex, Metric1 to Metric4
        (1, Value::IpAddress(destination.octets())),
        (2, integer(route.next_hop.link)),
        (3, integer(route.metric)),
        (4, Value::Integer(UNUSED)),
        (5, Value::Integer(UNUSED)),
        (6, Value::Integer(UNUSED)),
        // ipRouteNextHop, Type, Proto, Age: not known, Mask, Metric5, Info
        (7, Value::IpAddress(next.octets())),
        (8, Value::Integer(older_kind(route))),
        (9, Value::Integer(protocol(route.protocol))),
        (10, Value::Integer(0)),
        (11, Value::IpAddress(netmask(route.prefix_length).octets())),
        (12, Value::Integer(UNUSED)),
        (13, object_identifier(ZERO_DOT_ZERO)),
    ];
    let index = destination.octets().map(u32::from);
    instances.row(IP_ROUTE_ENTRY, &index, columns);
}

/// IANAipRouteProtocol of the kernel's number (RTPROT_...); other(1) where it has none of its own.
const fn protocol(number: u8) -> i32 {
    match number {
        // RTPROT_REDIRECT, RTPROT_RA: icmp(4)
        1 | 9 => 4,
        // RTPROT_KERNEL: local(2)
        2 => 2,
        // RTPROT_BOOT, RTPROT_STATIC: netmgmt(3)
        3 | 4 => 3,
        // bgp(14), isIs(9), ospf(13), rip(8), ciscoEigrp(16)
        186 => 14,
        187 => 9,
        188 => 13,
        189 => 8,
        192 => 16,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operating_system::NextHop;

    #[test]
    fn routes_are_in_all_tables_that_have_room_for_them() {
        let route = |destination: &str, prefix_length, gateway: Option<&str>| Route {
            destination: destination.parse().unwrap(),
            prefix_length,
            service: 0,
            kind: RouteKind::Unicast,
            protocol: 4,
            metric: 100,
            lifetime: None,
            preference: 0,
            next_hop: NextHop {
                link: 2,
                gateway: gateway.map(|gateway| gateway.parse().unwrap()),
            },
        };
        let mut instances = Instances::default();
        inet_cidr_route(&mut instances, &route("2001:db8::", 32, None));
        let default = route("0.0.0.0", 0, Some("192.0.2.1"));
        inet_cidr_route(&mut instances, &default);
        let (any, gateway) = (Ipv4Addr::UNSPECIFIED, Ipv4Addr::new(192, 0, 2, 1));
        ip_cidr_route(&mut instances, &default, any, gateway);
        ip_route(&mut instances, &default, any, gateway);
        for other in [
            route("2001:db8::", 32, Some("fe80::1")),
            route("0.0.0.0", 0, None),
            default,
        ] {
            default_router(&mut instances, &other);
        }
        instances.sort();
        let value = |entry: &[u32], rest: &[&[u32]]| {
            instances.get(&[entry, &rest.concat()].concat()).cloned()
        };
        let of_default: [&[u32]; 4] = [
            &[1, 4, 0, 0, 0, 0, 0],
            &[4, 0, 0, 2, 100],
            &[1, 4],
            &[192, 0, 2, 1],
        ];
        let name = [&[8][..], &of_default.concat()].concat();
        assert_eq!(
            value(INET_CIDR_ROUTE_ENTRY, &[&name]),
            Some(Value::Integer(4))
        );
        let of_ipv6: [&[u32]; 5] = [
            &[2, 16, 0x20, 0x01, 0x0d, 0xb8],
            &[0; 12],
            &[32],
            &[4, 0, 0, 2, 100],
            &[0, 0],
        ];
        let name = [&[8][..], &of_ipv6.concat()].concat();
        assert_eq!(
            value(INET_CIDR_ROUTE_ENTRY, &[&name]),
            Some(Value::Integer(3))
        );
        assert_eq!(
            value(IP_CIDR_ROUTE_ENTRY, &[&[5], &[0; 9], &[192, 0, 2, 1]]),
            Some(Value::Integer(2))
        );
        assert_eq!(
            value(IP_ROUTE_ENTRY, &[&[7], &[0; 4]]),
            Some(Value::IpAddress([192, 0, 2, 1]))
        );
        let router = [1, 4, 192, 0, 2, 1, 2];
        assert_eq!(
            value(IP_DEFAULT_ROUTER_ENTRY, &[&[4], &router]),
            Some(Value::Gauge32(INFINITY))
        );
        assert_eq!(instances.len(), 2 * 11 + 16 + 13 + 2);
    }

    #[test]
    fn protocols_without_a_number_of_their_own_are_other() {
        assert_eq!([4, 186, 16, 255].map(protocol), [3, 14, 1, 1]);
    }
}
