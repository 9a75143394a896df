//! What holds for any octets that the codec reads.

mod agentx;
#[cfg(feature = "experiments")]
mod compression;
mod message;

pub use agentx::check_agentx_stream;
#[cfg(feature = "experiments")]
pub use compression::check_compressed_list;
pub use message::{check_message, var_binds, write_message};
