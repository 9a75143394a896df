//! The tasks of studies, done by the laboratory's workloads.

mod laboratory;
mod sessions;

pub(super) use laboratory::Laboratory;
pub use sessions::SessionTask;
