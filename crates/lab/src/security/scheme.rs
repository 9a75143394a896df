use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use varbind_codec::message::{SecurityLevel, Version};
use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

/// A version, and in SNMPv3 how messages are protected. In text as `v2c`, `v3 TSM`, `v3 authPriv SHA AES`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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

/// As `v2c`, `v3 TSM` or `v3 authPriv SHA AES`.
impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.version_name())?;
        match self {
            Self::V1 | Self::V2c => Ok(()),
            Self::V3(protection) => write!(f, " {protection}"),
            Self::V3Transport => f.write_str(" TSM"),
        }
    }
}

impl From<Scheme> for String {
    fn from(scheme: Scheme) -> Self {
        scheme.to_string()
    }
}

impl TryFrom<String> for Scheme {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl FromStr for Scheme {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || {
            format!("{text} is no way to secure messages: write v2c, v3 TSM or v3 authPriv SHA AES")
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let protection = match words.as_slice() {
            ["v1"] => return Ok(Self::V1),
            ["v2c"] => return Ok(Self::V2c),
            ["v3", "TSM"] => return Ok(Self::V3Transport),
            ["v3", "noAuthNoPriv"] => Protection::NoAuthNoPriv,
            ["v3", "authNoPriv", authentication] => {
                Protection::AuthNoPriv(authentication.parse().map_err(|_| wrong())?)
            }
            ["v3", "authPriv", authentication, privacy] => Protection::AuthPriv(
                authentication.parse().map_err(|_| wrong())?,
                privacy.parse().map_err(|_| wrong())?,
            ),
            _ => return Err(wrong()),
        };
        Ok(Self::V3(protection))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_is_read_as_it_is_written() {
        for text in [
            "v1",
            "v2c",
            "v3 TSM",
            "v3 noAuthNoPriv",
            "v3 authNoPriv MD5",
            "v3 authPriv SHA-256 AES-256",
        ] {
            assert_eq!(text.parse::<Scheme>().unwrap().to_string(), text);
        }
        for text in ["", "v3", "v4", "v3 authPriv SHA", "v3 authNoPriv ROT13"] {
            assert!(text.parse::<Scheme>().unwrap_err().contains("v2c"));
        }
    }
}
