//! The whole daemon in a process of its own, asked by Net-SNMP's tools.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what fails here fails the test"
)]

mod configuration_tables;
mod confinement;
mod disk_numbers;
mod extend;
mod host_network;
mod host_objects;
mod host_peers;
mod import;
mod interfaces;
mod notifications;
mod pollers;
mod process;
mod proxy;
mod reload;
mod secure_transports;
mod sets;
mod snmp_exporter;
mod snmpd;
mod start;
mod subagent_peers;
mod subagents;
mod targets;
mod users;
mod web;
mod yang;
mod zabbix;
