//! Groups, and entries of access as they are written.

use varbind_engine::access_control::AccessEntry;
use varbind_engine::security::{SecurityLevel, SecurityModel, SecurityName};

use super::{Groups, Tables};
use crate::configuration::document;
use crate::configuration::error::Problem;

/// What an entry of [[access]] asks for if it does not say: users are safe, communities cannot be.
const fn default_level(is_of_users: bool) -> SecurityLevel {
    if is_of_users {
        SecurityLevel::AuthPriv
    } else {
        SecurityLevel::NoAuthNoPriv
    }
}

/// The name of SnmpSecurityLevel (RFC 3411).
pub(super) const fn level_name(level: SecurityLevel) -> &'static str {
    match level {
        SecurityLevel::NoAuthNoPriv => "noAuthNoPriv",
        SecurityLevel::AuthNoPriv => "authNoPriv",
        SecurityLevel::AuthPriv => "authPriv",
    }
}

impl Tables {
    pub(super) fn group(&mut self, group: document::Group) -> Result<(), Problem> {
        let span = group.name.span();
        let name = group.name.into_inner();
        if name.is_empty() {
            return Err(Problem::at(span, "the name of a group must not be empty"));
        }
        let (what, with_access) = match group.security_model {
            document::Model::UserBased => ("user", Some(&self.users_with_access)),
            document::Model::Transport => {
                ("transport user", Some(&self.transport_users_with_access))
            }
            document::Model::V1 | document::Model::V2c => ("community", None),
        };
        for security_name in group.security_names {
            if with_access.is_some_and(|names| names.contains(security_name.get_ref())) {
                return Err(Problem::at(
                    security_name.span(),
                    format!(
                        "the access of {what} {:?} is said with the user: write `access = \"none\"` there, and this \
                         group decides",
                        security_name.get_ref()
                    ),
                ));
            }
            let security_name = SecurityName::new(security_name.into_inner());
            self.vacm = std::mem::take(&mut self.vacm).group(
                group.security_model.into(),
                security_name,
                name.clone(),
            );
        }
        Ok(())
    }

    pub(super) fn access(
        &mut self,
        access: document::Access,
        groups: &Groups,
    ) -> Result<(), Problem> {
        let (span, group) = (access.group.span(), access.group.into_inner());
        let Some(models) = groups.get(&group) else {
            let groups: Vec<_> = groups.keys().map(String::as_str).collect();
            let existing = if groups.is_empty() {
                "none".to_owned()
            } else {
                groups.join(", ")
            };
            return Err(Problem::at(
                span,
                format!("there is no [[group]] named {group:?}; those that exist: {existing}"),
            ));
        };
        let security_model = access.security_model.map(SecurityModel::from);
        let is_of_users =
            |model| matches!(model, SecurityModel::UserBased | SecurityModel::Transport);
        let security_level = match (access.security_level, security_model) {
            (Some(level), _) => level.into(),
            (None, Some(model)) => default_level(is_of_users(model)),
            (None, None) if models.len() > 1 => {
                return Err(Problem::at(
                    span,
                    format!(
                        "the group {group:?} has communities and users among its members: say which `security-level` \
                         this entry needs, or for which `security-model` it is"
                    ),
                ));
            }
            (None, None) => default_level(models.contains(&true)),
        };
        let entry = AccessEntry {
            group,
            context_prefix: access.context,
            context_match: access.context_match.into(),
            security_model,
            security_level,
            read_view: self.existing_view(access.read)?,
            write_view: self.existing_view(access.write)?,
            notify_view: self.existing_view(access.notify)?,
        };
        self.allows_writing |= !entry.write_view.is_empty();
        self.vacm = std::mem::take(&mut self.vacm).access(entry);
        Ok(())
    }
}
