use std::sync::Arc;

use varbind_codec::smi::OwnedValue;
use varbind_engine::statistics::{Counter, Statistics};

use super::Objects;
use crate::operating_system::{Interfaces, host, time_ticks};

const IF_NUMBER: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 1];
const IF_TABLE_LAST_CHANGE: &[u32] = &[1, 3, 6, 1, 2, 1, 31, 1, 5];
const IF_STACK_LAST_CHANGE: &[u32] = &[1, 3, 6, 1, 2, 1, 31, 1, 6];
const IP_FORWARDING: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 1];
const IP_DEFAULT_TTL: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 2];
const IPV6_IP_FORWARDING: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 25];
const IPV6_IP_DEFAULT_HOP_LIMIT: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 26];

/// The counters of the engine by the names of their objects (RFC 3418, RFC 3412, RFC 3413).
const COUNTERS: [(&[u32], Counter); 9] = [
    (&[1, 3, 6, 1, 2, 1, 11, 1], Counter::SnmpInPkts),
    (&[1, 3, 6, 1, 2, 1, 11, 3], Counter::SnmpInBadVersions),
    (&[1, 3, 6, 1, 2, 1, 11, 4], Counter::SnmpInBadCommunityNames),
    (&[1, 3, 6, 1, 2, 1, 11, 5], Counter::SnmpInBadCommunityUses),
    (&[1, 3, 6, 1, 2, 1, 11, 6], Counter::SnmpInAsnParseErrs),
    (&[1, 3, 6, 1, 2, 1, 11, 31], Counter::SnmpSilentDrops),
    (&[1, 3, 6, 1, 2, 1, 11, 32], Counter::SnmpProxyDrops),
    (
        &[1, 3, 6, 1, 6, 3, 11, 2, 1, 3],
        Counter::SnmpUnknownPduHandlers,
    ),
    (&[1, 3, 6, 1, 6, 3, 12, 1, 5], Counter::SnmpUnknownContexts),
];

pub(super) fn counters(objects: &mut Objects, statistics: &Arc<Statistics>) {
    for (object, counter) in COUNTERS {
        let statistics = Arc::clone(statistics);
        objects.computed(object, move || {
            Some(OwnedValue::Counter32(statistics.counter32(counter)))
        });
    }
}

pub(super) fn interface_scalars(objects: &mut Objects, interfaces: &Arc<Interfaces>) {
    let watched = Arc::clone(interfaces);
    objects.computed(IF_NUMBER, move || {
        let number = watched.snapshot().table.len();
        Some(OwnedValue::Integer(
            i32::try_from(number).unwrap_or(i32::MAX),
        ))
    });
    let watched = Arc::clone(interfaces);
    objects.computed(IF_TABLE_LAST_CHANGE, move || {
        Some(OwnedValue::TimeTicks(time_ticks(
            watched.snapshot().table_changed,
        )))
    });
    let watched = Arc::clone(interfaces);
    objects.computed(IF_STACK_LAST_CHANGE, move || {
        Some(OwnedValue::TimeTicks(time_ticks(
            watched.snapshot().stack_changed,
        )))
    });
}

/// forwarding(1), notForwarding(2) (RFC 4293).
fn forwarding(is_forwarding: Option<bool>) -> Option<OwnedValue> {
    is_forwarding.map(|forwards| OwnedValue::Integer(if forwards { 1 } else { 2 }))
}

/// The scalars of IP that the kernel has; a host without IPv6 has none for it.
pub(super) fn ip_scalars(objects: &mut Objects) {
    if host::is_forwarding_ipv4().is_some() {
        objects.computed(IP_FORWARDING, || forwarding(host::is_forwarding_ipv4()));
        objects.computed(IP_DEFAULT_TTL, || {
            host::default_ttl().map(OwnedValue::Integer)
        });
    }
    if host::is_forwarding_ipv6().is_some() {
        objects.computed(
            IPV6_IP_FORWARDING,
            || forwarding(host::is_forwarding_ipv6()),
        );
        objects.computed(IPV6_IP_DEFAULT_HOP_LIMIT, || {
            host::default_hop_limit().map(OwnedValue::Integer)
        });
    }
}
