//! The manager commands as users run them, against Net-SNMP's agent and beside Net-SNMP's tools.
#![cfg(test)]

mod administration;
mod against_net_snmp;
mod agent_check;
mod agent_log;
mod arguments;
#[cfg(feature = "collect")]
mod collect;
#[cfg(feature = "nats")]
mod collect_cluster;
#[cfg(feature = "collect")]
mod collect_faults;
#[cfg(feature = "collect")]
mod collect_fleet;
#[cfg(feature = "experiments")]
mod compression;
mod doctor;
mod doctor_secure;
mod doctor_ssh;
mod experiments;
mod failures;
mod front;
mod generated;
mod import;
mod initialize;
#[cfg(feature = "openssl-tls")]
mod legacy_tls;
mod mistakes;
mod net_snmp_tools;
mod own_agent;
mod pki;
mod program;
mod retries;
mod secure_transports;
mod service;
mod silent;
mod snmpd;
mod squid;
mod tables;
mod transport_modules;
mod users;
mod views_of_a_host;
mod web;
mod whole_trees;
