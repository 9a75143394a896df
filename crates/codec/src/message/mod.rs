//! Messages: what a transport carries.

mod community;
mod version;

pub use community::CommunityMessage;
pub use version::{Version, message_version};
