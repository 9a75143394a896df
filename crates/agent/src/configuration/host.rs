//! What is told of the host.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::document;
use super::host_limits::{DiskLimit, DiskMinimum, LoadLimits};
use crate::managed_objects::HOST_MAX_AGE;
use crate::operating_system::{HiddenInterfaces, Mount};

/// File systems that hold no data of their own, or are the noise of containers. snmpd leaves out the first ones too.
const HIDDEN_TYPES: [&str; 26] = [
    "autofs",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "efivarfs",
    "fusectl",
    "hugetlbfs",
    "mqueue",
    "nfsd",
    "proc",
    "pstore",
    "rootfs",
    "rpc_pipefs",
    "securityfs",
    "selinuxfs",
    "sysfs",
    "tracefs",
    "fuse.lxcfs",
    "nsfs",
    "overlay",
    "squashfs",
];
/// Disks that are memory or views of files.
const HIDDEN_DISKS: [&str; 2] = ["loop", "ram"];

/// How the host is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostSettings {
    /// Whether it is served at all.
    pub(crate) is_served: bool,
    /// Where the files of the host are.
    pub(crate) root: PathBuf,
    /// How old values may be.
    pub(crate) max_age: Duration,
    /// Whether hrSWRunParameters has the arguments of processes, in which some have passwords.
    pub(crate) process_arguments: bool,
    /// Whether hrSWInstalledTable is filled.
    pub(crate) installed_software: bool,
    /// Whether the five names of LibreNMS are served.
    pub(crate) is_described: bool,
    /// The processes that prTable counts.
    pub(crate) watched: Vec<WatchedProcess>,
    pub(crate) load_limits: LoadLimits,
    /// How much should stay free of each file system, and of some by their paths.
    disk_minimum: Option<DiskMinimum>,
    disk_limits: Vec<DiskLimit>,
    /// Whether those have the first numbers among all file systems.
    disks_first: bool,
    hidden_types: Vec<String>,
    hidden_paths: Vec<String>,
    hidden_disks: Vec<String>,
    pub(crate) hidden_interfaces: HiddenInterfaces,
}

/// A program, and how many processes of it there should be.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "ProcessEntry")]
pub(crate) struct WatchedProcess {
    pub(crate) name: String,
    pub(crate) minimum: u16,
    pub(crate) maximum: Option<u16>,
}

/// [`WatchedProcess`] as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ProcessEntry {
    name: String,
    minimum: Option<u16>,
    maximum: Option<u16>,
}

impl TryFrom<ProcessEntry> for WatchedProcess {
    type Error = String;

    fn try_from(entry: ProcessEntry) -> Result<Self, String> {
        if entry.name.is_empty() || entry.name.contains('/') {
            return Err(format!(
                "{:?}: expected the name of a program without its directory",
                entry.name
            ));
        }
        let minimum = entry.minimum.unwrap_or(1);
        if let Some(maximum) = entry.maximum.filter(|&maximum| maximum < minimum) {
            return Err(format!(
                "process {}: maximum {maximum} is below minimum {minimum}",
                entry.name
            ));
        }
        Ok(Self {
            name: entry.name,
            minimum,
            maximum: entry.maximum,
        })
    }
}

impl HostSettings {
    /// That the files of the host are not there.
    pub(crate) fn warning(&self) -> Option<String> {
        let is_there = !self.is_served || self.root.join("proc").is_dir();
        (!is_there).then(|| {
            format!(
                "{}: there is no proc below it, so nothing of the host is served: mount the host's / there, or change root in \
                 [host]",
                self.root.display()
            )
        })
    }

    pub(super) fn new(host: document::Host) -> Self {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Self {
            is_served: host.serve.unwrap_or(true),
            root: host.root.unwrap_or_else(|| PathBuf::from("/")),
            max_age: host.max_age.map_or(HOST_MAX_AGE, |age| age.0),
            process_arguments: host.process_arguments,
            installed_software: host.installed_software,
            is_described: host.describe.unwrap_or(true),
            watched: host.process,
            load_limits: host.load_limits,
            disk_minimum: host.disk_minimum,
            disk_limits: host.disk,
            disks_first: host.disks_first,
            hidden_types: host.exclude_types.unwrap_or_else(|| owned(&HIDDEN_TYPES)),
            hidden_paths: host.exclude_paths,
            hidden_disks: host.exclude_disks.unwrap_or_else(|| owned(&HIDDEN_DISKS)),
            hidden_interfaces: host.exclude_interfaces.unwrap_or_default(),
        }
    }

