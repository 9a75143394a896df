//! The sections that say who may do what.

use serde::Deserialize;
use toml::Spanned;
use varbind_engine::access_control::ContextMatch;
use varbind_engine::security::{SecurityLevel, SecurityModel};

use super::{Source, Subtree};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::configuration) struct Community {
    pub(in crate::configuration) name: Spanned<String>,
    #[serde(default)]
    pub(in crate::configuration) access: SimpleAccess,
    pub(in crate::configuration) view: Option<Spanned<String>>,
    pub(in crate::configuration) sources: Option<Vec<Source>>,
    pub(in crate::configuration) context: Option<Spanned<String>>,
    pub(in crate::configuration) security_name: Option<Spanned<String>>,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(in crate::configuration) enum SimpleAccess {
    None,
    #[default]
    ReadOnly,
    ReadWrite,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::configuration) struct View {
    pub(in crate::configuration) name: Spanned<String>,
    #[serde(default)]
    pub(in crate::configuration) include: Vec<Subtree>,
    #[serde(default)]
    pub(in crate::configuration) exclude: Vec<Subtree>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::configuration) struct Group {
    pub(in crate::configuration) name: Spanned<String>,
    pub(in crate::configuration) security_model: Model,
    pub(in crate::configuration) security_names: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::configuration) struct Access {
    pub(in crate::configuration) group: Spanned<String>,
    #[serde(default)]
    pub(in crate::configuration) context: String,
    #[serde(default)]
    pub(in crate::configuration) context_match: Match,
    pub(in crate::configuration) security_model: Option<Model>,
    pub(in crate::configuration) security_level: Option<Level>,
    pub(in crate::configuration) read: Option<Spanned<String>>,
    pub(in crate::configuration) write: Option<Spanned<String>>,
    pub(in crate::configuration) notify: Option<Spanned<String>>,
}

#[derive(Clone, Copy, Deserialize)]
pub(in crate::configuration) enum Model {
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
    pub(in crate::configuration) const fn is_of_users(self) -> bool {
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
pub(in crate::configuration) enum Match {
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
pub(in crate::configuration) enum Level {
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
