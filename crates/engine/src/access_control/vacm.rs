use std::collections::{BTreeSet, HashMap};
use std::fmt;

use super::access_table::{Access, AccessEntry, AccessRequest};
use super::{ViewTree, ViewTreeFamily};
use crate::security::{SecurityModel, SecurityName};

/// Why access is not allowed (RFC 3415 section 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessDenied {
    /// The context does not exist.
    NoSuchContext,
    /// The security name belongs to no group.
    NoGroupName,
    /// No entry of the access table applies.
    NoAccessEntry,
    /// The entry names no view of that type, or one that does not exist.
    NoSuchView,
    /// The name is not in the view.
    NotInView,
}

/// The tables of the view-based access control model.
#[derive(Clone, Debug, Default)]
pub struct Vacm {
    has_default_context: bool,
    contexts: BTreeSet<String>,
    groups: HashMap<SecurityName, Vec<(SecurityModel, String)>>,
    access: Vec<Access>,
    views: Vec<ViewTree>,
}

impl Vacm {
    /// Tables to be filled.
    #[must_use]
    pub fn builder() -> VacmBuilder {
        VacmBuilder::default()
    }

    /// The view that decides for a request: isAccessAllowed up to step 4, so that the tables are searched once for a
    /// message and not once for each of its names.
    ///
    /// # Errors
    /// All of [`AccessDenied`] but `NotInView`.
    pub fn view(&self, request: &AccessRequest<'_>) -> Result<&ViewTree, AccessDenied> {
        // RFC 3415 3.2 (1)
        if !self.has_context(request.context_name) {
            return Err(AccessDenied::NoSuchContext);
        }
        // RFC 3415 3.2 (2)
        let group = self
            .group(request.security_model, request.security_name)
            .ok_or(AccessDenied::NoGroupName)?;
        // RFC 3415 3.2 (3)
        let access = self
            .access
            .iter()
            .filter(|access| access.applies(group, request))
            .max_by_key(|access| access.preference())
            .ok_or(AccessDenied::NoAccessEntry)?;
        // RFC 3415 3.2 (4)
        access
            .view(request.view_type)
            .and_then(|view| self.views.get(view))
            .ok_or(AccessDenied::NoSuchView)
    }

    fn has_context(&self, name: &str) -> bool {
        if name.is_empty() {
            self.has_default_context
        } else {
            self.contexts.contains(name)
        }
    }

    /// isAccessAllowed (RFC 3415 section 3.2).
    ///
    /// # Errors
    /// [`AccessDenied`] with the reason.
    pub fn is_access_allowed(
        &self,
        request: &AccessRequest<'_>,
        name: &[u32],
    ) -> Result<(), AccessDenied> {
        // RFC 3415 3.2 (5)
        if self.view(request)?.includes(name) {
            Ok(())
        } else {
            Err(AccessDenied::NotInView)
        }
    }

    /// The group of a security name (vacmSecurityToGroupTable).
    fn group(&self, model: SecurityModel, name: &SecurityName) -> Option<&str> {
        self.groups
            .get(name)?
            .iter()
            .find_map(|(other, group)| (*other == model).then_some(group.as_str()))
    }
}

/// Collects the rows of the tables.
#[derive(Clone, Debug, Default)]
pub struct VacmBuilder {
    contexts: BTreeSet<String>,
    groups: HashMap<SecurityName, Vec<(SecurityModel, String)>>,
    access: Vec<AccessEntry>,
    families: HashMap<String, Vec<ViewTreeFamily>>,
}

impl VacmBuilder {
    /// Adds a context (vacmContextTable); the default context has the empty name.
    #[must_use]
    pub fn context(mut self, name: impl Into<String>) -> Self {
        self.contexts.insert(name.into());
        self
    }

    /// Puts a security name into a group (vacmSecurityToGroupTable).
    #[must_use]
    pub fn group(
        mut self,
        model: SecurityModel,
        name: SecurityName,
        group: impl Into<String>,
    ) -> Self {
        let rows = self.groups.entry(name).or_default();
        rows.retain(|(other, _)| *other != model);
        rows.push((model, group.into()));
        self
    }

    /// Adds a row of vacmAccessTable.
    #[must_use]
    pub fn access(mut self, entry: AccessEntry) -> Self {
        self.access.push(entry);
        self
    }

    /// Adds a family to the view of that name (vacmViewTreeFamilyTable), in the place of one with the same subtree.
    #[must_use]
    pub fn view(mut self, name: impl Into<String>, family: ViewTreeFamily) -> Self {
        let rows = self.families.entry(name.into()).or_default();
        rows.retain(|other| other.subtree != family.subtree);
        rows.push(family);
        self
    }

    /// The names of the contexts (vacmContextTable).
    pub fn contexts(&self) -> impl Iterator<Item = &str> {
        self.contexts.iter().map(String::as_str)
    }

    /// The security names with their models and groups (vacmSecurityToGroupTable), in no order.
    pub fn groups(&self) -> impl Iterator<Item = (SecurityModel, &SecurityName, &str)> {
        self.groups.iter().flat_map(|(name, rows)| {
            rows.iter()
                .map(move |(model, group)| (*model, name, group.as_str()))
        })
    }

    /// The rows of vacmAccessTable; of two with the same index the latter counts.
    #[must_use]
    pub fn access_entries(&self) -> &[AccessEntry] {
        &self.access
    }

    /// The families with the names of their views (vacmViewTreeFamilyTable), in no order.
    pub fn families(&self) -> impl Iterator<Item = (&str, &ViewTreeFamily)> {
        self.families
            .iter()
            .flat_map(|(name, rows)| rows.iter().map(move |family| (name.as_str(), family)))
    }

