#![doc = include_str!("../README.md")]
//! # Modules
//! [`configuration`] is the file, [`persistence`] what Sets and engine boots are kept in, and [`Instrumentation`] the managed
//! objects without sockets. [`initialize`] makes certificates, an administrator and a configuration; [`seal`] puts keys in
//! the place of passwords.
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod agentx;
pub mod configuration;
mod configuration_datastore;
mod confinement;
mod daemon;
mod data_type;
mod error;
mod extensions;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod hexadecimal;
mod import;
mod initialize;
mod instrumentation;
mod latest_requests;
mod local_configuration;
mod managed_objects;
mod monitors;
mod notifications;
mod operating_system;
pub mod persistence;
mod proxy;
#[cfg(test)]
mod reference;
mod seal;
pub mod service_manager;
mod user_keys;

pub use configuration::DEFAULT_CONFIGURATION;
pub use confinement::{ConfinementError, RunnerCommand};
pub use daemon::{Checked, Front, Options, check, run};
pub use error::AgentError;
pub use extensions::{RunnerError, run_programs};
pub use import::{ImportError, ImportNote, ImportOptions, Imported, import, keep_identity};
pub use initialize::{
    InitializeError, InitializeOptions, Initialized, InitializedFile, configuration_for_other_host,
    initialize,
};
pub use instrumentation::Instrumentation;
pub use managed_objects::RegistryError;
pub use seal::{SealError, Sealed, seal};
