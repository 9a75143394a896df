//! IEEE8023-LAG-MIB: bonds and the links that they are made of.

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, integer};
use crate::managed_objects::{FALSE, TRUE};
use crate::operating_system::{Bond, BondPort, bonds};

pub(super) const ROOTS: &[&[u32]] = &[AGGREGATORS, AGGREGATION_PORTS];

/// dot3adAgg, with dot3adAggTable and dot3adAggPortListTable, and dot3adAggPort.
const AGGREGATORS: &[u32] = &[1, 2, 840, 10006, 300, 43, 1, 1];
const AGG_ENTRY: &[u32] = &[1, 2, 840, 10006, 300, 43, 1, 1, 1, 1];
const AGG_PORT_LIST_ENTRY: &[u32] = &[1, 2, 840, 10006, 300, 43, 1, 1, 2, 1];
const AGGREGATION_PORTS: &[u32] = &[1, 2, 840, 10006, 300, 43, 1, 2];
const AGG_PORT_ENTRY: &[u32] = &[1, 2, 840, 10006, 300, 43, 1, 2, 1, 1];
/// A bit for each port is too long a text for ports with larger numbers.
const LARGEST_PORT: u32 = 4096;

pub(super) fn read(host: &Host, instances: &mut Instances) {
    for bond in bonds(&host.root) {
        aggregator_rows(instances, &bond);
        for port in &bond.ports {
            port_row(instances, bond.link, port);
        }
    }
}

fn aggregator_rows(instances: &mut Instances, bond: &Bond) {
    let index = [bond.link];
    let is_aggregate = if bond.ports.len() > 1 { TRUE } else { FALSE };
    let columns = [
        // dot3adAggMACAddress, AggregateOrIndividual
        (2, Value::OctetString(bond.address.clone())),
        (5, Value::Integer(is_aggregate)),
    ];
    instances.row(AGG_ENTRY, &index, columns);
    if let Some(aggregator) = &bond.aggregator {
        let columns = [
            // dot3adAggActorOperKey, PartnerSystemID, PartnerOperKey
            (7, integer(aggregator.actor_key)),
            (8, Value::OctetString(aggregator.partner_address.clone())),
            (10, integer(aggregator.partner_key)),
        ];
        instances.row(AGG_ENTRY, &index, columns);
    }
    // dot3adAggPortListPorts
    let list = Value::OctetString(port_list(&bond.ports));
    instances.row(AGG_PORT_LIST_ENTRY, &index, [(1, list)]);
}

/// A PortList (RFC 4363): a bit for each port, port 1 the highest of the first octet.
fn port_list(ports: &[BondPort]) -> Vec<u8> {
    let mut list = Vec::new();
    let numbers = ports.iter().filter_map(|port| port.link.checked_sub(1));
    for number in numbers.filter(|&number| number < LARGEST_PORT) {
        let at = number as usize / 8;
        if list.len() <= at {
            list.resize(at + 1, 0);
        }
        if let Some(octet) = list.get_mut(at) {
            *octet |= 0x80_u8 >> (number % 8);
        }
    }
    list
}

fn port_row(instances: &mut Instances, bond: u32, port: &BondPort) {
    let columns = [
        // dot3adAggPortSelectedAggID, AttachedAggID, AggregateOrIndividual
        (12, integer(bond)),
        (13, integer(bond)),
        (24, Value::Integer(TRUE)),
    ];
    instances.row(AGG_PORT_ENTRY, &[port.link], columns);
    if let Some((actor, partner)) = port.states {
        // Of BITS the first is the highest.
        let state = |state: u8| Value::OctetString(vec![state.reverse_bits()]);
        // dot3adAggPortActorOperState, PartnerOperState
        let columns = [(21, state(actor)), (23, state(partner))];
        instances.row(AGG_PORT_ENTRY, &[port.link], columns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_bits_of_a_list() {
        let port = |link| BondPort { link, states: None };
        assert_eq!(port_list(&[port(1), port(8), port(10)]), [0x81, 0x40]);
        assert!(port_list(&[port(0), port(u32::MAX)]).is_empty());
    }

    #[test]
    fn states_of_lacp_are_bits() {
        let mut instances = Instances::default();
        let port = BondPort {
            link: 3,
            states: Some((0x3d, 0x01)),
        };
        port_row(&mut instances, 8, &port);
        instances.sort();
        let value = |column| {
            instances
                .get(&[AGG_PORT_ENTRY, &[column, 3]].concat())
                .cloned()
        };
        assert_eq!(value(13), Some(Value::Integer(8)));
        assert_eq!(value(21), Some(Value::OctetString(vec![0xbc])));
        assert_eq!(value(23), Some(Value::OctetString(vec![0x80])));
    }
}
