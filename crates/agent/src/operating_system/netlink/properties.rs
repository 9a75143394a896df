//! What must hold of anything that comes from a netlink socket.

use super::bridge_vlan::{VlanAddress, VlanMembership};
use super::message::{Attributes, Messages};
use super::{Address, LinkChange, LinkStatistics, Neighbor, Route, ethtool, socket_diagnosis};

/// What the kernel tells of links, addresses, neighbours, routes, VLANs and sockets.
pub fn messages(octets: &[u8]) {
    for message in Messages::new(octets) {
        let _ = LinkChange::decode(&message);
        let _ = LinkStatistics::decode(&message);
        let _ = Address::decode(&message);
        let _ = Address::is_change(&message);
        let _ = Neighbor::decode(&message);
        let _ = Route::decode(&message);
        let _ = VlanMembership::decode(&message);
        let _ = VlanAddress::decode(&message);
        let _ = ethtool::decode(&message);
        let _ = socket_diagnosis::decode(&message);
        Attributes::new(message.payload).for_each(drop);
    }
}
