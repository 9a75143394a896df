//! In whose name the targets of notifications are sent to.

use varbind_engine::access_control::{AccessEntry, ContextMatch};
use varbind_engine::applications::notification_originator::TargetPrincipal;
use varbind_engine::security::{Community, SecurityLevel, SecurityModel, SecurityName};

use super::{ALL, Tables};
use crate::configuration::document::{self, TargetVersion};
use crate::configuration::error::Problem;
use crate::configuration::user::ConfiguredUser;

impl Tables {
    /// In whose name a target is sent to: its user, the community if it may ask as well, or the target itself.
    pub(super) fn principal(
        &mut self,
        number: usize,
        target: &document::NotificationTarget,
        communities: &[Community],
        users: &[ConfiguredUser],
    ) -> Result<TargetPrincipal, Problem> {
        let model = security_model(target, users);
        // What the messages have: nobody is told less safely than asked.
        let level = match model {
            SecurityModel::Transport => SecurityLevel::AuthPriv,
            _ => SecurityLevel::NoAuthNoPriv,
        };
        let known = self.known_principal(model, target, communities, users)?;
        match (known, &target.view) {
            (Some(_), Some(view)) => Err(Problem::at(
                view.span(),
                "`view` is for communities that are no [[community]]; what a [[user]] or [[community]] is told is \
                 decided there, or by `notify` of [[access]]",
            )),
            (Some(known), None) => Ok(known),
            (None, view) => {
                let view = match view {
                    None => ALL.to_owned(),
                    view => self.existing_view(view.clone())?,
                };
                let name = format!("target-{number}");
                let security_name = SecurityName::new(name.clone());
                self.vacm = std::mem::take(&mut self.vacm)
                    .group(model, security_name.clone(), name.clone())
                    .access(AccessEntry {
                        group: name,
                        context_prefix: String::new(),
                        context_match: ContextMatch::Exact,
                        security_model: None,
                        security_level: level,
                        read_view: String::new(),
                        write_view: String::new(),
                        notify_view: view,
                    });
                Ok(principal(model, security_name, level))
            }
        }
    }

    /// Whoever the configuration knows by the name that the target gives.
    fn known_principal(
        &self,
        model: SecurityModel,
        target: &document::NotificationTarget,
        communities: &[Community],
        users: &[ConfiguredUser],
    ) -> Result<Option<TargetPrincipal>, Problem> {
        let known = match (&target.user, &target.community) {
            (Some(name), _) if model == SecurityModel::Transport => {
                if !self.transport_users.contains(name.get_ref()) {
                    return Err(Problem::at(
                        name.span(),
                        format!(
                            "there is no [[user]] and no [[transport-user]] named {:?}",
                            name.get_ref()
                        ),
                    ));
                }
                let name = SecurityName::new(name.get_ref().clone());
                Some(principal(model, name, SecurityLevel::AuthPriv))
            }
            (Some(name), _) => Some(principal(
                model,
                SecurityName::new(name.get_ref().clone()),
                users
                    .iter()
                    .find(|user| user.name == *name.get_ref())
                    .map_or(SecurityLevel::NoAuthNoPriv, ConfiguredUser::highest_level),
            )),
            (None, Some(name)) => communities
                .iter()
                .find(|community| community.name == name.get_ref().as_bytes())
                .map(|community| {
                    let security_name = community.security_name.clone();
                    principal(model, security_name, SecurityLevel::NoAuthNoPriv)
                }),
            (None, None) => None,
        };
        Ok(known)
    }
}

fn principal(
    security_model: SecurityModel,
    security_name: SecurityName,
    security_level: SecurityLevel,
) -> TargetPrincipal {
    TargetPrincipal {
        security_model,
        security_name,
        security_level,
        context_name: String::new(),
    }
}

/// Over a secure transport whoever is not a user of SNMPv3 is known by the transport.
fn security_model(
    target: &document::NotificationTarget,
    users: &[ConfiguredUser],
) -> SecurityModel {
    let is_secure = target.address.get_ref().0.transport.is_secure();
    let is_user = |name: &str| users.iter().any(|user| user.name == name);
    match (target.version(), &target.user) {
        (TargetVersion::V1, _) => SecurityModel::SnmpV1,
        (TargetVersion::V2c, _) => SecurityModel::SnmpV2c,
        (TargetVersion::V3, Some(name)) if is_user(name.get_ref()) => SecurityModel::UserBased,
        (TargetVersion::V3, _) if is_secure => SecurityModel::Transport,
        (TargetVersion::V3, _) => SecurityModel::UserBased,
    }
}
