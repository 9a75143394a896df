//! Hosts with the settings of all their groups.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::env;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::document::{Document, GroupEntry, HostEntry};
use crate::error::Error;
use crate::formats;
use crate::host::{self, Host};
use crate::settings::Settings;
use crate::suggestion::did_you_mean;

/// The environment variable that names inventories, with colons between them.
pub const HOSTS_VARIABLE: &str = "VARBIND_HOSTS";
const OF_SYSTEM: &str = "/etc/varbind/hosts.toml";

/// Hosts and groups, from any number of files.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    hosts: Vec<Host>,
    positions: HashMap<String, usize>,
    groups: BTreeSet<String>,
    warnings: Vec<String>,
    has_files: bool,
}

/// The files that are read where none is named: the user's, then the system's.
#[must_use]
pub fn usual_files() -> Vec<PathBuf> {
    let absolute = |variable: &str| {
        let path = env::var_os(variable).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let directory =
        absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")));
    let of_user = directory.map(|directory| directory.join("varbind/hosts.toml"));
    of_user
        .into_iter()
        .chain([PathBuf::from(OF_SYSTEM)])
        .collect()
}

impl Inventory {
    /// The files of `VARBIND_HOSTS`, or else those of [`usual_files`] that exist and that the user may read.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn of_user() -> Result<Self, Error> {
        if let Some(named) = env::var_os(HOSTS_VARIABLE) {
            let files = env::split_paths(&named).filter(|file| !file.as_os_str().is_empty());
            return Self::read(files);
        }
        let files = usual_files().into_iter().filter(|file| file.exists());
        // The system's file may be for others.
        let (denied, readable): (Vec<_>, Vec<_>) = files.partition(|file| {
            let opened = File::open(file);
            opened.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
        });
        let mut inventory = Self::read(readable)?;
        for file in denied {
            let file = file.display();
            let warning = format!("{file} is ignored: you may not read it");
            inventory.warnings.push(warning);
        }
        Ok(inventory)
    }

    /// Reads an inventory from these files. Where two files have a setting of one host or group, the first file wins.
    ///
    /// # Errors
    /// If a file cannot be read, or something in it is wrong.
    pub fn read<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Result<Self, Error> {
        let mut whole = Document::default();
        let mut has_files = false;
        for file in files {
            has_files = true;
            whole.absorb(formats::read(file.as_ref())?);
        }
        let inventory = Self::resolve(whole)?;
        Ok(Self {
            has_files,
            ..inventory
        })
    }

    /// All hosts, in the order of the files.
    #[must_use]
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The host of a name.
    #[must_use]
    pub fn host(&self, name: &str) -> Option<&Host> {
        self.hosts.get(*self.positions.get(name)?)
    }

    /// The names of all groups.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().map(String::as_str)
    }

    /// Warnings about lines of the files that have no effect.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether any file was read.
    #[must_use]
    pub const fn has_files(&self) -> bool {
        self.has_files
    }

    fn resolve(document: Document) -> Result<Self, Error> {
        let memberships = Memberships::of(&document)?;
        let defaults = Defaults::of(&document);
        let mut layers = HashMap::new();
        let mut inventory = Self {
            groups: document.groups.keys().cloned().collect(),
            warnings: document.warnings,
            ..Self::default()
        };
        for (number, entry) in document.hosts.into_iter().enumerate() {
            let direct = memberships
                .direct
                .get(&entry.name)
                .cloned()
                .unwrap_or_default();
            let below = defaults
                .of_host
                .get(&entry.name)
                .cloned()
                .unwrap_or_default();
            let layer = layers
                .entry((direct, below))
                .or_insert_with_key(|(direct, below)| {
                    let groups = memberships.all(direct);
                    let mut settings = memberships.settings(&groups, &document.groups);
                    for position in below {
                        if let Some(defaults) = document.defaults.get(*position) {
                            settings.inherit(&defaults.settings);
                        }
                    }
                    (Arc::new(groups), Arc::new(settings))
                });
            inventory.positions.insert(entry.name.clone(), number);
            inventory.hosts.push(finish(entry, layer)?);
        }
        Ok(inventory)
    }
}

/// A host with the settings of the layers below its own.
fn finish(
    entry: HostEntry,
    (groups, below): &(Arc<BTreeSet<String>>, Arc<Settings>),
) -> Result<Host, Error> {
    let HostEntry {
        name,
        settings,
        labels,
        origin,
    } = entry;
    let settings = match settings.is_empty() {
        true => Arc::clone(below),
        false => Arc::new(settings.or(below)),
    };
    let address = host::address(&name, &settings).map_err(|error| {
        origin
            .source
            .problem(origin.line, format!("host {name}: {error}"))
    })?;
    let has_place =
        settings.address.is_some() || settings.transport.is_some() || settings.port.is_some();
    let settings = match has_place {
        false => settings,
        true => Arc::new(Settings {
            address: None,
            transport: None,
            port: None,
            ..Settings::clone(&settings)
        }),
    };
    Ok(Host {
        name,
        address,
        settings,
        groups: Arc::clone(groups),
        labels,
    })
}

