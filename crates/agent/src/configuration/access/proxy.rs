//! Access to contexts that a proxy forwards to other agents.

use toml::Spanned;
use varbind_engine::access_control::{AccessEntry, ContextMatch};
use varbind_engine::security::{Community, SecurityModel};

use super::{ALL, ENGINE_ID, Tables};
use crate::configuration::document;
use crate::configuration::error::Problem;
use crate::configuration::proxy::{ConfiguredProxy, ProxyScope};

impl Tables {
    /// Adds the contexts for which requests are passed on.
    pub(super) fn add_contexts(&mut self, proxies: &[ConfiguredProxy]) {
        for proxy in proxies {
            let vacm = std::mem::take(&mut self.vacm);
            self.vacm = vacm.context(proxy.access_context());
            if let ProxyScope::Context(context) = &proxy.scope {
                self.contexts.insert(context.clone());
            }
        }
    }

    /// The name of a context of this engine.
    pub(super) fn existing_context(&self, context: Spanned<String>) -> Result<String, Problem> {
        let (span, context) = (context.span(), context.into_inner());
        if context.is_empty() || self.contexts.contains(&context) {
            return Ok(context);
        }
        let contexts = self.contexts.iter().map(String::as_str);
        let contexts: Vec<_> = contexts.filter(|context| !context.is_empty()).collect();
        Err(Problem::at(
            span,
            match &*contexts.join(", ") {
                "" => format!(
                    "there is no context {context:?}: this agent has the default context \"\" alone, and those of [[proxy]] and [[agentx.context]]"
                ),
                contexts => format!(
                    "there is no context {context:?}: beside the default context \"\" there are {contexts}"
                ),
            },
        ))
    }

    /// Gives the users of a target access to its context, at the level that they need for the agent itself.
    pub(super) fn proxy(
        &mut self,
        written: document::Proxy,
        proxy: &ConfiguredProxy,
    ) -> Result<(), Problem> {
        let users = written.users.map(Spanned::into_inner).unwrap_or_default();
        self.let_in(&Guests {
            users: &users,
            context: proxy.access_context(),
            of: &proxy.name,
            view: written.view.as_ref(),
            may_write: proxy.may_write,
        })
    }

    /// Gives users access to a context, at the level that they need for the agent itself.
    pub(super) fn let_in(&mut self, guests: &Guests<'_>) -> Result<(), Problem> {
        let view = match guests.view {
            None => ALL.to_owned(),
            view => self.existing_view(view.cloned())?,
        };
        for user in guests.users {
            for group in self.simple_groups(user)? {
                let level = self
                    .level_of(&group)
                    .ok_or_else(|| not_simple(user, guests.of))?;
                let entry = AccessEntry {
                    group,
                    context_prefix: guests.context.to_owned(),
                    context_match: ContextMatch::Exact,
                    security_model: None,
                    security_level: level,
                    read_view: view.clone(),
                    write_view: if guests.may_write {
                        view.clone()
                    } else {
                        String::new()
                    },
                    notify_view: String::new(),
                };
                self.vacm = std::mem::take(&mut self.vacm).access(entry);
            }
        }
        Ok(())
    }

    /// The groups that a user or transport user has for itself.
    fn simple_groups(&self, user: &Spanned<String>) -> Result<Vec<String>, Problem> {
        let name = user.get_ref();
        let is_known = self.users.contains(name) || self.transport_users.contains(name);
        if !is_known {
            let message = format!("there is no [[user]] and no [[transport-user]] named {name:?}");
            return Err(Problem::at(user.span(), message));
        }
        let has_simple_access = |model| match model {
            SecurityModel::UserBased => self.users_with_access.contains(name),
            _ => self.transport_users_with_access.contains(name),
        };
        let groups = self.vacm.groups();
        let mut groups: Vec<String> = groups
            .filter(|(model, of, _)| of.as_str() == name && has_simple_access(*model))
            .map(|(.., group)| group.to_owned())
            .collect();
        groups.sort();
        groups.dedup();
        match groups.is_empty() {
            // Others may be in its group, and would be let in too.
            true => Err(Problem::at(
                user.span(),
                format!(
                    "the access of {name:?} is said by [[group]]: let that in by [[access]] with `context` instead"
                ),
            )),
            false => Ok(groups),
        }
    }

    fn level_of(&self, group: &str) -> Option<varbind_engine::security::SecurityLevel> {
        let mut entries = self.vacm.access_entries().iter();
        let found = entries.find(|entry| entry.group == group && entry.read_view != ENGINE_ID);
        found.map(|entry| entry.security_level)
    }

    /// Warns of forwarded contexts without users.
    pub(super) fn warn_of_unused(
        &mut self,
        proxies: &[ConfiguredProxy],
        communities: &[Community],
    ) {
        for proxy in proxies.iter().filter(|proxy| proxy.has_own_access()) {
            let context = proxy.access_context();
            let mut entries = self.vacm.access_entries().iter();
            let is_open = entries.any(|entry| match entry.context_match {
                ContextMatch::Exact => entry.context_prefix == context,
                ContextMatch::Prefix => context.starts_with(&entry.context_prefix),
            });
            let is_used = communities
                .iter()
                .any(|other| other.context_name == context);
            if !is_open && !is_used {
                self.warnings.push(format!(
                    "{:?} of [[proxy]] has no users: add `users = [..]`",
                    proxy.name
                ));
            }
        }
    }
}

/// Users with access to a context of other programs.
pub(super) struct Guests<'d> {
    pub(super) users: &'d [Spanned<String>],
    pub(super) context: &'d str,
    /// What the context belongs to, in messages.
    pub(super) of: &'d str,
    pub(super) view: Option<&'d Spanned<String>>,
    pub(super) may_write: bool,
}

fn not_simple(user: &Spanned<String>, of: &str) -> Problem {
    let message = format!(
        "{:?} has no access of its own, and cannot use {:?}",
        user.get_ref(),
        of
    );
    Problem::at(user.span(), message)
}
