//! In whose name the targets of notifications are sent to.

use varbind_engine::access_control::{AccessEntry, ContextMatch};
use varbind_engine::applications::notification_originator::Principal;
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
    ) -> Result<Principal, Problem> {
        let principal = |security_model, security_name, security_level| Principal {
            security_model,
            security_name,
            security_level,
            context_name: String::new(),
        };
        let model = match target.version {
            TargetVersion::V1 => SecurityModel::SnmpV1,
            TargetVersion::V2c => SecurityModel::SnmpV2c,
            TargetVersion::V3 => SecurityModel::UserBased,
        };
        let known = match (&target.user, &target.community) {
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
                        security_level: SecurityLevel::NoAuthNoPriv,
                        read_view: String::new(),
                        write_view: String::new(),
                        notify_view: view,
                    });
                Ok(principal(model, security_name, SecurityLevel::NoAuthNoPriv))
            }
        }
    }
}