/// Which defaults are for which hosts, by position, the most special first.
struct Defaults {
    of_host: HashMap<String, Vec<usize>>,
}

impl Defaults {
    fn of(document: &Document) -> Self {
        let mut of_host: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, defaults) in document.defaults.iter().enumerate().rev() {
            for host in &defaults.hosts {
                of_host.entry(host.clone()).or_default().push(position);
            }
        }
        Self { of_host }
    }
}

/// Which host is in which groups.
struct Memberships {
    /// The groups that have the host themselves.
    direct: HashMap<String, BTreeSet<String>>,
    /// The groups that have the group as a child.
    parents: HashMap<String, BTreeSet<String>>,
    /// How many groups are above a group at most.
    depths: HashMap<String, usize>,
}

impl Memberships {
    fn of(document: &Document) -> Result<Self, Error> {
        let mut direct: HashMap<String, BTreeSet<String>> = HashMap::new();
        let mut parents: HashMap<String, BTreeSet<String>> = HashMap::new();
        for (name, group) in &document.groups {
            for host in &group.hosts {
                direct.entry(host.clone()).or_default().insert(name.clone());
            }
            for child in &group.children {
                check_child(document, name, group, child)?;
                parents
                    .entry(child.clone())
                    .or_default()
                    .insert(name.clone());
            }
        }
        let mut memberships = Self {
            direct,
            parents,
            depths: HashMap::new(),
        };
        for (name, group) in &document.groups {
            let depth = memberships.depth(name, &mut Vec::new());
            let depth = depth.map_err(|cycle| {
                let cycle = cycle.join(" in ");
                problem(group, format!("a group is in itself: {cycle}"))
            })?;
            memberships.depths.insert(name.clone(), depth);
        }
        Ok(memberships)
    }

    /// How many groups are above a group, or the groups that are in each other.
    fn depth(&self, name: &str, below: &mut Vec<String>) -> Result<usize, Vec<String>> {
        if let Some(depth) = self.depths.get(name) {
            return Ok(*depth);
        }
        let is_cycle = below.iter().any(|group| group == name);
        below.push(name.to_owned());
        if is_cycle {
            return Err(below.clone());
        }
        let mut depth = 0;
        for parent in self.parents.get(name).into_iter().flatten() {
            depth = depth.max(self.depth(parent, below)? + 1);
        }
        below.pop();
        Ok(depth)
    }

    /// These groups and all that they are in.
    fn all(&self, direct: &BTreeSet<String>) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        let mut pending: Vec<&String> = direct.iter().collect();
        while let Some(name) = pending.pop() {
            if all.insert(name.clone()) {
                pending.extend(self.parents.get(name).into_iter().flatten());
            }
        }
        all
    }

    /// The settings of groups: deeper ones over those above, and of two that are as deep, the later in the alphabet, as Ansible
    /// has it.
    fn settings(
        &self,
        names: &BTreeSet<String>,
        groups: &BTreeMap<String, GroupEntry>,
    ) -> Settings {
        let mut ordered: Vec<(usize, &String)> = names
            .iter()
            .map(|name| (self.depths.get(name).copied().unwrap_or_default(), name))
            .collect();
        ordered.sort_unstable();
        let mut settings = Settings::default();
        for (_, name) in ordered.into_iter().rev() {
            if let Some(group) = groups.get(name) {
                settings.inherit(&group.settings);
            }
        }
        settings
    }
}

fn check_child(
    document: &Document,
    name: &str,
    group: &GroupEntry,
    child: &str,
) -> Result<(), Error> {
    if document.groups.contains_key(child) {
        return Ok(());
    }
    let suggestion = match document.has_host(child) {
        true => format!("; {child} is a host: write it under hosts"),
        false => did_you_mean(child, document.groups.keys().map(String::as_str)),
    };
    Err(problem(
        group,
        format!("group {name}: there is no group {child}{suggestion}"),
    ))
}

fn problem(group: &GroupEntry, problem: String) -> Error {
    match &group.origin {
        Some(origin) => origin.source.problem(origin.line, problem),
        None => Error::Malformed {
            path: PathBuf::new(),
            line: 0,
            problem,
        },
    }
}
