//! The transport security model (RFC 5591): the transport protects messages and says who sent them.

mod error;
mod message;
mod model;

pub use error::TsmError;
pub(crate) use message::{HEADROOM, SECURITY_MODEL, enclose, scoped_pdu};
pub use model::TransportSecurityModel;
