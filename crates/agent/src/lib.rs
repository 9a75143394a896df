//! The varbind SNMP agent: configuration, operating system instrumentation, persistence.
//!
//! [`run`] is the whole daemon. It serves what the kernel tells of this host over netlink, and what its configuration
//! names. [`Instrumentation`] are its managed objects without sockets.
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod configuration;
mod configuration_datastore;
mod daemon;
mod data_type;
mod hexadecimal;
mod initialize;
mod instrumentation;
mod managed_objects;
mod notifications;
mod operating_system;
pub mod persistence;
mod seal;
mod user_keys;

pub use daemon::{AgentError, Checked, DEFAULT_CONFIGURATION, Options, check, run};
pub use initialize::{
    InitializeError, InitializeOptions, Initialized, InitializedFile, configuration_for_other_host,
    initialize,
};
pub use instrumentation::Instrumentation;
pub use managed_objects::RegistryError;
pub use seal::{SealError, Sealed, seal};
