#![doc = include_str!("../README.md")]
//! # Modules
//! - [`dispatcher`] takes messages from transports to applications and back; [`message_processing`] reads and writes them.
//! - [`security`] has the community-based, user-based and transport security models, [`access_control`] the views.
//! - [`applications`] are the command responder and generator, originators and receivers of notifications, and the proxy
//!   forwarder.
//! - [`instrumentation`] is the interface of managed objects, [`local_configuration`] what the engine is configured with.
//!
//! # Features
//! - `experiments`, off by default: `compression` of messages, which no standard has.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod access_control;
pub mod applications;
pub mod clock;
#[cfg(feature = "experiments")]
pub mod compression;
pub mod discard;
pub mod dispatcher;
pub mod engine_id;
pub mod instrumentation;
pub mod local_configuration;
pub mod message_processing;
pub mod security;
pub mod statistics;
pub mod transport;
