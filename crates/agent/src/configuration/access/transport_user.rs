//! Those whom a secure transport authenticates.

use std::collections::BTreeSet;

use varbind_engine::security::{SecurityLevel, SecurityModel, SecurityName};

use super::{Simple, Tables};
use crate::configuration::document::{self, SimpleAccess, Version};
use crate::configuration::error::Problem;

/// The longest name that access control knows (vacmSecurityName, RFC 3415).
const SECURITY_NAME: usize = 32;

impl Tables {
    /// Gives somebody whom a secure transport authenticates access to a view, without [[group]] and [[access]].
    pub(super) fn transport_user(&mut self, user: document::TransportUser) -> Result<(), Problem> {
        let (span, name) = (user.name.span(), user.name.into_inner());
        if !(1..=SECURITY_NAME).contains(&name.len()) {
            return Err(Problem::at(
                span,
                format!("the name of a [[transport-user]] has 1 to {SECURITY_NAME} octets"),
            ));
        }
        if !self.transport_users.insert(name.clone()) {
            return Err(Problem::at(
                span,
                format!("the transport user {name:?} exists already"),
            ));
        }
        let view = self.simple_view(user.access, user.view)?;
        let models = models(user.versions.as_ref().map(toml::Spanned::get_ref));
        match user.versions {
            Some(versions) if user.access == SimpleAccess::None => {
                return Err(Problem::at(
                    versions.span(),
                    "`versions` has no effect where `access = \"none\"`; [[group]] has `security-model`",
                ));
            }
            Some(versions) if models.is_empty() => {
                return Err(Problem::at(
                    versions.span(),
                    "a [[transport-user]] needs at least one version",
                ));
            }
            _ => {}
        }
        if user.access == SimpleAccess::None {
            return Ok(());
        }
        self.transport_users_with_access.insert(name.clone());
        let group = format!("transport-user-{}", self.transport_users.len());
        if models.contains(&SecurityModel::Transport) {
            self.engine_id_access(group.clone());
        }
        self.simple_access(Simple {
            group,
            security_name: SecurityName::new(name),
            models: &models,
            // What the secure transports provide: a community of the same name is not meant.
            level: SecurityLevel::AuthPriv,
            view,
            may_write: user.access == SimpleAccess::ReadWrite,
            context: String::new(),
        });
        Ok(())
    }
}

/// SNMPv3, unless other versions are written.
fn models(versions: Option<&Vec<Version>>) -> Vec<SecurityModel> {
    let versions = versions.map_or(&[Version::V3][..], Vec::as_slice);
    let mut seen = BTreeSet::new();
    versions
        .iter()
        .filter(|version| seen.insert(**version as u8))
        .map(|version| match version {
            Version::V1 => SecurityModel::SnmpV1,
            Version::V2c => SecurityModel::SnmpV2c,
            Version::V3 => SecurityModel::Transport,
        })
        .collect()
}
