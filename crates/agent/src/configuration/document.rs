//! The configuration file as it is written.

mod transports;

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, de};
use toml::Spanned;
use varbind::transport::TransportAddress;
use varbind_codec::smi::Oid;
use varbind_engine::access_control::{ContextMatch, ViewMask, ViewTreeFamily};
use varbind_engine::compression::{Compression, UnknownCompression};
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};
use varbind_engine::security::{SecurityLevel, SecurityModel, SourceFilter};
use zeroize::Zeroizing;

use crate::configuration::duration::parse_duration;
use crate::configuration::web::WebAddress;
use crate::data_type::DataType;
pub(super) use transports::{
    CertificateFingerprint, MapTo, Overdue, Ssh, Subsystem, Tls, TlsMap, TlsVersion,
    TransportSecurityModel, TransportUser, Version,
};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Document {
    pub(super) listen: Option<Vec<ListenAddress>>,
    pub(super) state_directory: Option<PathBuf>,
    pub(super) compression: Vec<MessageCompression>,
    pub(super) system: System,
    pub(super) engine: Engine,
    pub(super) user: Vec<User>,
    pub(super) tls: Tls,
    pub(super) ssh: Ssh,
    pub(super) transport_security_model: TransportSecurityModel,
    pub(super) transport_user: Vec<TransportUser>,
    pub(super) community: Option<Vec<Community>>,
    pub(super) view: Vec<View>,
    pub(super) group: Vec<Group>,
    pub(super) access: Vec<Access>,
    pub(super) scalar: Vec<Scalar>,
    pub(super) web: Web,
    pub(super) limits: Limits,
    pub(super) counters: Counters,
    pub(super) notifications: Notifications,
    pub(super) notification_target: Vec<NotificationTarget>,
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

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Engine {
    pub(super) id: Option<AgentEngineId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct User {
    pub(super) name: Spanned<String>,
    pub(super) authentication: Option<Spanned<Authentication>>,
    pub(super) privacy: Option<Spanned<Privacy>>,
    #[serde(default)]
    pub(super) access: SimpleAccess,
    pub(super) view: Option<Spanned<String>>,
    pub(super) level: Option<Spanned<Level>>,
}

#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as { protocol = \"SHA-256\", password = .. }"
)]
pub(super) struct Authentication {
    pub(super) protocol: Authenticating,
    password: Option<Spanned<SecretText>>,
    password_file: Option<Spanned<PathBuf>>,
    key: Option<Spanned<SecretText>>,
}

#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as { protocol = \"AES\", password = .. }"
)]
pub(super) struct Privacy {
    pub(super) protocol: Encrypting,
    password: Option<Spanned<SecretText>>,
    password_file: Option<Spanned<PathBuf>>,
    key: Option<Spanned<SecretText>>,
}

/// One of these is to be written.
pub(super) struct Secret<'a> {
    pub(super) password: Option<&'a Spanned<SecretText>>,
    pub(super) password_file: Option<&'a Spanned<PathBuf>>,
    pub(super) key: Option<&'a Spanned<SecretText>>,
}

impl Authentication {
    pub(super) const fn secret(&self) -> Secret<'_> {
        Secret {
            password: self.password.as_ref(),
            password_file: self.password_file.as_ref(),
            key: self.key.as_ref(),
        }
    }
}

