//! The content of inventory files, before groups are resolved.

use std::collections::{BTreeMap, HashMap};

use crate::settings::Settings;
use crate::source::Source;

/// Hosts and groups as they are written.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) hosts: Vec<HostEntry>,
    positions: HashMap<String, usize>,
    pub(crate) groups: BTreeMap<String, GroupEntry>,
    /// Settings below those of groups, and the hosts that they are for, the most general first.
    pub(crate) defaults: Vec<Defaults>,
    pub(crate) warnings: Vec<String>,
}

/// A host as it is written.
#[derive(Debug)]
pub(crate) struct HostEntry {
    pub(crate) name: String,
    pub(crate) settings: Settings,
    pub(crate) labels: BTreeMap<String, String>,
    /// Its first mention.
    pub(crate) origin: Origin,
}

/// A group as it is written.
#[derive(Debug, Default)]
pub(crate) struct GroupEntry {
    pub(crate) settings: Settings,
    pub(crate) hosts: Vec<String>,
    pub(crate) children: Vec<String>,
    pub(crate) origin: Option<Origin>,
}

/// Settings of all hosts of a file.
#[derive(Debug)]
pub(crate) struct Defaults {
    pub(crate) settings: Settings,
    pub(crate) hosts: Vec<String>,
}

/// A line of a file.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) source: Source,
    pub(crate) line: usize,
}

impl Document {
    /// The host of this name, created if it is new.
    pub(crate) fn host(&mut self, name: &str, origin: &Origin) -> Option<&mut HostEntry> {
        let position = match self.positions.get(name) {
            Some(position) => *position,
            None => {
                self.hosts.push(HostEntry {
                    name: name.to_owned(),
                    settings: Settings::default(),
                    labels: BTreeMap::new(),
                    origin: origin.clone(),
                });
                let last = self.hosts.len() - 1;
                self.positions.insert(name.to_owned(), last);
                last
            }
        };
        self.hosts.get_mut(position)
    }

    pub(crate) fn has_host(&self, name: &str) -> bool {
        self.positions.contains_key(name)
    }

    /// The group of this name, created if it is new.
    pub(crate) fn group(&mut self, name: &str, origin: &Origin) -> &mut GroupEntry {
        let group = self.groups.entry(name.to_owned()).or_default();
        group.origin.get_or_insert_with(|| origin.clone());
        group
    }

    /// Puts a host into a group; creates both if they are new.
    pub(crate) fn put(&mut self, host: &str, group: &str, origin: &Origin) {
        self.host(host, origin);
        self.group(group, origin).hosts.push(host.to_owned());
    }

    /// Makes these the defaults of all hosts that the document has by now.
    pub(crate) fn set_defaults(&mut self, settings: Settings) {
        if settings.is_empty() {
            return;
        }
        let hosts = self.hosts.iter().map(|host| host.name.clone()).collect();
        self.defaults.insert(0, Defaults { settings, hosts });
    }

    /// Merges the document of another file. Where both have a setting of a host or group, this document's value wins.
    pub(crate) fn absorb(&mut self, other: Self) {
        for host in other.hosts {
            if let Some(own) = self.host(&host.name, &host.origin) {
                own.settings.inherit(&host.settings);
                for (key, value) in host.labels {
                    own.labels.entry(key).or_insert(value);
                }
            }
        }
        for (name, group) in other.groups {
            let own = self.groups.entry(name).or_default();
            own.settings.inherit(&group.settings);
            own.hosts.extend(group.hosts);
            own.children.extend(group.children);
            own.origin = own.origin.take().or(group.origin);
        }
        self.defaults.splice(0..0, other.defaults);
        self.warnings.extend(other.warnings);
    }
}
