//! What is to be polled, as `fleet.toml`, modules and inventories say at present. Reading blocks.

mod reader;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use varbind::client::{Client, Target};
use varbind::transport::Transport;
use varbind::transport::ssh::SshOptions;
use varbind_inventory::{Connector, Host, Version};

use super::choice::Choices;
use super::discovered::Discovered;
use super::document::{Document, Prometheus};
use super::error::FleetError;
#[cfg(feature = "nats")]
use crate::cluster::ClusterConfiguration;
use crate::module::{Auth, Module};
use crate::output::{Misplaced, OutputConfiguration, TargetName};
use crate::schedule::ConcurrencyLimits;
use reader::Reader;

/// The word for modules by sysObjectID.
const AUTO: &str = "auto";

/// What is to be polled.
#[derive(Debug)]
pub struct Plan {
    /// How many polls run at once.
    pub limits: ConcurrencyLimits,
    /// A page with the last values, if there is to be one.
    pub prometheus: Option<Prometheus>,
    /// The configuration of `varbind receive`, if notifications are to be received.
    pub notifications: Option<PathBuf>,
    /// Where polls go.
    pub outputs: BTreeMap<String, OutputConfiguration>,
    /// How often inventories are read again.
    pub refresh: Duration,
    /// What has no effect, though it was probably meant to have one.
    pub warnings: Vec<String>,
    /// How collectors share the fleet.
    #[cfg(feature = "nats")]
    pub cluster: Option<ClusterConfiguration>,
    pub(super) devices: Vec<Planned>,
    pub(super) choices: Arc<Choices>,
}

/// A target that is to be polled.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) host: Host,
    pub(super) name: Arc<TargetName>,
    /// The auth of `snmp.yml` instead of credentials of the inventory.
    pub(super) auth: Option<(String, Arc<Auth>)>,
    pub(super) jobs: Vec<PlannedJob>,
    /// How it is asked, or why it cannot be.
    pub(super) access: Result<Target, String>,
}

/// Something that a target is asked for again and again.
#[derive(Clone, Debug)]
pub(super) struct PlannedJob {
    pub(super) work: Work,
    pub(super) interval: Duration,
    pub(super) deadline: Duration,
}

/// What a target is asked for.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// The objects of a module.
    Module(Arc<Module>),
    /// sysObjectID, by which further modules are chosen.
    Choose,
}

impl Work {
    /// The name of the module.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Module(module) => &module.name,
            Self::Choose => AUTO,
        }
    }
}

impl Planned {
    /// Whether SNMPv1 is spoken.
    pub(super) fn is_v1(&self) -> bool {
        match &self.auth {
            Some((_, auth)) => auth.is_v1(),
            None => {
                let Host {
                    settings, address, ..
                } = &self.host;
                settings.version_over(address.transport) == Version::V1
            }
        }
    }

    /// Whether the inventory says when requests are sent again, and not the module.
    pub(super) fn has_retries(&self) -> bool {
        self.host.settings.timeout.is_some() || self.host.settings.retries.is_some()
    }

    /// Whether it is the same device, asked in the same way.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let auth = |planned: &Self| planned.auth.as_ref().map(|(name, _)| name.clone());
        self.host == other.host && self.name == other.name && auth(self) == auth(other)
    }
}

impl Plan {
    /// Reads a file, all files that it names, and servers of targets. Targets are not asked, and their secrets are not read yet.
    ///
    /// # Errors
    /// What is wrong, in which file and where.
    pub fn read(path: &Path, discovered: &mut Discovered) -> Result<Self, FleetError> {
        let text = fs::read_to_string(path).map_err(|source| FleetError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(path, &text, discovered)
    }

    /// Reads the text of a file from elsewhere. Names of files in it are relative to `path`.
    ///
    /// # Errors
    /// What is wrong, in which file and where.
    pub fn parse(path: &Path, text: &str, discovered: &mut Discovered) -> Result<Self, FleetError> {
        let document = Document::parse(text).map_err(|Misplaced { span, message }| {
            let before = text.get(..span.start).unwrap_or_default();
            FleetError::Malformed {
                path: path.to_owned(),
                line: before.matches('\n').count() + 1,
                message,
            }
        })?;
        Reader::new(path, &document, discovered)?.plan(document)
    }

    /// Makes targets of a client of the devices, for which it reads secrets and derives keys. A device that cannot be asked says so in its
    /// polls.
    pub fn connect(&mut self, client: &Client, ssh: SshOptions) {
        let mut connector = Connector::new(client.clone()).ssh(ssh);
        for device in &mut self.devices {
            let Host { address, .. } = &device.host;
            let is_plain = matches!(address.transport, Transport::Udp | Transport::Tcp);
            device.access = match &device.auth {
                Some((_, auth)) if is_plain => {
                    let target = client.target_at(address.clone());
                    let context = auth.context_name.clone();
                    let target = auth.target(&target, &context, None);
                    target.map_err(|error| error.to_string())
                }
                _ => connector
                    .target(&device.host)
                    .map_err(|error| format!("{}: {error}", device.name.name)),
            };
        }
    }

    /// How many targets there are, and how many polls they get in each interval.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        let polls = self.devices.iter().map(|device| device.jobs.len()).sum();
        (self.devices.len(), polls)
    }
}

/// A path that is relative to a file.
pub(super) fn beside(file: &Path, path: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(path)
}
