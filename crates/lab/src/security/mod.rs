//! How messages are secured: by a community, by the user-based security model, or by the transport.
//!
//! Messages are made and read by the engine. When that is done is up to the laboratory, so that each phase can be timed by
//! itself.

mod discovery;
mod message;
mod scheme;
mod transport_session;
mod user;

pub(crate) use discovery::{Discovered, Discovery, Undiscovered};
pub(crate) use message::Secured;
pub use scheme::{Protection, Scheme};
pub(crate) use transport_session::TransportSession;
pub use user::{Account, MissingPassword, User};

pub use varbind_engine::security::usm::{AuthenticationProtocol, Password, PrivacyProtocol};

use varbind_codec::message::Version;

use crate::request::Envelope;

/// Who asks, and how that is shown.
#[derive(Clone, Debug)]
pub enum Security {
    /// By a community.
    Community {
        /// SNMPv1 or SNMPv2c.
        version: Version,
        /// The community.
        community: Vec<u8>,
    },
    /// In SNMPv3, by a user of the user-based security model.
    User(User),
    /// In SNMPv3, by the transport (RFC 5591).
    Transport,
}

impl Security {
    /// The version of the messages.
    #[must_use]
    pub const fn version(&self) -> Version {
        match self {
            Self::Community { version, .. } => *version,
            Self::User(_) | Self::Transport => Version::V3,
        }
    }

    /// What is around a PDU before it is sent.
    #[must_use]
    pub fn envelope(&self) -> Envelope {
        match self {
            Self::Community { version, community } => Envelope::Community {
                version: *version,
                community: community.clone(),
            },
            Self::User(_) | Self::Transport => Envelope::V3,
        }
    }
}
