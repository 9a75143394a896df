//! ipIfStatsTable of IP-MIB (RFC 4293): packets of IPv6 by interface. Linux does not count those of IPv4 so.

use std::collections::HashMap;

use varbind_codec::smi::Value;

use super::network::{IPV6, OUT_FRAG_REQDS, SYSTEM_COLUMNS, fragmented_ipv6};
use super::readings::Instances;
use super::{Host, counter};
use crate::operating_system::{parse_ipv6_counters, time_ticks};

/// Apart from the other counters: hosts of containers have thousands of interfaces.
pub(super) const ROOTS: &[&[u32]] = &[IP_IF_STATS_TABLE_LAST_CHANGE, IP_IF_STATS_TABLE];

const IP_IF_STATS_TABLE_LAST_CHANGE: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 31, 2];
const IP_IF_STATS_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 31, 3];
const IP_IF_STATS_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 31, 3, 1];
/// ipSystemStatsOutNoRoutes, which the table of interfaces does not have.
const OUT_NO_ROUTES: u32 = 22;
const FILES: &str = "proc/net/dev_snmp6";

pub(super) fn read(host: &Host, instances: &mut Instances) {
    // Rows come and go with the interfaces.
    let changed = time_ticks(host.interfaces.snapshot().table_changed);
    instances.scalar(IP_IF_STATS_TABLE_LAST_CHANGE, Value::TimeTicks(changed));
    for name in host.root.names(FILES) {
        let counters = parse_ipv6_counters(&host.text(&format!("{FILES}/{name}")));
        row(instances, &counters, host.refresh_rate());
    }
}

fn row(instances: &mut Instances, counters: &HashMap<String, u64>, refresh_rate: Value) {
    let index = counters.get("ifIndex");
    let Some(index) = index.and_then(|&index| u32::try_from(index).ok()) else {
        return;
    };
    for (narrow, wide, _, name) in SYSTEM_COLUMNS {
        let Some(&value) = counters.get(name) else {
            continue;
        };
        if narrow != OUT_NO_ROUTES {
            let wide = wide.map(|wide| (wide, Value::Counter64(value)));
            let columns = [Some((narrow, counter(value))), wide];
            instances.row(
                IP_IF_STATS_ENTRY,
                &[IPV6, index],
                columns.into_iter().flatten(),
            );
        }
    }
    let fragmented = fragmented_ipv6(counters);
    let fragmented = fragmented.map(|value| (OUT_FRAG_REQDS, counter(value)));
    instances.row(IP_IF_STATS_ENTRY, &[IPV6, index], fragmented);
    // ipIfStatsDiscontinuityTime, ipIfStatsRefreshRate
    let columns = [(46, Value::TimeTicks(0)), (47, refresh_rate)];
    instances.row(IP_IF_STATS_ENTRY, &[IPV6, index], columns);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_has_the_counters_of_its_file() {
        let mut instances = Instances::default();
        let text = "ifIndex 7\nIp6InReceives 4294967299\nIp6OutNoRoutes 1\nIp6FragOKs 2\n\
                    Ip6FragFails 3\nbroken\n";
        for text in [text, "Ip6InReceives 1\n"] {
            row(
                &mut instances,
                &parse_ipv6_counters(text),
                Value::Gauge32(1),
            );
        }
        instances.sort();
        let value = |column| {
            let name = [IP_IF_STATS_ENTRY, &[column, IPV6, 7]].concat();
            instances.get(&name).cloned()
        };
        assert_eq!(value(3), Some(Value::Counter32(3)));
        assert_eq!(value(4), Some(Value::Counter64(4_294_967_299)));
        // ipIfStatsOutFragReqds, OutFragOKs, OutFragFails
        for (column, expected) in [(26, 5), (27, 2), (28, 3)] {
            assert_eq!(value(column), Some(Value::Counter32(expected)));
        }
        assert_eq!(instances.len(), 4 + 3);
    }
}
