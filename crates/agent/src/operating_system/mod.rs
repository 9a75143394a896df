//! What the operating system tells: network interfaces, their counters, addresses, and the host itself.

pub(crate) mod host;
mod interfaces;
mod netlink;
mod up_time;

pub(crate) use interfaces::{Interface, InterfaceTable, Interfaces, LinkTransition};
#[cfg(test)]
pub(crate) use netlink::Link;
pub(crate) use netlink::{Address, Lifetimes, LinkStatistics, OperationalState, Scope, addresses};
pub(crate) use up_time::time_ticks;
