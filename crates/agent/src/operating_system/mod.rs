//! Data of the operating system: network interfaces, their counters, addresses, and the host itself.

mod bonds;
mod bridges;
mod disks;
mod file_systems;
pub(crate) mod host;
mod host_files;
mod interfaces;
mod netlink;
mod network_statistics;
mod packages;
mod processes;
mod processors;
#[cfg(any(test, fuzzing))]
pub(crate) mod properties;
mod reader_threads;
mod sampler;
mod sensors;
mod sockets;
mod up_time;

pub(crate) use bonds::{Bond, BondPort, bonds};
pub(crate) use bridges::{Bridge, BridgePort, bridges};
pub(crate) use disks::parse_disk_statistics;
pub(crate) use file_systems::{Mount, Usage, Usages, parse_mounts};
pub(crate) use host_files::HostRoot;
pub(crate) use interfaces::{
    HiddenInterfaces, Interface, InterfaceTable, Interfaces, LinkTransition,
};
pub(crate) use netlink::{
    Address, Lifetimes, LinkStatistics, Neighbor, NeighborState, OperationalState, Route,
    RouteKind, Scope, VlanAddress, VlanMembership, addresses, bridge_vlans, neighbors, routes,
};
#[cfg(test)]
pub(crate) use netlink::{Link, NextHop};
pub(crate) use network_statistics::{ProtocolCounters, parse_ipv6_counters};
pub(crate) use packages::{Package, Packages};
pub(crate) use processes::{Process, process_ids, processes, shortened};
pub(crate) use processors::{ProcessorTimes, parse_load_averages, parse_named_numbers};
pub(crate) use reader_threads::ReaderThreads;
pub(crate) use sampler::Sampler;
pub(crate) use sensors::{Quantity, Sensor, sensors};
pub(crate) use sockets::{Socket, tcp_sockets, udp_sockets};
pub(crate) use up_time::time_ticks;
