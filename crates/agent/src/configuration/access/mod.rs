//! Communities, views, groups and access entries become the tables of the engine.

mod community;
mod entry;
mod principal;
mod proxy;
mod subagents;
mod transport_user;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toml::Spanned;
use varbind_codec::smi::Oid;
use varbind_engine::access_control::{
    AccessEntry, ContextMatch, Vacm, VacmBuilder, ViewMask, ViewTree, ViewTreeFamily,
};
use varbind_engine::applications::notification_originator::TargetPrincipal;
use varbind_engine::security::{CommunityTable, SecurityLevel, SecurityModel, SecurityName};

use super::document::{self, Document, SimpleAccess};
use super::error::Problem;
use super::proxy::{ConfiguredProxy, Surroundings};
use super::user::{ConfiguredUser, Passwords};
use entry::level_name;

/// The view of everything but the tables that say who may do what, which always exists.
const ALL: &str = "all";
/// The view of everything, which always exists.
const EVERYTHING: &str = "everything";
/// The view of snmpEngineID alone, which always exists.
pub(super) const ENGINE_ID: &str = "snmp-engine-id";
/// snmpEngineID (RFC 3411 section 5).
const SNMP_ENGINE_ID: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 2, 1, 1];
/// iso.std, iso.member-body and iso.org: below them are all names that SNMP uses. LLDP-MIB is below the first, IEEE8023-LAG-MIB
/// below the second.
const ROOTS: [&[u32]; 3] = [&[1, 0], &[1, 2], &[1, 3]];
/// usmUser, vacmMIBObjects, snmpCommunityMIBObjects, snmpTsmConfiguration, snmpNotifyObjects, snmpProxyObjects and the tables
/// of targets and of the names that certificates stand for. RFC 3414 section 11.5, RFC 3415 section 7, RFC 3584 section 7 and
/// the security considerations of RFC 3413, RFC 5591 and RFC 6353 have them kept from who need not see them: they tell users,
/// communities, what each may do, and where requests and notifications go.
const KEPT_FROM_ALL: [&[u32]; 10] = [
    &[1, 3, 6, 1, 2, 1, 190, 1, 2],
    &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3],
    &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 6],
    &[1, 3, 6, 1, 6, 3, 12, 1, 2],
    &[1, 3, 6, 1, 6, 3, 12, 1, 3],
    &[1, 3, 6, 1, 6, 3, 13, 1],
    &[1, 3, 6, 1, 6, 3, 14, 1],
    &[1, 3, 6, 1, 6, 3, 15, 1, 2],
    &[1, 3, 6, 1, 6, 3, 16, 1],
    &[1, 3, 6, 1, 6, 3, 18, 1],
];

/// The groups, and whether they have communities (`false`) and users (`true`) among their members.
type Groups = BTreeMap<String, BTreeSet<bool>>;

/// Access of one security name to one view, without [[group]] and [[access]].
struct Simple<'m> {
    group: String,
    security_name: SecurityName,
    models: &'m [SecurityModel],
    level: SecurityLevel,
    view: String,
    may_write: bool,
    context: String,
}

/// Who may do what.
pub(super) struct AccessControl {
    pub(super) communities: CommunityTable,
    pub(super) users: Vec<ConfiguredUser>,
    /// Tables that can be built: the views that they name exist.
    pub(super) vacm: VacmBuilder,
    /// Whether anybody may set anything.
    pub(super) allows_writing: bool,
    /// Targets of notifications, and in whose name they are sent to.
    pub(super) targets: Vec<(document::NotificationTarget, TargetPrincipal)>,
    /// The files that passwords and communities were read from.
    pub(super) secret_files: Vec<PathBuf>,
    /// Other agents that requests are passed on to.
    pub(super) proxies: Vec<ConfiguredProxy>,
    /// Settings that are valid but probably mistakes.
    pub(super) warnings: Vec<String>,
}

