//! Requests across emulated links, in real and in virtual time.

mod controls;
mod course;
mod manager;
mod method;
mod network;
mod path;
mod repetition;
mod restart;
mod run;
mod task;
mod tcp;
mod twin;

pub use method::Method;
pub use path::{Change, Path, SharedRate};
pub(super) use repetition::TimeSpent;
pub(super) use run::{LinkRound, observe};
pub use task::{LinkTask, Restart, Retrieval, TcpSettings};
pub use twin::TwinTask;