    /// Whether a file system is told of. The root is, whatever it is: a container's is an overlay.
    pub(crate) fn shows(&self, mount: &Mount) -> bool {
        let is_below = |path: &String| {
            let rest = mount.path.strip_prefix(path.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        mount.path == "/"
            || !self.hidden_types.contains(&mount.kind) && !self.hidden_paths.iter().any(is_below)
    }

    /// How much of the file system at this path should stay free.
    pub(crate) fn minimum_of(&self, path: &str) -> Option<DiskMinimum> {
        let named = self.disk_limits.iter().rfind(|limit| limit.path == path);
        named.map(|limit| limit.minimum).or(self.disk_minimum)
    }

    /// With `disks-first`, numbers the file systems of `[[host.disk]]` first, whether they are mounted or not, and then the others.
    /// So does snmpd: it reads its `disk` lines before it looks for mounts.
    pub(crate) fn number(&self, mounts: &mut [Mount]) {
        if !self.disks_first {
            return;
        }
        let mut paths: Vec<&str> = Vec::new();
        for limit in &self.disk_limits {
            if !paths.contains(&&*limit.path) {
                paths.push(&limit.path);
            }
        }
        let mut others = paths.len()..;
        for mount in mounts {
            let place = paths.iter().position(|path| *path == mount.path);
            let place = place.or_else(|| others.next()).unwrap_or_default();
            mount.index = u32::try_from(place + 1).unwrap_or(u32::MAX);
        }
    }

    /// Whether a block device is told of: not one whose name is such a beginning and a number.
    pub(crate) fn shows_disk(&self, name: &str) -> bool {
        let is_hidden = |beginning: &String| {
            let rest = name.strip_prefix(beginning.as_str());
            rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
        };
        !self.hidden_disks.iter().any(is_hidden)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(path: &str, kind: &str) -> Mount {
        Mount {
            index: 1,
            device: "x".to_owned(),
            path: path.to_owned(),
            kind: kind.to_owned(),
            is_read_only: false,
        }
    }

    #[test]
    fn the_noise_of_containers_is_left_out() {
        let settings = HostSettings::new(document::Host::default());
        assert!(settings.shows(&mount("/", "overlay")));
        assert!(settings.shows(&mount("/srv", "xfs")));
        assert!(!settings.shows(&mount("/var/lib/docker/overlay2/x/merged", "overlay")));
        assert!(!settings.shows(&mount("/snap/core/1", "squashfs")));
        assert!(settings.shows_disk("sda1") && settings.shows_disk("looped"));
        assert!(!settings.shows_disk("loop0") && !settings.shows_disk("ram15"));
    }

    #[test]
    fn limited_disks_can_have_the_first_numbers() {
        let limit = |path: &str| DiskLimit {
            path: path.to_owned(),
            minimum: DiskMinimum::PerCent(10),
        };
        let numbers = |disks_first| {
            let settings = HostSettings::new(document::Host {
                disk: ["/srv", "/gone", "/srv", "/"].map(limit).to_vec(),
                disks_first,
                ..document::Host::default()
            });
            let paths = ["/proc", "/", "/home", "/srv"];
            let mut mounts = paths.map(|path| mount(path, "ext4"));
            for (index, mount) in (1..).zip(&mut mounts) {
                mount.index = index;
            }
            settings.number(&mut mounts);
            mounts.map(|mount| mount.index)
        };
        assert_eq!(numbers(false), [1, 2, 3, 4]);
        // /srv, /gone and / come first.
        assert_eq!(numbers(true), [4, 3, 5, 1]);
    }

    #[test]
    fn what_is_left_out_can_be_chosen() {
        let settings = HostSettings::new(document::Host {
            exclude_types: Some(vec!["tmpfs".to_owned()]),
            exclude_paths: vec!["/srv/backup/".to_owned()],
            exclude_disks: Some(Vec::new()),
            ..document::Host::default()
        });
        assert!(settings.shows(&mount("/merged", "overlay")));
        assert!(!settings.shows(&mount("/run", "tmpfs")));
        assert!(!settings.shows(&mount("/srv/backup", "ext4")));
        assert!(!settings.shows(&mount("/srv/backup/x", "ext4")));
        assert!(settings.shows(&mount("/srv/backups", "ext4")));
        assert!(settings.shows_disk("loop0"));
    }
}
