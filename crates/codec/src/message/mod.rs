//! Messages: what a transport carries.

mod community;
mod header_data;
mod scoped_pdu;
mod usm_security_parameters;
mod v3;
mod version;

pub use community::CommunityMessage;
pub use header_data::{HeaderData, MsgFlags, SecurityLevel};
pub use scoped_pdu::{ScopedPdu, ScopedPduData};
pub use usm_security_parameters::UsmSecurityParameters;
pub use v3::V3Message;
pub use version::{Version, message_version};
