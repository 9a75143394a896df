//! The network interfaces of this host and their addresses, kept up to date.
//!
//! Links are read once and then followed by the kernel's notifications, addresses read again when the kernel says that
//! they changed, counters read when somebody asks and what is there is too old. Readers get an immutable snapshot and
//! never wait.

mod filter;
mod follower;
mod if_type;
mod interface;
mod monitor;
mod reader;
mod snapshot;
mod table;
mod transition;

pub(crate) use filter::HiddenInterfaces;
pub(crate) use interface::Interface;
pub(crate) use monitor::Interfaces;
pub(crate) use table::InterfaceTable;
pub(crate) use transition::LinkTransition;
