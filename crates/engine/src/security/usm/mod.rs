//! The user-based security model (RFC 3414, RFC 3826, RFC 7860).

mod authentication;
mod key;
mod privacy;
mod protocol;

pub use authentication::AuthenticationKey;
pub use key::{InvalidKey, LocalizedKey, MasterKey, Password};
pub use privacy::PrivacyKey;
pub use protocol::{AuthenticationProtocol, KeyExtension, ParseProtocolError, PrivacyProtocol};
