//! The configuration that is made, entry by entry, and its text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use varbind_engine::engine_id::EngineId;

use super::ImportNote;
use super::directives::Directive;
use crate::hexadecimal;
use crate::persistence::EngineIdentity;

/// How programs run here, before the first of their tables.
const PROGRAMS: &str = "\n# Programs run in the background, every 60 s unless they have an `interval`, and as the user nobody unless they have a `user`;\n\
    # snmpd runs them as its own user, when it is asked.\n";

/// What has been carried over so far.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) engine_id: Option<EngineId>,
    pub(super) engine_boots: i32,
    pub(super) listen: Vec<String>,
    /// The user that snmpd becomes.
    pub(super) agent_user: Option<String>,
    /// Keys of `[system]` with their values, as TOML.
    pub(super) system: BTreeMap<&'static str, String>,
    /// Keys of `[host]` with their values, as TOML.
    pub(super) host: BTreeMap<&'static str, String>,
    pub(super) tells_authentication_failures: bool,
    pub(super) has_default_monitors: bool,
    pub(super) users: Vec<User>,
    pub(super) communities: Vec<Community>,
    /// Subtrees of views: included and excluded.
    pub(super) views: BTreeMap<String, View>,
    /// Tables that are written as they come, each with its directive before it.
    pub(super) tables: Vec<String>,
    /// Groups of users, each with its line and its table.
    pub(super) user_groups: Vec<UserGroup>,
    /// The other groups that have members.
    pub(super) groups: BTreeSet<String>,
    /// What groups may do.
    pub(super) access: Vec<GroupAccess>,
    /// Views that lines name, whether they exist or not.
    pub(super) named_views: BTreeSet<String>,
    /// The users in whose names snmpd asks itself.
    pub(super) own_users: BTreeSet<String>,
    /// Lines that have no effect in snmpd, as comments.
    pub(super) without_effect: Vec<String>,
    /// Whether a community that snmpd accepts from everywhere is for this host only.
    pub(super) restricts_communities: bool,
    /// Where subagents connect.
    pub(super) agentx: Agentx,
    /// The lines whose programs snmpd lets managers write to.
    pub(super) pass_lines: Vec<Directive>,
    /// The community of targets that name none.
    pub(super) trap_community: Option<String>,
}

#[derive(Default)]
pub(super) struct Agentx {
    /// Whether snmpd is their master.
    pub(super) is_served: bool,
    pub(super) socket: Option<String>,
    pub(super) listen: Vec<String>,
    pub(super) group: Option<String>,
}

impl Agentx {
    fn table(&self) -> String {
        if !self.is_served {
            return String::new();
        }
        let mut text = "\n[agentx]\n".to_owned();
        for (key, value) in [("socket", &self.socket), ("group", &self.group)] {
            if let Some(value) = value {
                let _ = writeln!(text, "{key} = {}", quoted(value));
            }
        }
        if !self.listen.is_empty() {
            let _ = writeln!(text, "listen = {}", list(&self.listen));
        }
        text
    }
}

#[derive(Default)]
pub(super) struct View {
    pub(super) include: Vec<String>,
    pub(super) exclude: Vec<String>,
}

/// A user, of createUser, rouser or what snmpd keeps.
#[derive(Clone, Debug, Default)]
pub(super) struct User {
    pub(super) name: String,
    pub(super) authentication: Option<Key>,
    pub(super) privacy: Option<Key>,
    /// Whether snmpd knows the user: it need not know those of groups, rouser and rwuser.
    pub(super) is_created: bool,
    /// Whether a group says what the user may do.
    pub(super) is_in_group: bool,
    /// What rouser or rwuser says.
    pub(super) access: Option<UserAccess>,
    /// The line of rouser or rwuser.
    pub(super) named_at: Option<Directive>,
}

/// What a group may do.
pub(super) struct GroupAccess {
    pub(super) group: String,
    pub(super) directive: Directive,
    pub(super) is_writing: bool,
    pub(super) table: String,
}

/// A line about a user without a key, or about one that snmpd does not have.
pub(super) struct WithoutKeys {
    pub(super) directive: Directive,
    pub(super) user: String,
    /// Whether snmpd knows the user.
    pub(super) is_created: bool,
}

/// A user as a member of a group.
pub(super) struct UserGroup {
    pub(super) group: String,
    pub(super) member: String,
    pub(super) directive: Directive,
    pub(super) table: String,
}

#[derive(Clone, Debug)]
pub(super) struct UserAccess {
    pub(super) is_writing: bool,
    pub(super) level: &'static str,
    pub(super) view: Option<String>,
}

/// A protocol, and a password or a key, as TOML: no `Debug` shows it.
#[derive(Clone)]
pub(super) struct Key {
    toml: String,
    /// Whether it is good for this agent alone.
    pub(super) is_localized: bool,
}

impl Key {
    pub(super) fn password(protocol: &str, password: &str) -> Self {
        let password = quoted(password);
        Self {
            toml: format!("{{ protocol = \"{protocol}\", password = {password} }}"),
            is_localized: false,
        }
    }