impl Privacy {
    pub(super) const fn secret(&self) -> Secret<'_> {
        Secret {
            password: self.password.as_ref(),
            password_file: self.password_file.as_ref(),
            key: self.key.as_ref(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Community {
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) access: SimpleAccess,
    pub(super) view: Option<Spanned<String>>,
    pub(super) sources: Option<Vec<Source>>,
    pub(super) context: Option<Spanned<String>>,
    pub(super) security_name: Option<Spanned<String>>,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SimpleAccess {
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
    pub(super) security_level: Option<Level>,
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
    #[serde(rename = "usm")]
    UserBased,
    #[serde(rename = "tsm")]
    Transport,
}

impl Model {
    /// Whether its security names are of those who proved who they are.
    pub(super) const fn is_of_users(self) -> bool {
        matches!(self, Self::UserBased | Self::Transport)
    }
}

impl From<Model> for SecurityModel {
    fn from(model: Model) -> Self {
        match model {
            Model::V1 => Self::SnmpV1,
            Model::V2c => Self::SnmpV2c,
            Model::UserBased => Self::UserBased,
            Model::Transport => Self::Transport,
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

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::enum_variant_names, reason = "the names of SnmpSecurityLevel")]
pub(super) enum Level {
    #[serde(alias = "noAuthNoPriv")]
    NoAuthNoPriv,
    #[serde(alias = "authNoPriv")]
    AuthNoPriv,
    #[serde(alias = "authPriv")]
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
    pub(super) dtls_datagram_size: Option<Spanned<usize>>,
    pub(super) handshake_timeout: Option<Duration>,
    pub(super) handshakes_per_source: Option<usize>,
    pub(super) dictionary_sessions: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Web {
    pub(super) listen: Vec<WebListenAddress>,
    pub(super) connections: Option<NonZeroUsize>,
    pub(super) connections_per_source: Option<NonZeroUsize>,
    pub(super) request_size: Option<NonZeroUsize>,
    pub(super) response_size: Option<NonZeroUsize>,
    pub(super) handshake_timeout: Option<Duration>,
    pub(super) idle_timeout: Option<Duration>,
    pub(super) request_timeout: Option<Duration>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Counters {
    pub(super) max_age: Option<Duration>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Notifications {
    pub(super) authentication_failure: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct NotificationTarget {
    pub(super) address: Spanned<TargetAddress>,
    pub(super) version: Option<TargetVersion>,
    pub(super) community: Option<Spanned<String>>,
    pub(super) user: Option<Spanned<String>>,
    pub(super) peer_name: Option<Spanned<String>>,
    pub(super) peer_fingerprint: Option<Spanned<CertificateFingerprint>>,
    pub(super) view: Option<Spanned<String>>,
    #[serde(default = "trap")]
    pub(super) kind: Spanned<Kind>,
    #[serde(default)]
    pub(super) include: Vec<Subtree>,
    #[serde(default)]
    pub(super) exclude: Vec<Subtree>,
    pub(super) timeout: Option<Spanned<Duration>>,
    pub(super) retries: Option<Spanned<u32>>,
    pub(super) queue: Option<usize>,
}

/// A version of SNMP that notifications are sent in.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TargetVersion {
    V1,
    V2c,
    V3,
}

impl NotificationTarget {
    /// The version: over a secure transport the one that it was made for.
    pub(super) fn version(&self) -> TargetVersion {
        let is_secure = self.address.get_ref().0.transport.is_secure();
        self.version.unwrap_or(if is_secure {
            TargetVersion::V3
        } else {
            TargetVersion::V2c
        })
    }
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    Trap,
    Inform,
}

fn trap() -> Spanned<Kind> {
    Spanned::new(0..0, Kind::Trap)
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
        let address: TransportAddress = text.parse().map_err(|error| format!("{text:?}: {error}"))?;
        let has_transport = LISTENING.iter().any(|prefix| text.starts_with(prefix));
        if has_transport && address.user.is_none() {
            Ok(address)
        } else {
            Err(format!("{text:?}: expected TRANSPORT:ADDRESS:PORT, as udp:127.0.0.1:161, tls:0.0.0.0 or ssh:[::1]:5161; the \
                transports are udp, tcp, tls, dtls and ssh"))
        }
    };
    WebListenAddress(WebAddress) = str::parse;
    MessageCompression(Compression) = |text| text.parse().map_err(|error: UnknownCompression| error.to_string());
    TargetAddress(TransportAddress) = |text| text.parse().map_err(|error| format!("{text:?}: {error}"));
    Name(Oid) = |text| text.parse().map_err(|error| format!("{text:?}: {error}"));
    DisplayString(String) = |text| {
        if text.len() <= 255 {
            Ok(text.to_owned())
        } else {
            Err(format!("a text of {} octets: at most 255 are allowed", text.len()))
        }
    };
    /// snmpEngineID in the form of SNMPv3, in which the first bit is 1 (RFC 3411, SnmpEngineID).
    AgentEngineId(EngineId) = |text| {
        let id: EngineId = text.parse().map_err(|error| format!("{text:?}: {error}"))?;
        match id.as_octets().first() {
            Some(0x80..) => Ok(id),
            _ => Err(format!("{text:?}: the first bit of an engine ID is 1 (RFC 3411): begin it with 80")),
        }
    };
    // What is written where a protocol should be may be a password: it is not repeated.
    Authenticating(AuthenticationProtocol) = |text| {
        text.parse().map_err(|_| one_of("an authentication protocol", AuthenticationProtocol::ALL.map(AuthenticationProtocol::name)))
    };
    Encrypting(PrivacyProtocol) = privacy_protocol;
    SecretText(Zeroizing<String>) = |text| Ok(Zeroizing::new(text.to_owned()));
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

/// What an address to listen on begins with: no transport is the usual one where so many may be meant.
const LISTENING: [&str; 5] = ["udp:", "tcp:", "tls:", "dtls:", "ssh:"];

/// Reads the name of a privacy protocol: those of Net-SNMP, and the same with the key extension spelled out.
fn privacy_protocol(text: &str) -> Result<PrivacyProtocol, String> {
    let spelled = EXTENSIONS
        .iter()
        .find_map(|(ending, short)| Some(text.strip_suffix(ending)?.to_owned() + short));
    let known = PrivacyProtocol::ALL.map(PrivacyProtocol::name);
    let protocol = spelled.as_deref().unwrap_or(text).parse();
    protocol.map_err(|_| one_of("a privacy protocol", known))
}

/// How key extensions are spelled out, and their short forms.
const EXTENSIONS: [(&str, &str); 2] = [("-Blumenthal", ""), ("-Reeder", "-C")];

fn one_of<const N: usize>(what: &str, known: [&str; N]) -> String {
    format!("expected {what}: one of {}", known.join(", "))
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
