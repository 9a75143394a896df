//! Requests across emulated links, in real and in virtual time.

mod admission;
mod controls;
mod course;
mod manager;
mod method;
mod network;
mod path;
mod repetition;
mod restart;
mod rounds;
mod run;
mod task;
mod tcp;
mod twin;

pub use method::Method;
pub use path::{Change, Path, SharedRate};
pub(super) use repetition::TimeSpent;
pub(super) use rounds::observe;
pub use task::{LinkTask, Restart, Retrieval, TcpSettings};
pub use twin::TwinTask;
