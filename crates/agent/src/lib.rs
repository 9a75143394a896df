//! The varbind SNMP agent: configuration, operating system instrumentation, persistence.
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod operating_system;
