#![doc = include_str!("../README.md")]
//! # Where the values come from
//! The server reads the agent's objects by [`ObjectAccess`](varbind::agent::ObjectAccess): it does not poll, and keeps no
//! copy of anything. [`client`] is the other side.
//!
//! # Features
//! - `experiments`, off by default: SOAP, which studies compare with SNMP.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod access;
mod body;
pub mod client;
mod coding;
mod connection;
mod host;
mod limits;
mod metrics;
mod resources;
mod restconf;
mod routes;
mod schema;
mod server;
#[cfg(feature = "experiments")]
mod soap;
mod value;
mod write_timeout;
mod xml;

pub use body::Answer;
pub use host::{HostName, ParseHostNameError};
pub use limits::Limits;
pub use metrics::{MetricFamily, metric_families};
pub use server::{Listen, WebServer};
#[cfg(feature = "experiments")]
pub use soap::{IfRows, SoapCodec};
