//! The commands trap, inform and receive as users run them, alone and with Net-SNMP's tools.
#![cfg(test)]

mod agent;
mod controls;
mod exec;
mod net_snmp;
mod output;
mod program;
mod receive;
mod send;
mod service;
mod users;
