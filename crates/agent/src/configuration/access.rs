//! Communities, views, groups and access entries become the tables of the engine.

use std::collections::BTreeSet;

use toml::Spanned;
use varbind_codec::smi::Oid;
use varbind_engine::access_control::{
    AccessEntry, ContextMatch, Vacm, VacmBuilder, ViewMask, ViewTreeFamily,
};
use varbind_engine::security::{
    Community, CommunityTable, SecurityLevel, SecurityModel, SecurityName, SourceAddresses,
};

use super::document::{self, CommunityAccess, Document};
use super::error::Problem;

/// The view of everything, which always exists.
const ALL: &str = "all";
/// iso.org: below it are all names that SNMP uses.
const ISO_ORG: [u32; 2] = [1, 3];
const MODELS: [SecurityModel; 2] = [SecurityModel::SnmpV1, SecurityModel::SnmpV2c];

/// Who may do what.
#[derive(Debug)]
pub(super) struct AccessControl {
    pub(super) communities: CommunityTable,
    pub(super) vacm: Vacm,
    /// Whether anybody may set anything.
    pub(super) allows_writing: bool,
}

impl AccessControl {
    pub(super) fn new(document: Document) -> Result<(Self, Document), Problem> {
        let mut document = document;
        let mut tables = Tables::new(std::mem::take(&mut document.view))?;
        let communities = match document.community.take() {
            None => tables.default_community(),
            Some(communities) => communities
                .into_iter()
                .enumerate()
                .map(|(at, community)| tables.community(at + 1, community))
                .collect::<Result<_, _>>()?,
        };
        let groups: BTreeSet<String> = document
            .group
            .iter()
            .map(|group| group.name.get_ref().clone())
            .collect();
        for group in std::mem::take(&mut document.group) {
            tables.group(group)?;
        }
        for access in std::mem::take(&mut document.access) {
            tables.access(access, &groups)?;
        }
        let vacm = tables
            .vacm
            .build()
            .map_err(|error| Problem::anywhere(error.to_string()))?;
        let access_control = Self {
            communities: CommunityTable::new(communities),
            vacm,
            allows_writing: tables.allows_writing,
        };
        Ok((access_control, document))
    }
}

struct Tables {
    vacm: VacmBuilder,
    views: BTreeSet<String>,
    allows_writing: bool,
}

impl Tables {
    fn new(views: Vec<document::View>) -> Result<Self, Problem> {
        let everything = ViewTreeFamily {
            subtree: Oid::new(&ISO_ORG).map_err(|error| Problem::anywhere(error.to_string()))?,
            mask: ViewMask::default(),
            included: true,
        };
        let mut tables = Self {
            vacm: Vacm::builder().context("").view(ALL, everything),
            views: BTreeSet::from([ALL.to_owned()]),
            allows_writing: false,
        };
        for view in views {
            tables.view(view)?;
        }
        Ok(tables)
    }

    fn view(&mut self, view: document::View) -> Result<(), Problem> {
        let (span, name) = (view.name.span(), view.name.into_inner());
        if name == ALL {
            return Err(Problem::at(
                span,
                "the view \"all\" always exists and cannot be changed; give this one another name",
            ));
        }
        if name.is_empty() {
            return Err(Problem::at(span, "the name of a view must not be empty"));
        }
        if !self.views.insert(name.clone()) {
            return Err(Problem::at(
                span,
                format!("the view {name:?} exists already"),
            ));
        }
        if view.include.is_empty() {
            return Err(Problem::at(
                span,
                format!(
                    "the view {name:?} includes nothing: add `include = [\"1.3.6.1\"]` or another name"
                ),
            ));
        }
        let included = view.include.into_iter().map(|subtree| subtree.0);
        let excluded = view.exclude.into_iter().map(|subtree| ViewTreeFamily {
            included: false,
            ..subtree.0
        });
        self.vacm = included
            .chain(excluded)
            .fold(std::mem::take(&mut self.vacm), |vacm, family| {
                vacm.view(name.clone(), family)
            });
        Ok(())
    }

    /// The name of a view that must exist; the empty name, which is no access, where none is written.
    fn existing_view(&self, view: Option<Spanned<String>>) -> Result<String, Problem> {
        let Some(view) = view else {
            return Ok(String::new());
        };
        let (span, name) = (view.span(), view.into_inner());
        if self.views.contains(&name) {
            return Ok(name);
        }
        let views: Vec<_> = self.views.iter().map(String::as_str).collect();
        Err(Problem::at(
            span,
            format!(
                "there is no view {name:?}; the views are {}",
                views.join(", ")
            ),
        ))
    }

