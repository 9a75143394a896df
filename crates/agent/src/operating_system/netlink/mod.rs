//! rtnetlink, generic netlink and sock_diag: links, their counters and speeds, addresses, neighbours, routes, the VLANs of
//! bridges and sockets, as the Linux kernel tells them.
//!
//! Only what the managed objects need is read. Attributes of an unexpected length are skipped, so that another kernel
//! costs a value and never the agent.

mod address;
mod bridge_vlan;
mod ethtool;
mod link;
mod message;
mod neighbor;
#[cfg(any(test, fuzzing))]
pub(super) mod properties;
mod request;
mod route;
mod socket;
mod socket_diagnosis;
mod statistics;

#[cfg(test)]
mod tests;

pub(crate) use address::{Address, Lifetimes, Scope, addresses};
pub(crate) use bridge_vlan::{VlanAddress, VlanMembership, bridge_vlans};
pub(crate) use ethtool::EthtoolSocket;
pub(crate) use link::{Link, LinkChange, OperationalState};
pub(crate) use neighbor::{Neighbor, NeighborState, neighbors};
pub(crate) use request::Request;
#[cfg(test)]
pub(crate) use route::NextHop;
pub(crate) use route::{Route, RouteKind, routes};
pub(crate) use socket::{NetlinkError, NetlinkSocket, Notifications};
pub(crate) use socket_diagnosis::{tcp_sockets, udp_sockets};
pub(crate) use statistics::LinkStatistics;
