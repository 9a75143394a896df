//! Q-BRIDGE-MIB (RFC 4363): the VLANs of the first bridge of the host, where it tells frames apart by them.

use std::collections::BTreeMap;

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, counter, gauge, integer};
use crate::operating_system::{Bridge, VlanAddress, VlanMembership, bridge_vlans, bridges};

pub(super) const ROOTS: &[&[u32]] = &[Q_BRIDGE];

const Q_BRIDGE: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 7];
const BASE: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 7, 1, 1];
const FDB_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 7, 1, 2, 1, 1];
const TP_FDB_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 7, 1, 2, 2, 1];
const VLAN_CURRENT_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 7, 1, 4, 2, 1];
const VLAN_STATIC_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 7, 1, 4, 3, 1];
const PORT_VLAN_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 7, 1, 4, 5, 1];

/// The largest number of a VLAN (IEEE 802.1Q), and as many can be.
const MOST_VLANS: u16 = 4094;
/// dot1qVlanVersionNumber: version1(1).
const VERSION_1: i32 = 1;
/// EnabledStatus and TruthValue.
const DISABLED: i32 = 2;
const TRUE: i32 = 1;
const FALSE: i32 = 2;
/// dot1qVlanStatus: permanent(2). RowStatus: active(1).
const PERMANENT: i32 = 2;
const ACTIVE: i32 = 1;

pub(super) fn read(host: &Host, instances: &mut Instances) {
    // Other bridges would be other contexts (RFC 4188 section 1).
    let first = bridges(&host.root).into_iter().next();
    if let Some(bridge) = first.filter(|bridge| bridge.filters_vlans) {
        let (mut memberships, mut addresses) = bridge_vlans();
        memberships.retain(|membership| membership.bridge == bridge.link);
        addresses.retain(|address| address.bridge == bridge.link);
        rows(instances, &bridge, &memberships, &addresses);
    }
}

fn rows(
    instances: &mut Instances,
    bridge: &Bridge,
    memberships: &[VlanMembership],
    addresses: &[VlanAddress],
) {
    let mut vlans = BTreeMap::<u16, Vec<&VlanMembership>>::new();
    for membership in memberships {
        vlans.entry(membership.vlan).or_default().push(membership);
    }
    let base = [
        // dot1qVlanVersionNumber, MaxVlanId, MaxSupportedVlans, NumVlans, GvrpStatus
        (1, Value::Integer(VERSION_1)),
        (2, integer(MOST_VLANS)),
        (3, gauge(MOST_VLANS.into())),
        (4, gauge(vlans.len() as u64)),
        (5, Value::Integer(DISABLED)),
    ];
    instances.group(BASE, base);
    for (&vlan, members) in &vlans {
        vlan_rows(instances, bridge, vlan, members);
        let learned = |address: &&VlanAddress| address.vlan == vlan && !address.is_local;
        let learned = addresses.iter().filter(learned).count();
        // dot1qFdbDynamicCount: each VLAN learns for itself
        let columns = [(2, counter(learned as u64))];
        instances.row(FDB_ENTRY, &[vlan.into()], columns);
    }
    for address in addresses {
        let index = [
            &[u32::from(address.vlan)][..],
            &address.address.map(u32::from),
        ];
        let columns = [
            // dot1qTpFdbPort, dot1qTpFdbStatus: learned(3), self(4)
            (2, integer(bridge.port_number(address.link).unwrap_or(0))),
            (3, Value::Integer(if address.is_local { 4 } else { 3 })),
        ];
        instances.row(TP_FDB_ENTRY, &index.concat(), columns);
    }
    for port in &bridge.ports {
        let mut of_port = memberships.iter().filter(|one| one.link == port.link);
        let pvid = of_port.find(|one| one.is_pvid).map(|one| one.vlan);
        // dot1qPvid
        let columns = pvid.map(|vlan| (1, gauge(vlan.into())));
        instances.row(PORT_VLAN_ENTRY, &[port.number], columns);
        let columns = [
            // dot1qPortAcceptableFrameTypes: admitAll(1), admitOnlyVlanTagged(2)
            (2, Value::Integer(if pvid.is_some() { 1 } else { 2 })),
            // dot1qPortIngressFiltering, GvrpStatus, GvrpFailedRegistrations, GvrpLastPduOrigin
            (3, Value::Integer(TRUE)),
            (4, Value::Integer(DISABLED)),
            (5, counter(0)),
            (6, Value::OctetString(vec![0; 6])),
            // dot1qPortRestrictedVlanRegistration
            (7, Value::Integer(FALSE)),
        ];
        instances.row(PORT_VLAN_ENTRY, &[port.number], columns);
    }
}

