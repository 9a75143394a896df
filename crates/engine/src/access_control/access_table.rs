use std::collections::HashMap;

use super::VacmError;
use crate::security::{SecurityLevel, SecurityModel, SecurityName};

/// What a view is asked for (RFC 3415 section 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewType {
    /// To read.
    Read,
    /// To change.
    Write,
    /// To be notified of.
    Notify,
}

/// How vacmAccessContextPrefix is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextMatch {
    /// The context name equals it.
    Exact,
    /// The context name begins with it.
    Prefix,
}

/// A row of vacmAccessTable (RFC 3415 section 4).
#[derive(Clone, Debug)]
pub struct AccessEntry {
    /// vacmGroupName.
    pub group: String,
    /// vacmAccessContextPrefix.
    pub context_prefix: String,
    /// vacmAccessContextMatch.
    pub context_match: ContextMatch,
    /// vacmAccessSecurityModel; `None` is any.
    pub security_model: Option<SecurityModel>,
    /// vacmAccessSecurityLevel: the least level that is enough.
    pub security_level: SecurityLevel,
    /// vacmAccessReadViewName; empty is no access.
    pub read_view: String,
    /// vacmAccessWriteViewName; empty is no access.
    pub write_view: String,
    /// vacmAccessNotifyViewName; empty is no access.
    pub notify_view: String,
}

impl AccessEntry {
    fn applies(&self, group: &str, request: &AccessRequest<'_>) -> bool {
        let prefix = &self.context_prefix;
        self.group == group
            && match self.context_match {
                ContextMatch::Exact => is_same_context(request.context_name, prefix),
                ContextMatch::Prefix => {
                    prefix.is_empty() || request.context_name.starts_with(prefix)
                }
            }
            && self
                .security_model
                .is_none_or(|model| model == request.security_model)
            && self.security_level <= request.security_level
    }

    /// RFC 3415 4, vacmAccessTable: among entries that apply the greatest is taken.
    fn preference(&self) -> (bool, bool, usize, SecurityLevel) {
        (
            self.security_model.is_some(),
            self.context_match == ContextMatch::Exact,
            self.context_prefix.len(),
            self.security_level,
        )
    }
}

/// Who asks, how, and for which context: the arguments of isAccessAllowed but the name (RFC 3415 section 3.2).
#[derive(Clone, Copy, Debug)]
pub struct AccessRequest<'a> {
    /// securityModel.
    pub security_model: SecurityModel,
    /// securityName.
    pub security_name: &'a SecurityName,
    /// securityLevel.
    pub security_level: SecurityLevel,
    /// viewType.
    pub view_type: ViewType,
    /// contextName.
    pub context_name: &'a str,
}

/// An entry with the positions of its views.
#[derive(Clone, Debug)]
pub(super) struct Access {
    entry: AccessEntry,
    read_view: Option<usize>,
    write_view: Option<usize>,
    notify_view: Option<usize>,
}

impl Access {
    /// Looks up the views of an entry; an empty name is not a view.
    pub(super) fn resolve(
        entry: AccessEntry,
        positions: &HashMap<String, usize>,
    ) -> Result<Self, VacmError> {
        let position = |view: &String| match positions.get(view) {
            Some(&position) => Ok(Some(position)),
            None if view.is_empty() => Ok(None),
            None => Err(VacmError::UnknownView {
                group: entry.group.clone(),
                view: view.clone(),
            }),
        };
        Ok(Self {
            read_view: position(&entry.read_view)?,
            write_view: position(&entry.write_view)?,
            notify_view: position(&entry.notify_view)?,
            entry,
        })
    }

    /// Whether the entry is for the group, and for the context, model and level of the request.
    pub(super) fn applies(&self, group: &str, request: &AccessRequest<'_>) -> bool {
        self.entry.applies(group, request)
    }

    /// Among entries that apply the greatest is taken.
    pub(super) fn preference(&self) -> impl Ord + use<> {
        self.entry.preference()
    }

    /// The position of the view of that type.
    pub(super) const fn view(&self, view_type: ViewType) -> Option<usize> {
        match view_type {
            ViewType::Read => self.read_view,
            ViewType::Write => self.write_view,
            ViewType::Notify => self.notify_view,
        }
    }
}

/// Whether two context names are equal.
///
/// The default context is recognized by its length alone: a comparison of nothing with nothing reads through dangling
/// pointers under a mask, which takes some processors longer than the rest of a request.
pub(crate) fn is_same_context(one: &str, other: &str) -> bool {
    one.len() == other.len() && (one.is_empty() || one == other)
}
