//! The section about other agents that requests are passed on to, as it is written.

use std::num::NonZeroU16;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;

use super::{
    AgentEngineId, CertificateFingerprint, Duration, Name, SecretText, Source, TargetAddress,
    TargetVersion,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::configuration) struct Proxy {
    pub(in crate::configuration) name: Option<Spanned<String>>,
    pub(in crate::configuration) target: Spanned<TargetAddress>,
    pub(in crate::configuration) version: Option<TargetVersion>,
    pub(in crate::configuration) community: Option<Spanned<SecretText>>,
    pub(in crate::configuration) community_file: Option<Spanned<PathBuf>>,
    pub(in crate::configuration) user: Option<Spanned<String>>,
    pub(in crate::configuration) target_context: Option<Spanned<String>>,
    pub(in crate::configuration) peer_name: Option<Spanned<String>>,
    pub(in crate::configuration) peer_fingerprint: Option<Spanned<CertificateFingerprint>>,
    pub(in crate::configuration) context: Option<Spanned<String>>,
    pub(in crate::configuration) context_engine: Option<Spanned<AgentEngineId>>,
    pub(in crate::configuration) subtree: Option<Spanned<Name>>,
    pub(in crate::configuration) users: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    pub(in crate::configuration) access: ProxyAccess,
    pub(in crate::configuration) view: Option<Spanned<String>>,
    pub(in crate::configuration) timeout: Option<Spanned<Duration>>,
    pub(in crate::configuration) in_flight: Option<NonZeroU16>,
    #[serde(default)]
    pub(in crate::configuration) notifications: bool,
    pub(in crate::configuration) sources: Option<Spanned<Vec<Source>>>,
}

/// Which requests are taken in a context of other programs.
#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(in crate::configuration) enum ProxyAccess {
    #[default]
    ReadOnly,
    ReadWrite,
}
