//! The configuration file as it is written.

use std::fmt;

use serde::{Deserialize, Deserializer, de};
use toml::Spanned;
use varbind::transport::TransportAddress;
use varbind_codec::smi::Oid;
use varbind_engine::access_control::{ContextMatch, ViewMask, ViewTreeFamily};
use varbind_engine::security::{SecurityLevel, SecurityModel, SourceFilter};

use crate::configuration::duration::parse_duration;
use crate::data_type::DataType;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Document {
    pub(super) listen: Option<Vec<ListenAddress>>,
    pub(super) state_directory: Option<std::path::PathBuf>,
    pub(super) system: System,
    pub(super) community: Option<Vec<Community>>,
    pub(super) view: Vec<View>,
    pub(super) group: Vec<Group>,
    pub(super) access: Vec<Access>,
    pub(super) scalar: Vec<Scalar>,
    pub(super) limits: Limits,
    pub(super) counters: Counters,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct System {
    pub(super) description: Option<DisplayString>,
    pub(super) object_id: Option<Name>,
    pub(super) contact: Option<DisplayString>,
    pub(super) name: Option<DisplayString>,
    pub(super) location: Option<DisplayString>,
    pub(super) services: Option<Services>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Community {
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) access: CommunityAccess,
    pub(super) view: Option<Spanned<String>>,
    pub(super) sources: Option<Vec<Source>>,
    pub(super) context: Option<Spanned<String>>,
    pub(super) security_name: Option<Spanned<String>>,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum CommunityAccess {
    None,
    #[default]
    ReadOnly,
    ReadWrite,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct View {
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) include: Vec<Subtree>,
    #[serde(default)]
    pub(super) exclude: Vec<Subtree>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Group {
    pub(super) name: Spanned<String>,
    pub(super) security_model: Model,
    pub(super) security_names: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Access {
    pub(super) group: Spanned<String>,
    #[serde(default)]
    pub(super) context: String,
    #[serde(default)]
    pub(super) context_match: Match,
    pub(super) security_model: Option<Model>,
    #[serde(default)]
    pub(super) security_level: Level,
    pub(super) read: Option<Spanned<String>>,
    pub(super) write: Option<Spanned<String>>,
    pub(super) notify: Option<Spanned<String>>,
}

#[derive(Clone, Copy, Deserialize)]
pub(super) enum Model {
    #[serde(rename = "v1")]
    V1,
    #[serde(rename = "v2c")]
    V2c,
}

impl From<Model> for SecurityModel {
    fn from(model: Model) -> Self {
        match model {
            Model::V1 => Self::SnmpV1,
            Model::V2c => Self::SnmpV2c,
        }
    }
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Match {
    #[default]
    Exact,
    Prefix,
}

impl From<Match> for ContextMatch {
    fn from(context_match: Match) -> Self {
        match context_match {
            Match::Exact => Self::Exact,
            Match::Prefix => Self::Prefix,
        }
    }
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::enum_variant_names, reason = "the names of SnmpSecurityLevel")]
pub(super) enum Level {
    #[default]
    NoAuthNoPriv,
    AuthNoPriv,
    AuthPriv,
}

impl From<Level> for SecurityLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::NoAuthNoPriv => Self::NoAuthNoPriv,
            Level::AuthNoPriv => Self::AuthNoPriv,
            Level::AuthPriv => Self::AuthPriv,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Scalar {
    pub(super) oid: Spanned<Name>,
    #[serde(rename = "type")]
    pub(super) data_type: ScalarType,
    pub(super) value: Spanned<toml::Value>,
    #[serde(default)]
    pub(super) access: ScalarAccess,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ScalarAccess {
    #[default]
    ReadOnly,
    ReadWrite,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Limits {
    pub(super) message_size: Option<Spanned<usize>>,
    pub(super) udp_bulk_size: Option<Spanned<usize>>,
    pub(super) tcp_bulk_size: Option<Spanned<usize>>,
    pub(super) tcp_sessions: Option<usize>,
    pub(super) tcp_sessions_per_source: Option<usize>,
    pub(super) tcp_idle_timeout: Option<Duration>,
    pub(super) tcp_message_timeout: Option<Duration>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Counters {
    pub(super) max_age: Option<Duration>,
}

/// Parses inside the visit, where an error still gets the place of the text.
struct TextVisitor<T>(fn(&str) -> Result<T, String>);

impl<T> de::Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).map_err(E::custom)
    }
}

/// Defines a type that is written as a text and read by a function whose errors say what is expected.
macro_rules! text {
    ($($(#[$attribute:meta])* $name:ident($inner:ty) = $parse:expr;)*) => {$(
        $(#[$attribute])*
        pub(super) struct $name(pub(super) $inner);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(TextVisitor($parse)).map(Self)
            }
        }
    )*};
}

text! {
    ListenAddress(TransportAddress) = |text| {
        let is_complete = ["udp:", "tcp:"].iter().any(|prefix| text.starts_with(prefix));
        let address: TransportAddress = text.parse().map_err(|error| format!("{text:?}: {error}"))?;
        if is_complete {
            Ok(address)
        } else {
            Err(format!("{text:?}: expected udp:ADDRESS:PORT or tcp:ADDRESS:PORT, as udp:127.0.0.1:161 or tcp:[::1]:161"))
        }
    };
    Name(Oid) = |text| text.parse().map_err(|error| format!("{text:?}: {error}"));
    DisplayString(String) = |text| {
        if text.len() <= 255 {
            Ok(text.to_owned())
        } else {
            Err(format!("a text of {} octets: at most 255 are allowed", text.len()))
        }
    };
    Source(SourceFilter) = |text| text.parse().map_err(|error| format!("{text:?}: {error}"));
    Duration(std::time::Duration) = parse_duration;
    /// A name, with or without a mask behind a slash.
    Subtree(ViewTreeFamily) = |text| {
        let (subtree, mask) = text.split_once('/').unwrap_or((text, ""));
        Ok(ViewTreeFamily {
            subtree: subtree.parse().map_err(|error| format!("{text:?}: {error}"))?,
            mask: mask.parse::<ViewMask>().map_err(|error| format!("{text:?}: the mask: {error}"))?,
            included: true,
        })
    };
    ScalarType(DataType) = |text| {
        DataType::from_name(text).ok_or_else(|| format!("unknown type {text:?}, expected one of {}", DataType::names()))
    };
}

/// sysServices: 0 to 127 (RFC 3418).
pub(super) struct Services(pub(super) i32);

impl<'de> Deserialize<'de> for Services {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match i32::deserialize(deserializer)? {
            services @ 0..=127 => Ok(Self(services)),
            other => Err(de::Error::custom(format!(
                "{other}: expected a number from 0 to 127"
            ))),
        }
    }
}
