//! Security models (RFC 3411 section 4.4).

mod community;
pub mod tsm;
pub mod usm;

pub use community::{
    Community, CommunityTable, ParseSourceFilterError, SourceAddresses, SourceFilter,
};

pub use varbind_codec::message::SecurityLevel;

use std::fmt;

/// A security model, by its number in SnmpSecurityModel (RFC 3411).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SecurityModel {
    /// SNMPv1's community-based model (1).
    SnmpV1,
    /// SNMPv2c's community-based model (2).
    SnmpV2c,
    /// The user-based model (3).
    UserBased,
    /// The transport model (4).
    Transport,
}

/// What the header of a message of SNMPv3 says besides its security (globalData, RFC 3411 section 4.4.1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlobalData {
    pub(crate) msg_id: i32,
    pub(crate) msg_max_size: i32,
    pub(crate) reportable: bool,
}

/// securityName: who asks, in a form that does not depend on the security model (RFC 3411 section 3.2.2).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SecurityName(String);

impl SecurityName {
    /// A security name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SecurityName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SecurityName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
