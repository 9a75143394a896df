//! The whole daemon in a process of its own, asked by Net-SNMP's tools.

mod interfaces;
mod process;
mod reload;
mod sets;
mod start;
