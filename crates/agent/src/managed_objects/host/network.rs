//! The counters of IP, ICMP, TCP and UDP: IP-MIB, TCP-MIB and UDP-MIB (RFC 4293, 4022, 4113).

use std::collections::HashMap;

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, counter, gauge, integer};
use crate::operating_system::{ProtocolCounters, parse_ipv6_counters};

/// ipForwarding and ipDefaultTTL have their own place.
pub(super) const ROOTS: &[&[u32]] = &[
    &[1, 3, 6, 1, 2, 1, 4, 3],
    &[1, 3, 6, 1, 2, 1, 4, 4],
    &[1, 3, 6, 1, 2, 1, 4, 5],
    &[1, 3, 6, 1, 2, 1, 4, 6],
    &[1, 3, 6, 1, 2, 1, 4, 7],
    &[1, 3, 6, 1, 2, 1, 4, 8],
    &[1, 3, 6, 1, 2, 1, 4, 9],
    &[1, 3, 6, 1, 2, 1, 4, 10],
    &[1, 3, 6, 1, 2, 1, 4, 11],
    &[1, 3, 6, 1, 2, 1, 4, 12],
    &[1, 3, 6, 1, 2, 1, 4, 13],
    &[1, 3, 6, 1, 2, 1, 4, 14],
    &[1, 3, 6, 1, 2, 1, 4, 15],
    &[1, 3, 6, 1, 2, 1, 4, 16],
    &[1, 3, 6, 1, 2, 1, 4, 17],
    &[1, 3, 6, 1, 2, 1, 4, 18],
    &[1, 3, 6, 1, 2, 1, 4, 19],
    &[1, 3, 6, 1, 2, 1, 4, 23],
    &[1, 3, 6, 1, 2, 1, 4, 31, 1],
    ICMP,
    &[1, 3, 6, 1, 2, 1, 6, 1],
    &[1, 3, 6, 1, 2, 1, 6, 2],
    &[1, 3, 6, 1, 2, 1, 6, 3],
    &[1, 3, 6, 1, 2, 1, 6, 4],
    &[1, 3, 6, 1, 2, 1, 6, 5],
    &[1, 3, 6, 1, 2, 1, 6, 6],
    &[1, 3, 6, 1, 2, 1, 6, 7],
    &[1, 3, 6, 1, 2, 1, 6, 8],
    &[1, 3, 6, 1, 2, 1, 6, 9],
    &[1, 3, 6, 1, 2, 1, 6, 10],
    &[1, 3, 6, 1, 2, 1, 6, 11],
    &[1, 3, 6, 1, 2, 1, 6, 12],
    &[1, 3, 6, 1, 2, 1, 6, 14],
    &[1, 3, 6, 1, 2, 1, 6, 15],
    &[1, 3, 6, 1, 2, 1, 6, 17],
    &[1, 3, 6, 1, 2, 1, 6, 18],
    &[1, 3, 6, 1, 2, 1, 7, 1],
    &[1, 3, 6, 1, 2, 1, 7, 2],
    &[1, 3, 6, 1, 2, 1, 7, 3],
    &[1, 3, 6, 1, 2, 1, 7, 4],
    &[1, 3, 6, 1, 2, 1, 7, 8],
    &[1, 3, 6, 1, 2, 1, 7, 9],
];

const IP: &[u32] = &[1, 3, 6, 1, 2, 1, 4];
const IP_SYSTEM_STATS_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 31, 1, 1];
const ICMP: &[u32] = &[1, 3, 6, 1, 2, 1, 5];
const ICMP_STATS_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 5, 29, 1];
const ICMP_MSG_STATS_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 5, 30, 1];
const TCP: &[u32] = &[1, 3, 6, 1, 2, 1, 6];
const UDP: &[u32] = &[1, 3, 6, 1, 2, 1, 7];
/// ipSystemStatsOutFragReqds and ipIfStatsOutFragReqds.
pub(super) const OUT_FRAG_REQDS: u32 = 26;
/// InetVersion.
const IPV4: u32 = 1;
pub(super) const IPV6: u32 = 2;

