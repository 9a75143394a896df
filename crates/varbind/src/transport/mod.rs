//! Transports: UDP (RFC 3417 section 3) and TCP (RFC 3430).

mod address;
pub(crate) mod tcp;
pub mod udp;

pub use address::{AddressFamily, ParseAddressError, Transport, TransportAddress};

/// The port on which agents listen (RFC 3417 section 3.2, RFC 3430 section 2.2).
pub const AGENT_PORT: u16 = 161;
/// The port on which notification receivers listen (RFC 3417 section 3.2, RFC 3430 section 2.2).
pub const NOTIFICATION_PORT: u16 = 162;