    pub(super) fn localized(protocol: &str, octets: &[u8]) -> Self {
        let digits = hexadecimal::encode(octets);
        Self {
            toml: format!("{{ protocol = \"{protocol}\", key = \"{digits}\" }}"),
            is_localized: true,
        }
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

/// A community of rocommunity, rwcommunity or com2sec.
pub(super) struct Community {
    pub(super) origin: String,
    pub(super) name: String,
    /// `None` where groups say what it may do.
    pub(super) is_writing: Option<bool>,
    pub(super) security_name: Option<String>,
    pub(super) view: Option<String>,
    pub(super) sources: Vec<String>,
}

/// A text as TOML.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn list(texts: &[String]) -> String {
    let quoted: Vec<_> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", quoted.join(", "))
}

/// Where an entry is from. What stands behind the keyword may be a secret.
pub(super) fn origin(directive: &Directive) -> String {
    format!(
        "# {}:{}: {}\n",
        directive.file.display(),
        directive.line,
        directive.keyword
    )
}

impl Draft {
    /// The user with this name, whom the first mention makes.
    pub(super) fn user(&mut self, name: &str) -> &mut User {
        let at = self.users.iter().position(|user| user.name == name);
        let at = at.unwrap_or_else(|| {
            self.users.push(User {
                name: name.to_owned(),
                ..User::default()
            });
            self.users.len() - 1
        });
        // The place was just found or made.
        #[expect(clippy::indexing_slicing, reason = "the place was just found or made")]
        &mut self.users[at]
    }

    /// Takes out users whom snmpd does not know, or who have no key and need one, and returns the lines that name them.
    pub(super) fn remove_users_without_keys(&mut self) -> Vec<WithoutKeys> {
        let needs_key = |user: &mut User| {
            let access = user.access.as_ref();
            let is_authenticated = access.is_some_and(|access| access.level != "no-auth-no-priv");
            !user.is_created || user.authentication.is_none() && is_authenticated
        };
        let removed: Vec<_> = self.users.extract_if(.., needs_key).collect();
        let find = |name: &str| removed.iter().find(|user| user.name == name);
        let line = |directive, user: &User| WithoutKeys {
            directive,
            user: user.name.clone(),
            is_created: user.is_created,
        };
        let is_without = |group: &mut UserGroup| find(&group.member).is_some();
        let groups: Vec<_> = self.user_groups.extract_if(.., is_without).collect();
        let of_users = removed.iter().filter_map(|user| {
            let directive = user.named_at.clone()?;
            Some(line(directive, user))
        });
        let of_groups = groups.into_iter().filter_map(|group| {
            let user = find(&group.member)?;
            Some(line(group.directive, user))
        });
        of_users.chain(of_groups).collect()
    }

    /// Whether a line about a missing user changes nothing in snmpd. So it is for the users in whose names snmpd asks itself, and for
    /// names of communities. If snmpd's own file was read (`has_users`), it is so for each user that is neither there nor created.
    pub(super) fn needs_no_user(&self, line: &WithoutKeys, has_users: bool) -> bool {
        let is_community = |community: &Community| {
            let name = community.security_name.as_deref();
            name == Some(&*line.user)
        };
        self.own_users.contains(&line.user)
            || !line.is_created && (has_users || self.communities.iter().any(is_community))
    }

    /// Keeps a line that has no effect in snmpd as a comment.
    pub(super) fn note_without_effect(&mut self, directive: &Directive, why: &str) {
        let origin = origin(directive);
        self.without_effect
            .push(format!("{}: {why}\n", printable(origin.trim_end())));
    }

    /// Takes out what groups may do that have no members, and gives views that do not exist no objects, as they have in snmpd.
    pub(super) fn resolve_names(&mut self) {
        let users = self.user_groups.iter().map(|group| group.group.clone());
        let known: BTreeSet<_> = self.groups.iter().cloned().chain(users).collect();
        let is_empty = |access: &mut GroupAccess| !known.contains(&access.group);
        let removed: Vec<_> = self.access.extract_if(.., is_empty).collect();
        for access in removed {
            self.note_without_effect(&access.directive, "the group has no members");
        }
        for name in std::mem::take(&mut self.named_views) {
            self.views.entry(name).or_default();
        }
    }

    /// Whether anybody may write anything.
    pub(super) fn allows_writing(&self) -> bool {
        let mut users = self.users.iter().filter_map(|user| user.access.as_ref());
        let mut communities = self.communities.iter();
        users.any(|access| access.is_writing)
            || communities.any(|community| community.is_writing == Some(true))
            || self.access.iter().any(|access| access.is_writing)
    }

    pub(super) fn identity(&self) -> Option<EngineIdentity> {
        Some(EngineIdentity {
            id: self.engine_id?,
            boots: self.engine_boots,
        })
    }