impl AccessControl {
    pub(super) fn new(document: Document, directory: &Path) -> Result<(Self, Document), Problem> {
        let mut document = document;
        let mut tables = Tables::new(std::mem::take(&mut document.view))?;
        let mut passwords = Passwords::default();
        let users = std::mem::take(&mut document.user)
            .into_iter()
            .map(|user| tables.user(user, directory, &mut passwords))
            .collect::<Result<Vec<_>, _>>()?;
        tables.warnings.append(&mut passwords.warnings);
        for user in std::mem::take(&mut document.transport_user) {
            tables.transport_user(user)?;
        }
        let written_proxies = std::mem::take(&mut document.proxy);
        let surroundings = Surroundings {
            users: &users,
            directory,
        };
        let proxies = surroundings.proxies(&written_proxies, &mut tables.warnings)?;
        tables.add_contexts(&proxies);
        let secret_files = secret_files(passwords, &written_proxies, directory);
        tables.add_subagent_contexts(document.agentx.as_ref())?;
        let has_users = !users.is_empty() || !tables.transport_users.is_empty();
        let communities = match document.community.take() {
            None if has_users => Vec::new(),
            None => tables.default_community(),
            Some(communities) => communities
                .into_iter()
                .enumerate()
                .map(|(at, community)| tables.community(at + 1, community))
                .collect::<Result<_, _>>()?,
        };
        tables.groups_and_access(&mut document)?;
        for (written, proxy) in written_proxies.into_iter().zip(&proxies) {
            tables.proxy(written, proxy)?;
        }
        tables.subagent_contexts(document.agentx.as_ref())?;
        tables.warn_of_unused(&proxies, &communities);
        let targets = std::mem::take(&mut document.notification_target)
            .into_iter()
            .enumerate()
            .map(|(at, target)| {
                let principal = tables.principal(at + 1, &target, &communities, &users)?;
                Ok((target, principal))
            })
            .collect::<Result<_, Problem>>()?;
        tables
            .vacm
            .clone()
            .build()
            .map_err(|error| Problem::anywhere(error.to_string()))?;
        let access_control = Self {
            communities: CommunityTable::new(communities),
            users,
            vacm: tables.vacm,
            allows_writing: tables.allows_writing,
            targets,
            secret_files,
            proxies,
            warnings: tables.warnings,
        };
        Ok((access_control, document))
    }
}

/// The files that passwords of users and communities of proxies are read from.
fn secret_files(
    passwords: Passwords,
    proxies: &[document::Proxy],
    directory: &Path,
) -> Vec<PathBuf> {
    let communities = proxies.iter().filter_map(|it| it.community_file.as_ref());
    let communities = communities.map(|file| directory.join(file.get_ref()));
    passwords.files.into_iter().chain(communities).collect()
}

struct Tables {
    vacm: VacmBuilder,
    views: BTreeSet<String>,
    users: BTreeSet<String>,
    /// Of these, the ones whose access is said with the user.
    users_with_access: BTreeSet<String>,
    transport_users: BTreeSet<String>,
    /// Of these, the ones whose access is said with them.
    transport_users_with_access: BTreeSet<String>,
    /// Contexts of this engine for which requests are passed on.
    contexts: BTreeSet<String>,
    allows_writing: bool,
    warnings: Vec<String>,
}

impl Tables {
    fn new(views: Vec<document::View>) -> Result<Self, Problem> {
        let family = |subtree, included| {
            let subtree =
                Oid::new(subtree).map_err(|error| Problem::anywhere(error.to_string()))?;
            Ok::<_, Problem>(ViewTreeFamily {
                subtree,
                mask: ViewMask::default(),
                included,
            })
        };
        let mut vacm = Vacm::builder()
            .context("")
            .view(ENGINE_ID, family(SNMP_ENGINE_ID, true)?);
        for root in ROOTS {
            vacm = vacm
                .view(EVERYTHING, family(root, true)?)
                .view(ALL, family(root, true)?);
        }
        for subtree in KEPT_FROM_ALL {
            vacm = vacm.view(ALL, family(subtree, false)?);
        }
        let mut tables = Self {
            vacm,
            views: BTreeSet::from([ALL.to_owned(), EVERYTHING.to_owned()]),
            users: BTreeSet::new(),
            users_with_access: BTreeSet::new(),
            transport_users: BTreeSet::new(),
            transport_users_with_access: BTreeSet::new(),
            contexts: BTreeSet::new(),
            allows_writing: false,
            warnings: Vec::new(),
        };
        for view in views {
            tables.view(view)?;
        }
        Ok(tables)
    }

    fn groups_and_access(&mut self, document: &mut Document) -> Result<(), Problem> {
        let mut groups = Groups::new();
        for group in &document.group {
            let is_of_users = group.security_model.is_of_users();
            let models = groups.entry(group.name.get_ref().clone()).or_default();
            models.insert(is_of_users);
        }
        for group in std::mem::take(&mut document.group) {
            self.group(group)?;
        }
        for access in std::mem::take(&mut document.access) {
            self.access(access, &groups)?;
        }
        Ok(())
    }

