//! A fleet of devices, polled on a schedule: `varbind collect fleet.toml`.

mod board;
mod choice;
mod continuity;
mod device;
mod discovered;
mod document;
mod error;
mod failure;
mod health;
mod http_sd;
mod metrics;
mod notification;
mod page;
mod plan;
mod report;
mod run;
mod sharing;
mod traffic;

pub use discovered::Discovered;
pub use document::Prometheus;
pub use error::FleetError;
pub use notification::Intake;
pub use page::{Pages, Reload};
pub use plan::Plan;
pub use report::Report;
pub use run::{Collector, Control};
