//! The varbind SNMP agent: configuration, operating system instrumentation, persistence.
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod configuration;
mod data_type;
mod managed_objects;
mod operating_system;
pub mod persistence;
