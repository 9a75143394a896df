//! The user-based security model (RFC 3414, RFC 3826, RFC 7860).

mod authentication;
mod authoritative;
mod credentials;
mod error;
mod key;
mod local_engine;
mod message;
mod privacy;
mod protocol;
mod remote_engine;
mod user;

pub use authentication::AuthenticationKey;
pub(crate) use authoritative::process_incoming_message;
pub use credentials::{AuthenticationSecret, Credentials, PrivacySecret};
pub use error::UsmError;
pub use key::{InvalidKey, LocalizedKey, MasterKey, Password};
pub use local_engine::{EngineTime, LocalEngine, MAX_ENGINE_BOOTS};
pub(crate) use message::{Envelope, HEADROOM, Protected, SECURITY_MODEL};
pub(crate) use privacy::SaltCounter;
pub use privacy::{Plaintext, PrivacyKey};
pub use protocol::{AuthenticationProtocol, KeyExtension, ParseProtocolError, PrivacyProtocol};
pub use remote_engine::RemoteEngine;
pub use user::{InvalidUserName, Protection, UserSecurity, UserTable, UsmUser};