    /// What is allowed without any configuration: reading, from this host.
    fn default_community(&mut self) -> Vec<Community> {
        let security_name = self.simple_access(1, ALL.to_owned(), false);
        vec![Community {
            name: b"public".to_vec(),
            security_name,
            context_name: String::new(),
            sources: SourceAddresses::loopback(),
        }]
    }

    fn community(
        &mut self,
        number: usize,
        community: document::Community,
    ) -> Result<Community, Problem> {
        let name_span = community.name.span();
        let name = community.name.into_inner();
        if name.is_empty() {
            return Err(Problem::at(
                name_span,
                "the name of a community must not be empty",
            ));
        }
        if let Some(context) = community
            .context
            .filter(|context| !context.get_ref().is_empty())
        {
            let message = format!(
                "there is no context {:?}: this agent has the default context \"\" alone",
                context.get_ref()
            );
            return Err(Problem::at(context.span(), message));
        }
        let view = match community.view {
            None => ALL.to_owned(),
            Some(view) if community.access == CommunityAccess::None => {
                return Err(Problem::at(
                    view.span(),
                    "`view` has no effect where `access = \"none\"`; [[access]] names the views there",
                ));
            }
            view => self.existing_view(view)?,
        };
        let security_name = match (community.access, community.security_name) {
            (CommunityAccess::None, None) => SecurityName::new(name.clone()),
            (CommunityAccess::None, Some(security_name)) => {
                SecurityName::new(security_name.into_inner())
            }
            (_, Some(security_name)) => {
                return Err(Problem::at(
                    security_name.span(),
                    "`security-name` goes with `access = \"none\"`: then [[group]] and [[access]] decide",
                ));
            }
            (access, None) => {
                self.simple_access(number, view, access == CommunityAccess::ReadWrite)
            }
        };
        Ok(Community {
            name: name.into_bytes(),
            security_name,
            context_name: String::new(),
            sources: match community.sources {
                None => SourceAddresses::loopback(),
                Some(sources) => {
                    SourceAddresses::Within(sources.into_iter().map(|source| source.0).collect())
                }
            },
        })
    }

    /// Gives a community access to a view without [[group]] and [[access]]: a security name and a group of its own.
    fn simple_access(&mut self, number: usize, view: String, may_write: bool) -> SecurityName {
        let name = format!("community-{number}");
        let security_name = SecurityName::new(name.clone());
        self.allows_writing |= may_write;
        let mut vacm = std::mem::take(&mut self.vacm).access(AccessEntry {
            group: name.clone(),
            context_prefix: String::new(),
            context_match: ContextMatch::Exact,
            security_model: None,
            security_level: SecurityLevel::NoAuthNoPriv,
            write_view: if may_write {
                view.clone()
            } else {
                String::new()
            },
            notify_view: view.clone(),
            read_view: view,
        });
        for model in MODELS {
            vacm = vacm.group(model, security_name.clone(), name.clone());
        }
        self.vacm = vacm;
        security_name
    }

    fn group(&mut self, group: document::Group) -> Result<(), Problem> {
        let span = group.name.span();
        let name = group.name.into_inner();
        if name.is_empty() {
            return Err(Problem::at(span, "the name of a group must not be empty"));
        }
        for security_name in group.security_names {
            let security_name = SecurityName::new(security_name.into_inner());
            self.vacm = std::mem::take(&mut self.vacm).group(
                group.security_model.into(),
                security_name,
                name.clone(),
            );
        }
        Ok(())
    }

    fn access(
        &mut self,
        access: document::Access,
        groups: &BTreeSet<String>,
    ) -> Result<(), Problem> {
        let (span, group) = (access.group.span(), access.group.into_inner());
        if !groups.contains(&group) {
            let groups: Vec<_> = groups.iter().map(String::as_str).collect();
            let existing = if groups.is_empty() {
                "none".to_owned()
            } else {
                groups.join(", ")
            };
            return Err(Problem::at(
                span,
                format!("there is no [[group]] named {group:?}; those that exist: {existing}"),
            ));
        }
        let entry = AccessEntry {
            group,
            context_prefix: access.context,
            context_match: access.context_match.into(),
            security_model: access.security_model.map(SecurityModel::from),
            security_level: access.security_level.into(),
            read_view: self.existing_view(access.read)?,
            write_view: self.existing_view(access.write)?,
            notify_view: self.existing_view(access.notify)?,
        };
        self.allows_writing |= !entry.write_view.is_empty();
        self.vacm = std::mem::take(&mut self.vacm).access(entry);
        Ok(())
    }
}
