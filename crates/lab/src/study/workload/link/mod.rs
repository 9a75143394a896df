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
pub(crate) use repetition::{MOST_LATE_ANSWERS, MOST_LATE_PACKETS};
pub(super) use rounds::observe;
pub use task::{LinkTask, Restart, Retrieval, TcpSettings};
pub use twin::TwinTask;