fn vlan_rows(instances: &mut Instances, bridge: &Bridge, vlan: u16, members: &[&VlanMembership]) {
    let ports = |is_listed: fn(&VlanMembership) -> bool| {
        let listed = members.iter().filter(|member| is_listed(member));
        port_list(
            bridge,
            listed.filter_map(|member| bridge.port_number(member.link)),
        )
    };
    let (egress, untagged) = (ports(|_| true), ports(|member| member.is_untagged));
    // What changed when is not known: dot1qVlanTimeMark is 0.
    let index = [0, vlan.into()];
    let columns = [
        // dot1qVlanFdbId, CurrentEgressPorts, CurrentUntaggedPorts, Status, CreationTime
        (3, gauge(vlan.into())),
        (4, egress.clone()),
        (5, untagged.clone()),
        (6, Value::Integer(PERMANENT)),
        (7, Value::TimeTicks(0)),
    ];
    instances.row(VLAN_CURRENT_ENTRY, &index, columns);
    let columns = [
        // dot1qVlanStaticName: the kernel has none; EgressPorts, ForbiddenEgressPorts, UntaggedPorts, RowStatus
        (1, Value::OctetString(Vec::new())),
        (2, egress),
        (3, port_list(bridge, std::iter::empty())),
        (4, untagged),
        (5, Value::Integer(ACTIVE)),
    ];
    instances.row(VLAN_STATIC_ENTRY, &[vlan.into()], columns);
}

/// PortList (RFC 4363): a bit for each port of the bridge, the highest of the first octet for port 1.
fn port_list(bridge: &Bridge, listed: impl Iterator<Item = u32>) -> Value {
    let last = bridge.ports.iter().map(|port| port.number).max();
    let length = last.unwrap_or(0).div_ceil(8);
    let mut octets = vec![0_u8; usize::try_from(length).unwrap_or(0)];
    for port in listed {
        let bit = port.wrapping_sub(1);
        let octet = usize::try_from(bit / 8).ok();
        if let Some(octet) = octet.and_then(|at| octets.get_mut(at)) {
            *octet |= 0x80 >> (bit % 8);
        }
    }
    Value::OctetString(octets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operating_system::BridgePort;

    #[test]
    fn vlans_ports_and_addresses_have_rows() {
        let port = |number, link| BridgePort {
            number,
            link,
            ..BridgePort::default()
        };
        let bridge = Bridge {
            link: 7,
            ports: vec![port(1, 3), port(10, 4)],
            ..Bridge::default()
        };
        let member = |link, vlan, is_untagged| VlanMembership {
            bridge: 7,
            link,
            vlan,
            is_untagged,
            is_pvid: is_untagged,
        };
        let memberships = [
            member(7, 1, true),
            member(3, 1, true),
            member(3, 20, false),
            member(4, 20, false),
        ];
        let address = |link, is_local| VlanAddress {
            bridge: 7,
            link,
            vlan: 20,
            address: [2, 0, 0, 0, 0, u8::from(is_local)],
            is_local,
        };
        let addresses = [address(4, false), address(7, true)];
        let mut instances = Instances::default();
        rows(&mut instances, &bridge, &memberships, &addresses);
        instances.sort();
        let value = |entry: &[u32], index: &[u32]| instances.get(&[entry, index].concat()).cloned();
        assert_eq!(value(BASE, &[4, 0]), Some(Value::Gauge32(2)));
        let ports = |octets: [u8; 2]| Some(Value::OctetString(octets.to_vec()));
        assert_eq!(value(VLAN_CURRENT_ENTRY, &[4, 0, 20]), ports([0x80, 0x40]));
        assert_eq!(value(VLAN_CURRENT_ENTRY, &[5, 0, 20]), ports([0, 0]));
        assert_eq!(value(VLAN_STATIC_ENTRY, &[4, 1]), ports([0x80, 0]));
        assert_eq!(value(PORT_VLAN_ENTRY, &[1, 1]), Some(Value::Gauge32(1)));
        assert_eq!(value(PORT_VLAN_ENTRY, &[1, 10]), None);
        assert_eq!(value(PORT_VLAN_ENTRY, &[2, 10]), Some(Value::Integer(2)));
        assert_eq!(value(FDB_ENTRY, &[2, 20]), Some(Value::Counter32(1)));
        let learned = value(TP_FDB_ENTRY, &[2, 20, 2, 0, 0, 0, 0, 0]);
        assert_eq!(learned, Some(Value::Integer(10)));
        let own = value(TP_FDB_ENTRY, &[3, 20, 2, 0, 0, 0, 0, 1]);
        assert_eq!(own, Some(Value::Integer(4)));
    }
}
