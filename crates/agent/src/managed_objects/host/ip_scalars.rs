//! ipForwarding and ipDefaultTTL of IP-MIB (RFC 4293), and the same for IPv6.

use varbind_codec::smi::Value;

use super::Host;
use super::readings::Instances;
use crate::operating_system::host;

pub(super) const ROOTS: &[&[u32]] = &[
    IP_FORWARDING,
    IP_DEFAULT_TTL,
    IPV6_IP_FORWARDING,
    IPV6_IP_DEFAULT_HOP_LIMIT,
];

const IP_FORWARDING: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 1];
const IP_DEFAULT_TTL: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 2];
const IPV6_IP_FORWARDING: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 25];
const IPV6_IP_DEFAULT_HOP_LIMIT: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 26];

/// Adds what the kernel has; a host without IPv6 has no values for it.
pub(super) fn read(_: &Host, instances: &mut Instances) {
    // forwarding(1), notForwarding(2)
    let forwarding = |forwards| if forwards { 1 } else { 2 };
    for (object, value) in [
        (IP_FORWARDING, host::is_forwarding_ipv4().map(forwarding)),
        (IP_DEFAULT_TTL, host::default_ttl()),
        (
            IPV6_IP_FORWARDING,
            host::is_forwarding_ipv6().map(forwarding),
        ),
        (IPV6_IP_DEFAULT_HOP_LIMIT, host::default_hop_limit()),
    ] {
        if let Some(value) = value {
            instances.scalar(object, Value::Integer(value));
        }
    }
}