    /// Whether there is a view of that name.
    #[must_use]
    pub fn has_view(&self, name: &str) -> bool {
        self.families.contains_key(name)
    }

    /// The tables.
    ///
    /// # Errors
    /// When an access entry names a view that does not exist.
    pub fn build(self) -> Result<Vacm, VacmError> {
        let mut positions = HashMap::new();
        let mut views = Vec::new();
        for (name, families) in self.families {
            positions.insert(name, views.len());
            views.push(ViewTree::new(families));
        }
        let access = self
            .access
            .into_iter()
            .map(|entry| Access::resolve(entry, &positions))
            .collect::<Result<_, _>>()?;
        Ok(Vacm {
            has_default_context: self.contexts.contains(""),
            contexts: self.contexts,
            groups: self.groups,
            access,
            views,
        })
    }
}

/// The tables contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VacmError {
    /// An access entry names a view that does not exist.
    UnknownView {
        /// The group of the entry.
        group: String,
        /// The view that it names.
        view: String,
    },
}

impl fmt::Display for VacmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownView { group, view } => {
                write!(
                    f,
                    "the access of group {group} names the view {view}, which does not exist"
                )
            }
        }
    }
}

impl std::error::Error for VacmError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access_control::{ContextMatch, ViewMask, ViewType};
    use crate::security::SecurityLevel;

    fn entry(group: &str, context: &str, model: Option<SecurityModel>, view: &str) -> AccessEntry {
        AccessEntry {
            group: group.into(),
            context_prefix: context.into(),
            context_match: ContextMatch::Prefix,
            security_model: model,
            security_level: SecurityLevel::NoAuthNoPriv,
            read_view: view.into(),
            write_view: String::new(),
            notify_view: String::new(),
        }
    }

    fn family(subtree: &str) -> ViewTreeFamily {
        ViewTreeFamily {
            subtree: subtree.parse().unwrap(),
            mask: ViewMask::default(),
            included: true,
        }
    }

    fn tables() -> Vacm {
        let name = SecurityName::new("ops");
        Vacm::builder()
            .context("")
            .context("vrf-a")
            .group(SecurityModel::SnmpV2c, name.clone(), "operators")
            .group(SecurityModel::UserBased, name, "operators")
            .access(entry("operators", "", None, "all"))
            .access(entry("operators", "vrf", None, "system"))
            .access(entry(
                "operators",
                "",
                Some(SecurityModel::UserBased),
                "interfaces",
            ))
            .view("all", family("1.3.6.1"))
            .view("system", family("1.3.6.1.2.1.1"))
            .view("interfaces", family("1.3.6.1.2.1.2"))
            .build()
            .unwrap()
    }

    fn access_request<'a>(
        name: &'a SecurityName,
        model: SecurityModel,
        context: &'a str,
    ) -> AccessRequest<'a> {
        AccessRequest {
            security_model: model,
            security_name: name,
            security_level: SecurityLevel::NoAuthNoPriv,
            view_type: ViewType::Read,
            context_name: context,
        }
    }

    /// RFC 3415 3.2: each step has its own answer.
    #[test]
    fn each_step_refuses_with_its_own_reason() {
        let tables = tables();
        let ops = SecurityName::new("ops");
        let stranger = SecurityName::new("stranger");
        let system = [1, 3, 6, 1, 2, 1, 1, 1, 0];
        let refusal = |request: &AccessRequest<'_>| tables.is_access_allowed(request, &system);
        let v2c = SecurityModel::SnmpV2c;
        assert_eq!(refusal(&access_request(&ops, v2c, "")), Ok(()));
        assert_eq!(
            refusal(&access_request(&ops, v2c, "vrf-b")),
            Err(AccessDenied::NoSuchContext)
        );
        assert_eq!(
            refusal(&access_request(&stranger, v2c, "")),
            Err(AccessDenied::NoGroupName)
        );
        assert_eq!(
            refusal(&access_request(&ops, SecurityModel::SnmpV1, "")),
            Err(AccessDenied::NoGroupName)
        );
        let write = AccessRequest {
            view_type: ViewType::Write,
            ..access_request(&ops, v2c, "")
        };
        assert_eq!(refusal(&write), Err(AccessDenied::NoSuchView));
        assert_eq!(
            tables.is_access_allowed(&access_request(&ops, v2c, ""), &[1, 3, 7]),
            Err(AccessDenied::NotInView)
        );
    }

    /// RFC 3415 4: a named security model before any, then the longer context prefix.
    #[test]
    fn the_most_specific_entry_is_taken() {
        let tables = tables();
        let ops = SecurityName::new("ops");
        let system = [1, 3, 6, 1, 2, 1, 1, 1, 0];
        let interfaces = [1, 3, 6, 1, 2, 1, 2, 1, 0];
        let allowed = |request: AccessRequest<'_>, name: &[u32]| {
            tables.is_access_allowed(&request, name).is_ok()
        };
        assert!(allowed(
            access_request(&ops, SecurityModel::SnmpV2c, "vrf-a"),
            &system
        ));
        assert!(!allowed(
            access_request(&ops, SecurityModel::SnmpV2c, "vrf-a"),
            &interfaces
        ));
        assert!(!allowed(
            access_request(&ops, SecurityModel::UserBased, ""),
            &system
        ));
        assert!(allowed(
            access_request(&ops, SecurityModel::UserBased, ""),
            &interfaces
        ));
    }

    #[test]
    fn a_view_that_does_not_exist_is_an_error() {
        let error = Vacm::builder()
            .access(entry("operators", "", None, "nowhere"))
            .build()
            .unwrap_err();
        assert!(error.to_string().contains("nowhere"));
    }
}
