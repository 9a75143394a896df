//! The configuration file as it is written.

mod access;
mod proxy;
mod text;
mod transports;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;

use super::host::WatchedProcess;
use super::host_limits::{DiskLimit, DiskMinimum, LoadLimits};
use super::value::{DatagramSize, Duration, MessageSize, Octets, SessionLifetime};
use crate::confinement::Mechanism;
use crate::monitors::Test;
use crate::operating_system::HiddenInterfaces;
pub(super) use access::{Access, Community, Group, Level, Model, SimpleAccess, View};
pub(super) use proxy::{Proxy, ProxyAccess};
#[cfg(feature = "experiments")]
pub(super) use text::MessageCompression;
pub(super) use text::{
    AgentEngineId, Authenticating, DisplayString, Encrypting, ListenAddress, Name, ObjectId,
    ScalarType, SecretText, Services, Source, SubagentAddress, Subtree, TargetAddress, TextVisitor,
    WebHost, WebListenAddress,
};
pub(super) use transports::{
    CertificateFingerprint, Ssh, Subsystem, Tls, TlsMap, TlsVersion, TransportSecurityModel,
    TransportUser, Version,
};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Document {
    pub(super) listen: Option<Vec<ListenAddress>>,
    pub(super) state_directory: Option<PathBuf>,
    #[cfg(feature = "experiments")]
    pub(super) compression: Vec<MessageCompression>,
    pub(super) process: Process,
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
    pub(super) host: Host,
    pub(super) extend: Vec<Extend>,
    pub(super) pass: Vec<Pass>,
    pub(super) monitor: Vec<Monitor>,
    pub(super) agentx: Option<Agentx>,
    pub(super) notifications: Notifications,
    pub(super) notification_target: Vec<NotificationTarget>,
    pub(super) proxy: Vec<Proxy>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Process {
    pub(super) user: Option<String>,
    pub(super) landlock: Mechanism,
    pub(super) seccomp: Mechanism,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct System {
    pub(super) description: Option<DisplayString>,
    pub(super) object_id: Option<ObjectId>,
    pub(super) contact: Option<DisplayString>,
    pub(super) name: Option<DisplayString>,
    pub(super) location: Option<DisplayString>,
    pub(super) services: Option<Services>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(in crate::configuration) struct Agentx {
    pub(super) socket: Option<PathBuf>,
    pub(super) listen: Vec<SubagentAddress>,
    pub(super) group: Option<Spanned<String>>,
    pub(super) grace: Option<Duration>,
    pub(super) context: Vec<SubagentContext>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::configuration) struct SubagentContext {
    pub(in crate::configuration) name: Spanned<String>,
    #[serde(default)]
    pub(super) users: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) access: ProxyAccess,
    pub(super) view: Option<Spanned<String>>,
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
    pub(super) message_size: Option<MessageSize>,
    pub(super) udp_bulk_size: Option<MessageSize>,
    pub(super) tcp_bulk_size: Option<MessageSize>,
    pub(super) tcp_sessions: Option<usize>,
    pub(super) tcp_sessions_per_source: Option<usize>,
    pub(super) tcp_sessions_per_block: Option<usize>,
    pub(super) tcp_first_message_timeout: Option<Duration>,
    pub(super) session_lifetime: Option<SessionLifetime>,
    pub(super) tcp_idle_timeout: Option<Duration>,
    pub(super) tcp_message_timeout: Option<Duration>,
    pub(super) dtls_datagram_size: Option<DatagramSize>,
    pub(super) dtls_fragments: Option<bool>,
    pub(super) handshake_timeout: Option<Duration>,
    pub(super) handshakes_per_source: Option<usize>,
    #[cfg(feature = "experiments")]
    pub(super) dictionary_sessions: Option<usize>,
    pub(super) tcp_linear_timeouts: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Web {
    pub(super) listen: Vec<WebListenAddress>,
    pub(super) hosts: Vec<WebHost>,
    pub(super) connections: Option<NonZeroUsize>,
    pub(super) connections_per_source: Option<NonZeroUsize>,
    pub(super) connections_per_block: Option<NonZeroUsize>,
    pub(super) request_size: Option<NonZeroUsize>,
    pub(super) response_size: Option<NonZeroUsize>,
    pub(super) handshake_timeout: Option<Duration>,
    pub(super) first_request_timeout: Option<Duration>,
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
pub(super) struct Host {
    pub(super) serve: Option<bool>,
    pub(super) root: Option<PathBuf>,
    pub(super) max_age: Option<Duration>,
    pub(super) process_arguments: bool,
    pub(super) installed_software: bool,
    pub(super) exclude_types: Option<Vec<String>>,
    pub(super) exclude_paths: Vec<String>,
    pub(super) exclude_disks: Option<Vec<String>>,
    pub(super) exclude_interfaces: Option<HiddenInterfaces>,
    pub(super) describe: Option<bool>,
    pub(super) process: Vec<WatchedProcess>,
    pub(super) load_limits: LoadLimits,
    pub(super) disk_minimum: Option<DiskMinimum>,
    pub(super) disks_first: bool,
    pub(super) disk: Vec<DiskLimit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Extend {
    pub(super) name: Spanned<String>,
    pub(super) oid: Option<Spanned<Name>>,
    #[serde(default)]
    pub(super) exec: bool,
    pub(super) command: Spanned<Vec<String>>,
    pub(super) interval: Option<Spanned<Duration>>,
    pub(super) timeout: Option<Spanned<Duration>>,
    pub(super) output_limit: Option<Octets<1, 1_048_576>>,
    pub(super) memory_limit: Option<Octets<1_048_576, 4_294_967_295>>,
    pub(super) user: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Pass {
    pub(super) oid: Spanned<Name>,
    #[serde(default)]
    pub(super) protocol: PassProtocol,
    pub(super) command: Spanned<Vec<String>>,
    pub(super) interval: Option<Spanned<Duration>>,
    pub(super) timeout: Option<Spanned<Duration>>,
    pub(super) output_limit: Option<Octets<1, 16_777_216>>,
    pub(super) memory_limit: Option<Octets<1_048_576, 4_294_967_295>>,
    pub(super) user: Option<Spanned<String>>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PassProtocol {
    #[default]
    Pass,
    PassPersist,
    JsonLines,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Notifications {
    pub(super) authentication_failure: bool,
    pub(super) default_monitors: bool,
    pub(super) listen: Vec<Spanned<ListenAddress>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Monitor {
    pub(super) name: Spanned<String>,
    pub(super) oid: Name,
    pub(super) test: Test,
    #[serde(default)]
    pub(super) delta: bool,
    pub(super) interval: Option<Spanned<Duration>>,
    #[serde(default)]
    pub(super) objects: Vec<Name>,
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