    /// The text of the configuration.
    pub(super) fn finish(self, file: &Path, notes: &[ImportNote]) -> String {
        let mut text = format!(
            "# Made by varbind agent import of {}. docs/agent.md explains all keys.\n\
             # It has secrets: only the agent's user should be able to read it.\n",
            file.display()
        );
        for note in notes {
            let _ = writeln!(text, "# Not as it was: {}", printable(&note.line()));
        }
        let listen = if self.listen.is_empty() {
            // Where snmpd listens by itself.
            vec!["udp:0.0.0.0:161".to_owned()]
        } else {
            self.listen
        };
        let _ = writeln!(text, "\nlisten = {}", list(&listen));
        if self.communities.is_empty() {
            text.push_str("community = []\n");
        }
        if let Some(user) = &self.agent_user {
            let _ = writeln!(text, "\n[process]\nuser = {}", quoted(user));
        }
        text.push_str("\n[system]\n");
        for (key, value) in &self.system {
            let _ = writeln!(text, "{key} = {value}");
        }
        if !self.system.contains_key("object-id") {
            text.push_str("# As snmpd answers, since pollers choose their templates by it.\nobject-id = \"net-snmp-linux\"\n");
        }
        if let Some(id) = &self.engine_id {
            let _ = writeln!(text, "\n[engine]\nid = \"{id}\"");
        }
        if !self.host.is_empty() {
            text.push_str("\n[host]\n");
            for (key, value) in &self.host {
                let _ = writeln!(text, "{key} = {value}");
            }
        }
        text.push_str(&self.agentx.table());
        let notifications = [
            ("authentication-failure", self.tells_authentication_failures),
            ("default-monitors", self.has_default_monitors),
        ];
        if notifications.iter().any(|(_, is_on)| *is_on) {
            text.push_str("\n[notifications]\n");
            for (key, _) in notifications.iter().filter(|(_, is_on)| *is_on) {
                let _ = writeln!(text, "{key} = true");
            }
        }
        for user in &self.users {
            text.push_str(&user.table());
        }
        for community in &self.communities {
            text.push_str(&community.table());
        }
        for (name, view) in &self.views {
            text.push_str(&view.table(name));
        }
        text.push_str(programs(&self.tables));
        let user_groups = self.user_groups.iter().map(|group| &group.table);
        let access = self.access.iter().map(|access| &access.table);
        for table in self.tables.iter().chain(user_groups).chain(access) {
            let _ = write!(text, "\n{table}");
        }
        if !self.without_effect.is_empty() {
            text.push_str("\n# Without effect in snmpd:\n");
            text.extend(self.without_effect);
        }
        text
    }
}

/// How programs run, where the tables have any.
fn programs(tables: &[String]) -> &'static str {
    let is_program = |table: &String| {
        ["[[extend]]\n", "[[pass]]\n"]
            .iter()
            .any(|header| table.contains(header))
    };
    match tables.iter().any(is_program) {
        true => PROGRAMS,
        false => "",
    }
}

/// A comment must not go on in another line.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

impl View {
    fn table(&self, name: &str) -> String {
        let has_nothing = self.include.is_empty();
        let comment = match has_nothing {
            true => "# No line of snmpd's says what it has. 0.0 is the name of nothing.\n",
            false => "",
        };
        // The agent takes no view that includes nothing.
        let nothing = ["0.0".to_owned()];
        let include = if has_nothing {
            &nothing[..]
        } else {
            &self.include
        };
        format!(
            "\n{comment}[[view]]\nname = {}\ninclude = {}\nexclude = {}\n",
            quoted(name),
            list(include),
            list(&self.exclude)
        )
    }
}

impl User {
    fn table(&self) -> String {
        let mut text = format!("\n[[user]]\nname = {}\n", quoted(&self.name));
        for (name, key) in [
            ("authentication", &self.authentication),
            ("privacy", &self.privacy),
        ] {
            if let Some(key) = key {
                let _ = writeln!(text, "{name} = {}", key.toml);
            }
        }
        match &self.access {
            None => text.push_str("access = \"none\"\n"),
            Some(access) => {
                let kind = if access.is_writing {
                    "read-write"
                } else {
                    "read-only"
                };
                let _ = writeln!(text, "access = \"{kind}\"\nlevel = \"{}\"", access.level);
                if let Some(view) = &access.view {
                    let _ = writeln!(text, "view = {}", quoted(view));
                }
            }
        }
        text
    }
}

impl Community {
    fn table(&self) -> String {
        let access = match self.is_writing {
            None => "none",
            Some(false) => "read-only",
            Some(true) => "read-write",
        };
        let mut text = format!(
            "\n{}[[community]]\nname = {}\naccess = \"{access}\"\nsources = {}\n",
            self.origin,
            quoted(&self.name),
            list(&self.sources)
        );
        if let Some(name) = &self.security_name {
            let _ = writeln!(text, "security-name = {}", quoted(name));
        }
        if let Some(view) = &self.view {
            let _ = writeln!(text, "view = {}", quoted(view));
        }
        text
    }
}