pub(super) fn read(host: &Host, instances: &mut Instances) {
    let counters = ProtocolCounters::parse(&host.text("proc/net/snmp"));
    let extended = ProtocolCounters::parse(&host.text("proc/net/netstat"));
    let ipv6 = parse_ipv6_counters(&host.text("proc/net/snmp6"));
    scalars(instances, &counters, &ipv6);
    // ipReasmTimeout: seconds that fragments are kept
    let seconds = host.root.number("proc/sys/net/ipv4/ipfrag_time");
    instances.group(IP, seconds.map(|seconds| (13, integer(seconds))));
    system_statistics(instances, &counters, &extended, &ipv6, &host.refresh_rate());
    icmp_statistics(instances, &counters, &ipv6);
}

/// Names of the kernel by the last sub-identifiers of their objects.
type Names = [(u32, &'static str)];

const IP_COUNTERS: &Names = &[
    (3, "InReceives"),
    (4, "InHdrErrors"),
    (5, "InAddrErrors"),
    (6, "ForwDatagrams"),
    (7, "InUnknownProtos"),
    (8, "InDiscards"),
    (9, "InDelivers"),
    (10, "OutRequests"),
    (11, "OutDiscards"),
    (12, "OutNoRoutes"),
    (14, "ReasmReqds"),
    (15, "ReasmOKs"),
    (16, "ReasmFails"),
    (17, "FragOKs"),
    (18, "FragFails"),
    (19, "FragCreates"),
];
const ICMP_COUNTERS: &Names = &[
    (1, "InMsgs"),
    (2, "InErrors"),
    (3, "InDestUnreachs"),
    (4, "InTimeExcds"),
    (5, "InParmProbs"),
    (6, "InSrcQuenchs"),
    (7, "InRedirects"),
    (8, "InEchos"),
    (9, "InEchoReps"),
    (10, "InTimestamps"),
    (11, "InTimestampReps"),
    (12, "InAddrMasks"),
    (13, "InAddrMaskReps"),
    (14, "OutMsgs"),
    (15, "OutErrors"),
    (16, "OutDestUnreachs"),
    (17, "OutTimeExcds"),
    (18, "OutParmProbs"),
    (19, "OutSrcQuenchs"),
    (20, "OutRedirects"),
    (21, "OutEchos"),
    (22, "OutEchoReps"),
    (23, "OutTimestamps"),
    (24, "OutTimestampReps"),
    (25, "OutAddrMasks"),
    (26, "OutAddrMaskReps"),
];
const TCP_COUNTERS: &Names = &[
    (5, "ActiveOpens"),
    (6, "PassiveOpens"),
    (7, "AttemptFails"),
    (8, "EstabResets"),
    (10, "InSegs"),
    (11, "OutSegs"),
    (12, "RetransSegs"),
    (14, "InErrs"),
    (15, "OutRsts"),
];
/// tcpRtoAlgorithm, tcpRtoMin, tcpRtoMax and tcpMaxConn.
const TCP_SETTINGS: &Names = &[
    (1, "RtoAlgorithm"),
    (2, "RtoMin"),
    (3, "RtoMax"),
    (4, "MaxConn"),
];
const UDP_COUNTERS: &Names = &[
    (1, "InDatagrams"),
    (2, "NoPorts"),
    (3, "InErrors"),
    (4, "OutDatagrams"),
];

fn scalars(instances: &mut Instances, counters: &ProtocolCounters, ipv6: &HashMap<String, u64>) {
    for (group, protocol, names) in [
        (IP, "Ip", IP_COUNTERS),
        (ICMP, "Icmp", ICMP_COUNTERS),
        (TCP, "Tcp", TCP_COUNTERS),
    ] {
        let found = names.iter().filter_map(|(number, name)| {
            Some((*number, counter(counters.counter(protocol, name)?)))
        });
        instances.group(group, found);
    }
    let settings = TCP_SETTINGS
        .iter()
        .filter_map(|(number, name)| Some((*number, integer(counters.number("Tcp", name)?))));
    instances.group(TCP, settings);
    // tcpHCInSegs, tcpHCOutSegs
    let wide = [(17, "InSegs"), (18, "OutSegs")].into_iter();
    let wide = wide.filter_map(|(number, name)| {
        Some((number, Value::Counter64(counters.counter("Tcp", name)?)))
    });
    instances.group(TCP, wide);
    // Those of UDP count both versions of IP; the kernel counts them apart.
    let both = |name: &str| {
        let of_ipv6 = ipv6.get(&format!("Udp6{name}")).copied();
        let of_ipv4 = counters.counter("Udp", name)?;
        Some(of_ipv4.wrapping_add(of_ipv6.unwrap_or(0)))
    };
    let narrow = UDP_COUNTERS.iter();
    let narrow = narrow.filter_map(|(number, name)| Some((*number, counter(both(name)?))));
    instances.group(UDP, narrow);
    // udpHCInDatagrams, udpHCOutDatagrams
    let wide = [(8, "InDatagrams"), (9, "OutDatagrams")].into_iter();
    let wide = wide.filter_map(|(number, name)| Some((number, Value::Counter64(both(name)?))));
    instances.group(UDP, wide);
    // ipRoutingDiscards: Linux discards no routes
    let is_counted = counters.counter("Ip", "InReceives");
    instances.group(IP, is_counted.map(|_| (23, counter(0))));
    // tcpCurrEstab
    let open = counters.counter("Tcp", "CurrEstab");
    instances.group(TCP, open.map(|open| (9, gauge(open))));
}

/// ipSystemStatsTable: the column, of 64 bits where there is such a one, and the names of the kernel for IPv4 and IPv6.
pub(super) const SYSTEM_COLUMNS: [(u32, Option<u32>, &str, &str); 28] = [
    (3, Some(4), "InReceives", "Ip6InReceives"),
    (5, Some(6), "InOctets", "Ip6InOctets"),
    (7, None, "InHdrErrors", "Ip6InHdrErrors"),
    (8, None, "InNoRoutes", "Ip6InNoRoutes"),
    (9, None, "InAddrErrors", "Ip6InAddrErrors"),
    (10, None, "InUnknownProtos", "Ip6InUnknownProtos"),
    (11, None, "InTruncatedPkts", "Ip6InTruncatedPkts"),
    (12, Some(13), "ForwDatagrams", "Ip6OutForwDatagrams"),
    (14, None, "ReasmReqds", "Ip6ReasmReqds"),
    (15, None, "ReasmOKs", "Ip6ReasmOKs"),
    (16, None, "ReasmFails", "Ip6ReasmFails"),
    (17, None, "InDiscards", "Ip6InDiscards"),
    (18, Some(19), "InDelivers", "Ip6InDelivers"),
    (20, Some(21), "OutRequests", "Ip6OutRequests"),
    (22, None, "OutNoRoutes", "Ip6OutNoRoutes"),
    (23, Some(24), "ForwDatagrams", "Ip6OutForwDatagrams"),
    (25, None, "OutDiscards", "Ip6OutDiscards"),
    (27, None, "FragOKs", "Ip6FragOKs"),
    (28, None, "FragFails", "Ip6FragFails"),
    (29, None, "FragCreates", "Ip6FragCreates"),
    (30, Some(31), "OutTransmits", "Ip6OutTransmits"),
    (32, Some(33), "OutOctets", "Ip6OutOctets"),
    (34, Some(35), "InMcastPkts", "Ip6InMcastPkts"),
    (36, Some(37), "InMcastOctets", "Ip6InMcastOctets"),
    (38, Some(39), "OutMcastPkts", "Ip6OutMcastPkts"),
    (40, Some(41), "OutMcastOctets", "Ip6OutMcastOctets"),
    (42, Some(43), "InBcastPkts", "Ip6InBcastPkts"),
    (44, Some(45), "OutBcastPkts", "Ip6OutBcastPkts"),
];

fn system_statistics(
    instances: &mut Instances,
    counters: &ProtocolCounters,
    extended: &ProtocolCounters,
    ipv6: &HashMap<String, u64>,
    refresh_rate: &Value,
) {
    let mut add = |version: u32, narrow, wide: Option<u32>, value: Option<u64>| {
        let Some(value) = value else { return };
        let wide = wide.map(|wide| (wide, Value::Counter64(value)));
        let columns = std::iter::once((narrow, counter(value))).chain(wide);
        instances.row(IP_SYSTEM_STATS_ENTRY, &[version], columns);
    };
    for (narrow, wide, name, name_of_ipv6) in SYSTEM_COLUMNS {
        let value = counters.counter("Ip", name);
        let value = value.or_else(|| extended.counter("IpExt", name));
        add(IPV4, narrow, wide, value);
        add(IPV6, narrow, wide, ipv6.get(name_of_ipv6).copied());
    }
    let of_ipv4 = |name| counters.counter("Ip", name);
    let of_ipv4 = fragmented(of_ipv4("FragOKs"), of_ipv4("FragFails"));
    add(IPV4, OUT_FRAG_REQDS, None, of_ipv4);
    add(IPV6, OUT_FRAG_REQDS, None, fragmented_ipv6(ipv6));
    for version in [IPV4, IPV6] {
        // ipSystemStatsDiscontinuityTime, ipSystemStatsRefreshRate in milliseconds
        let columns = [(46, Value::TimeTicks(0)), (47, refresh_rate.clone())];
        instances.row(IP_SYSTEM_STATS_ENTRY, &[version], columns);
    }
}

/// Packets that needed fragmentation, which the kernel counts by success: those that were fragmented, and those that could not be.
fn fragmented(fragmented: Option<u64>, failed: Option<u64>) -> Option<u64> {
    Some(fragmented?.wrapping_add(failed?))
}

/// The same of IPv6, of the host or of an interface.
pub(super) fn fragmented_ipv6(counters: &HashMap<String, u64>) -> Option<u64> {
    let counter = |name| counters.get(name).copied();
    fragmented(counter("Ip6FragOKs"), counter("Ip6FragFails"))
}

/// icmpStatsTable and icmpMsgStatsTable.
fn icmp_statistics(
    instances: &mut Instances,
    counters: &ProtocolCounters,
    ipv6: &HashMap<String, u64>,
) {
    // icmpStatsInMsgs, icmpStatsInErrors, icmpStatsOutMsgs, icmpStatsOutErrors
    for (column, name) in [
        (2, "InMsgs"),
        (3, "InErrors"),
        (4, "OutMsgs"),
        (5, "OutErrors"),
    ] {
        let of_ipv4 = counters.counter("Icmp", name);
        let of_ipv6 = ipv6.get(&format!("Icmp6{name}")).copied();
        for (version, value) in [(IPV4, of_ipv4), (IPV6, of_ipv6)] {
            let column = value.map(|value| (column, counter(value)));
            instances.row(ICMP_STATS_ENTRY, &[version], column);
        }
    }
    // icmpMsgStatsInPkts, icmpMsgStatsOutPkts: types that never came have no row, or one with a zero.
    for kind in 0..=255_u32 {
        let value = |direction: &str| {
            (
                counters.counter("IcmpMsg", &format!("{direction}Type{kind}")),
                ipv6.get(&format!("Icmp6{direction}Type{kind}")).copied(),
            )
        };
        let ((in_v4, in_v6), (out_v4, out_v6)) = (value("In"), value("Out"));
        for (version, received, sent) in [(IPV4, in_v4, out_v4), (IPV6, in_v6, out_v6)] {
            if received.is_some() || sent.is_some() {
                let columns = [
                    (3, counter(received.unwrap_or(0))),
                    (4, counter(sent.unwrap_or(0))),
                ];
                instances.row(ICMP_MSG_STATS_ENTRY, &[version, kind], columns);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_have_64_bits_where_there_is_such_an_object() {
        let counters = ProtocolCounters::parse(
            "Ip: InReceives FragOKs FragFails\nIp: 1 2 3\nTcp: InSegs OutSegs\nTcp: 4294967297 5\n\
             Udp: InDatagrams\nUdp: 4294967296\n",
        );
        let ipv6 = parse_ipv6_counters("Udp6InDatagrams 7\nIp6FragOKs 8\nIp6FragFails 1\n");
        let mut instances = Instances::default();
        scalars(&mut instances, &counters, &ipv6);
        let none = ProtocolCounters::default();
        system_statistics(&mut instances, &counters, &none, &ipv6, &gauge(1));
        instances.sort();
        let value = |object: &[u32], rest: &[u32]| instances.get(&[object, rest].concat()).cloned();
        for (object, number, expected) in [
            // tcpInSegs, tcpHCInSegs, tcpHCOutSegs, udpInDatagrams, udpHCInDatagrams, udpHCOutDatagrams
            (TCP, 10, Some(Value::Counter32(1))),
            (TCP, 17, Some(Value::Counter64(4_294_967_297))),
            (TCP, 18, Some(Value::Counter64(5))),
            (UDP, 1, Some(Value::Counter32(7))),
            (UDP, 8, Some(Value::Counter64(4_294_967_303))),
            (UDP, 9, None),
            // ipRoutingDiscards
            (IP, 23, Some(Value::Counter32(0))),
        ] {
            assert_eq!(value(object, &[number, 0]), expected, "{object:?} {number}");
        }
        for (version, expected) in [(IPV4, 5), (IPV6, 9)] {
            let found = value(IP_SYSTEM_STATS_ENTRY, &[OUT_FRAG_REQDS, version]);
            assert_eq!(found, Some(Value::Counter32(expected)));
        }
    }
}
