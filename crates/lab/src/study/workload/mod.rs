//! The tasks of studies, done by the laboratory's workloads.

mod laboratory;
mod sessions;
mod web;

pub(super) use laboratory::Laboratory;
pub use sessions::SessionTask;
pub use web::{WebCompression, WebQuestion, WebTask};