    fn view(&mut self, view: document::View) -> Result<(), Problem> {
        let (span, name) = (view.name.span(), view.name.into_inner());
        if [ALL, EVERYTHING, ENGINE_ID].contains(&name.as_str()) {
            return Err(Problem::at(
                span,
                format!(
                    "the view {name:?} always exists and cannot be changed; give this one another name"
                ),
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
        let families: Vec<_> = included.chain(excluded).collect();
        let tree = ViewTree::new(families.clone());
        for (exclusion, inclusion) in tree.overruled_exclusions() {
            self.warnings.push(format!(
                "view {name:?}: `exclude` {} hides nothing, since the longest subtree that matches decides: {} of `include` is \
                 longer; exclude what is to be hidden with a longer name",
                exclusion.subtree, inclusion.subtree,
            ));
        }
        self.vacm = families
            .into_iter()
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

    /// The view that `access` is about, without [[access]].
    fn simple_view(
        &self,
        access: SimpleAccess,
        view: Option<Spanned<String>>,
    ) -> Result<String, Problem> {
        match view {
            None => Ok(ALL.to_owned()),
            Some(view) if access == SimpleAccess::None => Err(Problem::at(
                view.span(),
                "`view` has no effect where `access = \"none\"`; [[access]] names the views there",
            )),
            view => self.existing_view(view),
        }
    }

    fn user(
        &mut self,
        user: document::User,
        directory: &Path,
        passwords: &mut Passwords,
    ) -> Result<ConfiguredUser, Problem> {
        let configured = ConfiguredUser::new(&user, directory, passwords)?;
        let (span, name) = (user.name.span(), user.name.into_inner());
        if !self.users.insert(name.clone()) {
            return Err(Problem::at(
                span,
                format!("the user {name:?} exists already"),
            ));
        }
        let view = self.simple_view(user.access, user.view)?;
        let level = match (user.access, user.level) {
            (SimpleAccess::None, None) => return Ok(configured),
            (SimpleAccess::None, Some(level)) => {
                return Err(Problem::at(
                    level.span(),
                    "`level` has no effect where `access = \"none\"`; [[access]] has `security-level`",
                ));
            }
            // Less than everything is asked for by name.
            (_, None) => SecurityLevel::AuthPriv,
            (_, Some(level)) => level.into_inner().into(),
        };
        if configured.highest_level() < level {
            let (missing, lower) = match configured.highest_level() {
                SecurityLevel::NoAuthNoPriv => ("authentication", "noAuthNoPriv"),
                _ => ("privacy", "authNoPriv"),
            };
            return Err(Problem::at(
                span,
                format!(
                    "the user {name:?} has no {missing}, and could do nothing at level {}: add `{missing} = {{ .. }}`, \
                     or allow less with `level = \"{lower}\"`",
                    level_name(level)
                ),
            ));
        }
        self.users_with_access.insert(name.clone());
        self.simple_access(Simple {
            group: format!("user-{}", self.users.len()),
            security_name: SecurityName::new(name),
            models: &[SecurityModel::UserBased],
            level,
            view,
            may_write: user.access == SimpleAccess::ReadWrite,
            context: String::new(),
        });
        Ok(configured)
    }

    fn simple_access(&mut self, simple: Simple<'_>) {
        let Simple {
            group,
            security_name,
            models,
            level,
            view,
            may_write,
            context,
        } = simple;
        self.allows_writing |= may_write && context.is_empty();
        let entry = AccessEntry {
            group: group.clone(),
            context_prefix: context,
            context_match: ContextMatch::Exact,
            security_model: None,
            security_level: level,
            write_view: if may_write {
                view.clone()
            } else {
                String::new()
            },
            notify_view: view.clone(),
            read_view: view,
        };
        let mut vacm = std::mem::take(&mut self.vacm).access(entry);
        for &model in models {
            vacm = vacm.group(model, security_name.clone(), group.clone());
        }
        self.vacm = vacm;
    }

    /// Lets a group that transports authenticate read snmpEngineID in messages without authentication: Net-SNMP asks for it in
    /// such, whatever level it was told (RFC 5343 section 3.2), and goes no further without an answer.
    fn engine_id_access(&mut self, group: String) {
        self.vacm = std::mem::take(&mut self.vacm).access(AccessEntry {
            group,
            context_prefix: String::new(),
            context_match: ContextMatch::Exact,
            security_model: None,
            security_level: SecurityLevel::NoAuthNoPriv,
            read_view: ENGINE_ID.to_owned(),
            write_view: String::new(),
            notify_view: String::new(),
        });
    }
}
