#![doc = include_str!("../README.md")]
//! # Modules
//! - [`module`] reads `snmp.yml`, [`poll`] queries an agent, [`scrape`] makes series of its objects, [`exposition`] writes them.
//! - [`exporter`] serves scrapes as snmp_exporter does. [`fleet`] polls by the [`schedule`] and sends to an [`output`].
//! - [`cluster`] shares a fleet among collectors, and [`scale`] runs such a cluster in virtual time.
//!
//! # Features
//! All are off by default: `nats` (NATS JetStream: an output, and clusters), `kafka` (an output) and `parquet` (files).
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod agents;
pub mod cluster;
pub mod exporter;
pub mod exposition;
pub mod fleet;
pub mod module;
#[cfg(feature = "nats")]
pub mod nats;
pub mod output;
pub mod poll;
pub mod scale;
pub mod schedule;
pub mod scrape;
