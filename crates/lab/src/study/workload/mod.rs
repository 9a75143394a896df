//! The tasks of studies, done by the laboratory's workloads.

mod laboratory;
mod link;
mod sessions;
mod web;

pub(super) use laboratory::Laboratory;
pub use link::{Change, LinkTask, Method, Path, Retrieval, TcpSettings, TwinTask};
pub use sessions::SessionTask;
pub use web::{WebCompression, WebQuestion, WebTask};
