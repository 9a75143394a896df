//! A fleet of devices, polled on a schedule: `varbind collect fleet.toml`.

mod board;
mod choice;
mod continuity;
mod device;
mod document;
mod error;
mod failure;
mod metrics;
mod page;
mod plan;
mod run;

pub use document::Prometheus;
pub use error::FleetError;
pub use page::Pages;
pub use plan::Plan;
pub use run::{Collector, Control};
