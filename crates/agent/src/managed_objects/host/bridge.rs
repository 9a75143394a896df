//! BRIDGE-MIB (RFC 4188): the first bridge of the host, for the MIB has room for one.

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, ZERO_DOT_ZERO, counter, integer, object_identifier};
use crate::operating_system::{Bridge, BridgePort, bridges};

pub(super) const ROOTS: &[&[u32]] = &[BASE, STP, TP];

const BASE: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 1];
const BASE_PORT_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 1, 4, 1];
const STP: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 2];
const STP_PORT_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 2, 15, 1];
const TP: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 4];
const TP_FDB_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 17, 4, 3, 1];

/// dot1dBaseType: transparent-only(2).
const TRANSPARENT_ONLY: i32 = 2;
/// dot1dStpProtocolSpecification: unknown(1), ieee8021d(3).
const UNKNOWN: i32 = 1;
const IEEE_802_1D: i32 = 3;
/// dot1dStpHoldTime: the kernel sends at most one message a second from a port.
const HOLD_TIME: i32 = 100;

pub(super) fn read(host: &Host, instances: &mut Instances) {
    // Other bridges would be other contexts (RFC 4188 section 1).
    let Some(bridge) = bridges(&host.root).into_iter().next() else {
        return;
    };
    scalars(instances, &bridge);
    for port in &bridge.ports {
        port_rows(instances, &bridge, port);
    }
    for entry in &bridge.addresses {
        let index = entry.address.map(u32::from);
        // dot1dTpFdbStatus: learned(3), self(4)
        let status = if entry.is_local { 4 } else { 3 };
        let columns = [
            // dot1dTpFdbAddress, Port, Status
            (1, Value::OctetString(entry.address.to_vec())),
            (2, integer(entry.port)),
            (3, Value::Integer(status)),
        ];
        instances.row(TP_FDB_ENTRY, &index, columns);
    }
}

fn scalars(instances: &mut Instances, bridge: &Bridge) {
    let base = [
        // dot1dBaseBridgeAddress, NumPorts, Type
        (1, Value::OctetString(bridge.id.address.to_vec())),
        (2, integer(bridge.ports.len())),
        (3, Value::Integer(TRANSPARENT_ONLY)),
    ];
    instances.group(BASE, base);
    let specification = if bridge.has_spanning_tree {
        IEEE_802_1D
    } else {
        UNKNOWN
    };
    let times = [bridge.max_age, bridge.hello_time, bridge.forward_delay];
    let [max_age, hello_time, forward_delay] = times.map(integer);
    let stp = [
        // dot1dStpProtocolSpecification, Priority, DesignatedRoot, RootCost, RootPort
        (1, Value::Integer(specification)),
        (2, integer(bridge.id.priority)),
        (5, Value::OctetString(bridge.designated_root.octets())),
        (6, integer(bridge.root_path_cost)),
        (7, integer(bridge.root_port)),
        // dot1dStpMaxAge, HelloTime, HoldTime, ForwardDelay
        (8, max_age.clone()),
        (9, hello_time.clone()),
        (10, Value::Integer(HOLD_TIME)),
        (11, forward_delay.clone()),
        // dot1dStpBridgeMaxAge, BridgeHelloTime, BridgeForwardDelay
        (12, max_age),
        (13, hello_time),
        (14, forward_delay),
    ];
    instances.group(STP, stp);
    // dot1dTpAgingTime, in seconds
    instances.group(TP, [(2, integer(bridge.ageing_time / 100))]);
}

fn port_rows(instances: &mut Instances, bridge: &Bridge, port: &BridgePort) {
    let index = [port.number];
    let columns = [
        // dot1dBasePort, PortIfIndex, PortCircuit, PortDelayExceededDiscards, PortMtuExceededDiscards
        (1, integer(port.number)),
        (2, integer(port.link)),
        (3, object_identifier(ZERO_DOT_ZERO)),
        (4, counter(0)),
        (5, counter(0)),
    ];
    instances.row(BASE_PORT_ENTRY, &index, columns);
    if !bridge.has_spanning_tree {
        return;
    }
    let columns = [
        // dot1dStpPort, PortPriority, PortState, PortEnable: enabled(1), disabled(2)
        (1, integer(port.number)),
        (2, integer(port.priority)),
        (3, Value::Integer(state(port.state))),
        (4, Value::Integer(if port.state == 0 { 2 } else { 1 })),
        // dot1dStpPortPathCost: at most 65535; PortDesignatedRoot, Cost, Bridge, Port
        (5, integer(port.path_cost.min(65_535))),
        (6, Value::OctetString(port.designated_root.octets())),
        (7, integer(port.designated_cost)),
        (8, Value::OctetString(port.designated_bridge.octets())),
        (
            9,
            Value::OctetString(port.designated_port.to_be_bytes().to_vec()),
        ),
        // dot1dStpPortPathCost32
        (11, integer(port.path_cost)),
    ];
    instances.row(STP_PORT_ENTRY, &index, columns);
}

/// dot1dStpPortState: disabled(1), listening(3), learning(4), forwarding(5), blocking(2), broken(6).
const fn state(kernel: u32) -> i32 {
    match kernel {
        0 => 1,
        1 => 3,
        2 => 4,
        3 => 5,
        4 => 2,
        _ => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_in_the_table_of_the_spanning_tree_only_where_there_is_one() {
        let port = BridgePort {
            number: 1,
            link: 7,
            state: 3,
            path_cost: 200_000,
            ..BridgePort::default()
        };
        for has_spanning_tree in [false, true] {
            let bridge = Bridge {
                has_spanning_tree,
                ..Bridge::default()
            };
            let mut instances = Instances::default();
            port_rows(&mut instances, &bridge, &port);
            instances.sort();
            let value =
                |entry: &[u32], column| instances.get(&[entry, &[column, 1]].concat()).cloned();
            assert_eq!(value(BASE_PORT_ENTRY, 2), Some(Value::Integer(7)));
            let of_tree = [3, 5, 11].map(|column| value(STP_PORT_ENTRY, column));
            let expected = [5, 65_535, 200_000];
            assert_eq!(
                of_tree,
                expected.map(|value| has_spanning_tree.then_some(Value::Integer(value)))
            );
        }
    }
}
