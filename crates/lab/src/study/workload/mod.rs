//! The tasks of studies, done by the laboratory's workloads.

mod across;
mod coding;
mod command;
mod compressed;
#[cfg(feature = "experiments")]
mod compressed_session;
mod connections;
mod echo;
mod laboratory;
mod link;
mod memory;
mod netconf;
mod notifications;
mod packets;
mod session_task;
mod sessions;
mod small_board;
mod start;
mod web;

pub(super) use across::Across;
pub use coding::{CodingTask, MessageCoding};
pub use command::CommandTask;
pub use compressed::{CompressedTask, MessageCompression};
pub use echo::EchoTask;
use laboratory::AgentVariant;
pub(super) use laboratory::Laboratory;
pub use link::{
    Change, LinkTask, Method, Path, Restart, Retrieval, SharedRate, TcpSettings, TwinTask,
};
pub(super) use link::{MOST_LATE_ANSWERS, MOST_LATE_PACKETS};
pub use memory::MemoryTask;
pub use netconf::{NetconfQuestion, NetconfTask};
pub use notifications::NotificationTask;
pub use session_task::SessionTask;
pub use small_board::{SmallBoardFigures, SmallBoardTask, SmallBoards};
pub use start::StartTask;
pub use web::{WebCompression, WebQuestion, WebTask};
