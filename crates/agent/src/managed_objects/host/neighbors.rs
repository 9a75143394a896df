//! ipNetToPhysicalTable of IP-MIB (RFC 4293), and the older ipNetToMediaTable: other hosts on the links of this one.

use std::net::IpAddr;

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, integer};
use crate::managed_objects::address_tables::inet_address;
use crate::operating_system::{Neighbor, NeighborState, neighbors};

pub(super) const ROOTS: &[&[u32]] = &[IP_NET_TO_MEDIA_TABLE, IP_NET_TO_PHYSICAL_TABLE];

const IP_NET_TO_MEDIA_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 22];
const IP_NET_TO_MEDIA_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 22, 1];
const IP_NET_TO_PHYSICAL_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 35];
const IP_NET_TO_PHYSICAL_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 35, 1];
/// ipNetToPhysicalType, and ipNetToMediaType alike.
const INVALID: i32 = 2;
const DYNAMIC: i32 = 3;
const STATIC: i32 = 4;
/// RowStatus: active(1).
const ACTIVE: i32 = 1;

pub(super) fn read(_: &Host, instances: &mut Instances) {
    for neighbor in neighbors() {
        rows(instances, &neighbor);
    }
}

fn rows(instances: &mut Instances, neighbor: &Neighbor) {
    let (kind, state) = kind_and_state(neighbor.state);
    let physical_address = Value::OctetString(neighbor.physical_address.clone());
    // The interface is in the index, so that the address needs no zone.
    let address = inet_address(neighbor.address, None);
    let index = [&[neighbor.link][..], &address].concat();
    let columns = [
        // ipNetToPhysicalPhysAddress, LastUpdated: 0, for the kernel's times have another origin
        (4, physical_address.clone()),
        (5, Value::TimeTicks(0)),
        // ipNetToPhysicalType, State, RowStatus
        (6, Value::Integer(kind)),
        (7, Value::Integer(state)),
        (8, Value::Integer(ACTIVE)),
    ];
    instances.row(IP_NET_TO_PHYSICAL_ENTRY, &index, columns);
    let IpAddr::V4(address) = neighbor.address else {
        return;
    };
    let octets = address.octets();
    let index = [&[neighbor.link][..], &octets.map(u32::from)].concat();
    let columns = [
        // ipNetToMediaIfIndex, PhysAddress, NetAddress, Type
        (1, integer(neighbor.link)),
        (2, physical_address),
        (3, Value::IpAddress(octets)),
        (4, Value::Integer(kind)),
    ];
    instances.row(IP_NET_TO_MEDIA_ENTRY, &index, columns);
}

/// ipNetToPhysicalType and ipNetToPhysicalState.
const fn kind_and_state(state: NeighborState) -> (i32, i32) {
    match state {
        NeighborState::Reachable => (DYNAMIC, 1),
        NeighborState::Stale => (DYNAMIC, 2),
        NeighborState::Delay => (DYNAMIC, 3),
        NeighborState::Probe => (DYNAMIC, 4),
        NeighborState::Failed => (INVALID, 5),
        NeighborState::Incomplete => (DYNAMIC, 7),
        // An entry of the administrator is never checked: reachable(1), as RFC 4293 has it.
        NeighborState::Permanent => (STATIC, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_of_ipv6_are_in_the_newer_table_alone() {
        let neighbor = |address: &str, state| Neighbor {
            link: 3,
            address: address.parse().unwrap(),
            physical_address: vec![2, 0, 0, 0, 0, 1],
            state,
        };
        let mut instances = Instances::default();
        rows(
            &mut instances,
            &neighbor("192.0.2.7", NeighborState::Permanent),
        );
        rows(
            &mut instances,
            &neighbor("2001:db8::7", NeighborState::Failed),
        );
        instances.sort();
        let value = |entry: &[u32], rest: &[u32]| instances.get(&[entry, rest].concat()).cloned();
        assert_eq!(
            value(IP_NET_TO_MEDIA_ENTRY, &[4, 3, 192, 0, 2, 7]),
            Some(Value::Integer(STATIC))
        );
        assert_eq!(
            value(IP_NET_TO_PHYSICAL_ENTRY, &[4, 3, 1, 4, 192, 0, 2, 7]),
            Some(Value::OctetString(vec![2, 0, 0, 0, 0, 1]))
        );
        let of_ipv6 = [&[7, 3, 2, 16, 0x20, 0x01, 0x0d, 0xb8][..], &[0; 11], &[7]].concat();
        assert_eq!(
            value(IP_NET_TO_PHYSICAL_ENTRY, &of_ipv6),
            Some(Value::Integer(5))
        );
        assert_eq!(instances.len(), 4 + 5 + 5);
    }
}
