//! Ansible inventories in YAML, and in the JSON that `ansible-inventory --list` and inventory programs write.

use std::path::Path;

use super::ansible_variables;
use crate::document::{Document, Origin};
use crate::error::Error;
use crate::node::{Entry, Node};
use crate::range::expand;
use crate::settings::Settings;
use crate::source::Source;

/// The group of all hosts.
const ALL: &str = "all";
/// The group of hosts that are in no other.
const UNGROUPED: &str = "ungrouped";
/// The key of `ansible-inventory --list` with the variables of hosts.
const META: &str = "_meta";

/// How deep groups may be nested.
const MAX_DEPTH: usize = 32;

/// Reads the file.
pub(super) fn document(source: &Source, root: &Node) -> Result<Document, Error> {
    let mut reader = Reader {
        source,
        document: Document::default(),
        defaults: Settings::default(),
    };
    let groups = root.entries();
    for group in groups.ok_or_else(|| source.expected(root, "the file", "a table of groups"))? {
        match group.key.as_str() {
            META => reader.read_meta(&group.value)?,
            _ => reader.read_group(group, 0)?,
        }
    }
    reader.read_variable_files()?;
    Ok(reader.finish())
}

struct Reader<'s> {
    source: &'s Source,
    document: Document,
    defaults: Settings,
}

impl Reader<'_> {
    fn finish(mut self) -> Document {
        self.document.set_defaults(self.defaults);
        self.document
    }

    fn origin(&self, line: usize) -> Origin {
        Origin {
            source: self.source.clone(),
            line,
        }
    }

    fn read_group(&mut self, group: &Entry, depth: usize) -> Result<(), Error> {
        let source = self.source;
        let name = group.key.as_str();
        if depth > MAX_DEPTH {
            let problem = format!("{name}: groups are nested deeper than {MAX_DEPTH}");
            return Err(source.problem(group.line, problem));
        }
        let origin = self.origin(group.line);
        if !is_general(name) {
            self.document.group(name, &origin);
        }
        // Inventory programs may write a list of hosts in place of a group.
        if let Some(hosts) = group.value.items().filter(|items| !items.is_empty()) {
            return hosts.iter().try_for_each(|host| self.read_name(name, host));
        }
        let parts = group.value.entries();
        let parts = parts.ok_or_else(|| source.expected(&group.value, name, "a table"))?;
        for part in parts {
            match part.key.as_str() {
                "hosts" => self.read_hosts(name, &part.value)?,
                "vars" => {
                    let variables = self.variables(&part.value, "vars")?;
                    self.add(name, &variables, &origin);
                }
                "children" => self.read_children(name, &part.value, depth)?,
                unknown => {
                    let suggestion =
                        crate::suggestion::did_you_mean(unknown, ["hosts", "vars", "children"]);
                    let problem = format!(
                        "unknown key {unknown} of group {name} (known: hosts, vars, children){suggestion}"
                    );
                    return Err(source.problem(part.line, problem));
                }
            }
        }
        Ok(())
    }

    /// Adds settings to a group.
    fn add(&mut self, group: &str, settings: &Settings, origin: &Origin) {
        match group {
            ALL => self.defaults.inherit(settings),
            _ => self
                .document
                .group(group, origin)
                .settings
                .inherit(settings),
        }
    }

    fn read_children(&mut self, parent: &str, node: &Node, depth: usize) -> Result<(), Error> {
        let source = self.source;
        let origin = self.origin(node.line);
        let mut names = Vec::new();
        if let Some(children) = node.entries() {
            for child in children {
                self.read_group(child, depth + 1)?;
                names.push(child.key.clone());
            }
        } else {
            let texts = node.texts();
            let texts = texts.ok_or_else(|| source.expected(node, "children", "a table"))?;
            names.extend(texts.into_iter().map(str::to_owned));
        }
        names.retain(|name| !is_general(name));
        if !is_general(parent) {
            self.document.group(parent, &origin).children.extend(names);
        }
        Ok(())
    }

    fn read_hosts(&mut self, group: &str, node: &Node) -> Result<(), Error> {
        let source = self.source;
        if let Some(hosts) = node.entries() {
            for host in hosts {
                let variables = self.variables(&host.value, &host.key)?;
                self.add_hosts(group, &host.key, host.line, &variables)?;
            }
            return Ok(());
        }
        let hosts = node.items();
        let hosts = hosts.ok_or_else(|| source.expected(node, "hosts", "a table"))?;
        hosts
            .iter()
            .try_for_each(|host| self.read_name(group, host))
    }

    fn read_name(&mut self, group: &str, host: &Node) -> Result<(), Error> {
        let name = host.text();
        let name = name.ok_or_else(|| self.source.expected(host, group, "a name"))?;
        self.add_hosts(group, name, host.line, &Settings::default())
    }

    fn add_hosts(
        &mut self,
        group: &str,
        text: &str,
        line: usize,
        own: &Settings,
    ) -> Result<(), Error> {
        let origin = self.origin(line);
        let names = expand(text).map_err(|problem| self.source.problem(line, problem))?;
        for name in names {
            if let Some(host) = self.document.host(&name, &origin) {
                host.settings.inherit(own);
            }
            if !is_general(group) {
                self.document.put(&name, group, &origin);
            }
        }
        Ok(())
    }

    /// The settings in a table of variables.
    fn variables(&mut self, node: &Node, key: &str) -> Result<Settings, Error> {
        let source = self.source;
        let mut settings = Settings::default();
        let entries = node.entries();
        let entries = entries.ok_or_else(|| source.expected(node, key, "a table of variables"))?;
        for entry in sorted(entries) {
            ansible_variables::take(
                &mut settings,
                source,
                &entry.key,
                &entry.value,
                &mut self.document,
            )?;
        }
        Ok(settings)
    }

    /// `_meta: {hostvars: {HOST: {VARIABLE: VALUE}}}`.
    fn read_meta(&mut self, node: &Node) -> Result<(), Error> {
        let entries = node.entries().unwrap_or_default();
        for part in entries.iter().filter(|entry| entry.key == "hostvars") {
            for host in part.value.entries().unwrap_or_default() {
                let variables = self.variables(&host.value, &host.key)?;
                self.add_hosts(ALL, &host.key, host.line, &variables)?;
            }
        }
        Ok(())
    }

    fn read_variable_files(&mut self) -> Result<(), Error> {
        read_variable_files(self.source, &mut self.document, &mut self.defaults)
    }
}

