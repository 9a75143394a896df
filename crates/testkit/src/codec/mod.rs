//! What holds for any octets that the codec reads.

mod compression;
mod message;

pub use compression::check_compressed_list;
pub use message::{check_message, var_binds, write_message};
