use std::fmt;

use varbind_codec::message::{SecurityLevel, Version};
use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

/// A version, and in SNMPv3 how messages are protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// SNMPv1 with a community.
    V1,
    /// SNMPv2c with a community.
    V2c,
    /// SNMPv3 with the user-based security model.
    V3(Protection),
    /// SNMPv3 with the transport security model, over a transport that protects.
    V3Transport,
}

impl Scheme {
    /// The version.
    #[must_use]
    pub const fn version(self) -> Version {
        match self {
            Self::V1 => Version::V1,
            Self::V2c => Version::V2c,
            Self::V3(_) | Self::V3Transport => Version::V3,
        }
    }

    /// The short name of the version, as commands take it.
    #[must_use]
    pub const fn version_name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2c => "v2c",
            Self::V3(_) | Self::V3Transport => "v3",
        }
    }

    /// How messages are protected by the user-based security model.
    #[must_use]
    pub const fn protection(self) -> Option<Protection> {
        match self {
            Self::V1 | Self::V2c | Self::V3Transport => None,
            Self::V3(protection) => Some(protection),
        }
    }
}

/// The security level of messages with its protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(
    clippy::enum_variant_names,
    reason = "the names are those of the standard"
)]
pub enum Protection {
    /// None.
    NoAuthNoPriv,
    /// Against changes.
    AuthNoPriv(AuthenticationProtocol),
    /// Against changes and against being read.
    AuthPriv(AuthenticationProtocol, PrivacyProtocol),
}

impl Protection {
    /// The security level.
    #[must_use]
    pub const fn level(self) -> SecurityLevel {
        match self {
            Self::NoAuthNoPriv => SecurityLevel::NoAuthNoPriv,
            Self::AuthNoPriv(_) => SecurityLevel::AuthNoPriv,
            Self::AuthPriv(..) => SecurityLevel::AuthPriv,
        }
    }

    /// The authentication protocol, if there is one.
    #[must_use]
    pub const fn authentication(self) -> Option<AuthenticationProtocol> {
        match self {
            Self::NoAuthNoPriv => None,
            Self::AuthNoPriv(protocol) | Self::AuthPriv(protocol, _) => Some(protocol),
        }
    }

    /// The privacy protocol, if there is one.
    #[must_use]
    pub const fn privacy(self) -> Option<PrivacyProtocol> {
        match self {
            Self::AuthPriv(_, protocol) => Some(protocol),
            _ => None,
        }
    }

    /// The name of the level, as commands take it.
    #[must_use]
    pub const fn level_name(self) -> &'static str {
        match self {
            Self::NoAuthNoPriv => "noAuthNoPriv",
            Self::AuthNoPriv(_) => "authNoPriv",
            Self::AuthPriv(..) => "authPriv",
        }
    }
}

/// As `authPriv SHA AES`.
impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.level_name())?;
        if let Some(protocol) = self.authentication() {
            write!(f, " {protocol}")?;
        }
        match self.privacy() {
            Some(protocol) => write!(f, " {protocol}"),
            None => Ok(()),
        }
    }
}