/// `snmp_*` before `ansible_host`, which is for SSH and counts only where there is nothing else.
fn sorted(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    let is_ours = |entry: &&Entry| entry.key.starts_with("snmp_");
    let others = entries.iter().filter(move |entry| !is_ours(entry));
    entries.iter().filter(is_ours).chain(others)
}

pub(super) fn is_general(group: &str) -> bool {
    matches!(group, ALL | UNGROUPED)
}

/// Reads `group_vars/GROUP.yml` and `host_vars/HOST.yml` beside the inventory, for groups and hosts that it has.
pub(super) fn read_variable_files(
    source: &Source,
    document: &mut Document,
    defaults: &mut Settings,
) -> Result<(), Error> {
    let directory = source.path.parent().unwrap_or(Path::new(""));
    let groups = directory.join("group_vars");
    if groups.is_dir() {
        // Variables in files count more than those in the inventory itself.
        let mut all = read_variables(&groups, ALL, document)?;
        all.inherit(defaults);
        *defaults = all;
        let names: Vec<String> = document.groups.keys().cloned().collect();
        for name in names {
            let mut settings = read_variables(&groups, &name, document)?;
            if let Some(group) = document.groups.get_mut(&name) {
                settings.inherit(&group.settings);
                group.settings = settings;
            }
        }
    }
    let hosts = directory.join("host_vars");
    if hosts.is_dir() {
        for position in 0..document.hosts.len() {
            let name = document.hosts.get(position).map(|host| host.name.clone());
            let mut settings = read_variables(&hosts, &name.unwrap_or_default(), document)?;
            if let Some(host) = document.hosts.get_mut(position) {
                settings.inherit(&host.settings);
                host.settings = settings;
            }
        }
    }
    Ok(())
}

/// The settings in the file of this name, if there is one.
fn read_variables(
    directory: &Path,
    name: &str,
    document: &mut Document,
) -> Result<Settings, Error> {
    let mut settings = Settings::default();
    // No way out of the directory.
    if name.contains('/') {
        return Ok(settings);
    }
    let names = ["", ".yml", ".yaml", ".json"].map(|suffix| format!("{name}{suffix}"));
    let files = names.into_iter().map(|name| directory.join(name));
    let Some(file) = files.into_iter().find(|file| file.is_file()) else {
        return Ok(settings);
    };
    let (source, text) = Source::read(&file)?;
    // A whole file that Ansible Vault has encrypted has nothing for us.
    if text.starts_with("$ANSIBLE_VAULT") {
        let file = file.display();
        let warning = format!("{file} is encrypted by Ansible Vault, and ignored");
        document.warnings.push(warning);
        return Ok(settings);
    }
    let node = Node::of_yaml(&text).map_err(|(line, problem)| source.problem(line, problem))?;
    let entries = node.entries();
    let entries =
        entries.ok_or_else(|| source.expected(&node, "the file", "a table of variables"))?;
    for entry in sorted(entries) {
        ansible_variables::take(&mut settings, &source, &entry.key, &entry.value, document)?;
    }
    Ok(settings)
}
