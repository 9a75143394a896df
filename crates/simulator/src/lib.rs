#![doc = include_str!("../README.md")]
//! # Modules
//! [`recording`] reads walks into tables, [`device`] has what each device has of its own, [`Simulation`] puts both together,
//! and a [`Player`] answers in the name of all devices.
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod device;
mod document;
mod interfaces;
mod player;
mod random;
pub mod recording;
mod report;
mod secure;
mod settings;
mod simulation;

pub use document::DocumentError;
pub use player::{Count, ListenError, Player, PlayerCounts};
pub use report::{FileReport, SimulationReport};
pub use secure::SecureServers;
pub use settings::{CONFIGURATION_FILE, SimulationSettings};
pub use simulation::{SimulatedUser, Simulation, SimulationError};
