//! `fleet.toml` as it is written.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::Spanned;
#[cfg(not(feature = "nats"))]
use toml::Table;
use toml::de::{DeTable, DeValue};

use super::http_sd::HttpSd;
#[cfg(feature = "nats")]
use crate::cluster::ClusterConfiguration;
use crate::module::duration;
use crate::output::{Misplaced, OutputConfiguration};

/// The key of the tables of outputs.
const OUTPUT: &str = "output";

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Document {
    /// Files of modules and auths, or patterns.
    #[serde(default)]
    pub(super) snmp_yml: Vec<PathBuf>,
    /// Files that modules and auths are generated from.
    #[serde(default)]
    pub(super) generator_yml: Vec<PathBuf>,
    /// Directories of the MIB modules for these; otherwise the usual ones.
    #[serde(default)]
    pub(super) mib_directories: Vec<PathBuf>,
    #[serde(default)]
    pub(super) expand_environment_variables: bool,
    #[serde(default = "minute")]
    pub(super) interval: Time,
    pub(super) deadline: Option<Time>,
    /// How often inventories are read again.
    #[serde(default = "half_a_minute")]
    pub(super) refresh: Time,
    #[serde(default)]
    pub(super) targets: Vec<Targets>,
    #[serde(default)]
    pub(super) choose: Vec<Choose>,
    pub(super) prometheus: Option<Prometheus>,
    pub(super) notifications: Option<Notifications>,
    /// From the tables `output.NAME`, which are read apart: what is wrong with them then has a place in the text.
    #[serde(skip)]
    pub(super) outputs: BTreeMap<String, OutputConfiguration>,
    #[serde(default)]
    pub(super) limits: Limits,
    /// How collectors share the fleet.
    #[cfg(feature = "nats")]
    pub(super) cluster: Option<ClusterConfiguration>,
    #[cfg(not(feature = "nats"))]
    pub(super) cluster: Option<Table>,
}

impl Document {
    /// Reads the text of a file.
    pub(super) fn parse(text: &str) -> Result<Self, Misplaced> {
        let in_text = |error: toml::de::Error| Misplaced::of_toml(&error, 0..0);
        let root = DeTable::parse(text).map_err(in_text)?;
        let span = root.span();
        let (tables, rest): (DeTable<'_>, DeTable<'_>) = root
            .into_inner()
            .into_iter()
            .partition(|(key, _)| key.get_ref() == OUTPUT);
        let rest = toml::Deserializer::from(Spanned::new(span, rest));
        let mut document = Self::deserialize(rest).map_err(in_text)?;
        for (_, table) in tables {
            let span = table.span();
            let DeValue::Table(outputs) = table.into_inner() else {
                let message = "an output has a name: write [output.NAME]".to_owned();
                return Err(Misplaced { span, message });
            };
            for (name, output) in outputs {
                let name = name.into_inner().into_owned();
                let output = OutputConfiguration::read(output).map_err(|mut misplaced| {
                    misplaced.message = format!("output {name}: {}", misplaced.message);
                    misplaced
                })?;
                document.outputs.insert(name, output);
            }
        }
        Ok(document)
    }
}

/// Some targets, and what they are asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Targets {
    /// Selections of hosts of the inventory, or addresses.
    #[serde(default)]
    pub(super) hosts: Vec<String>,
    /// Files of hosts, or patterns.
    #[serde(default)]
    pub(super) inventory: Vec<PathBuf>,
    /// Servers of targets.
    #[serde(default)]
    pub(super) http_sd: Vec<HttpSd>,
    pub(super) modules: Vec<String>,
    /// The auth of those over UDP and TCP.
    pub(super) auth: Option<String>,
    pub(super) interval: Option<Time>,
    pub(super) deadline: Option<Time>,
    #[serde(default)]
    pub(super) labels: BTreeMap<String, String>,
}

/// Modules of agents with a sysObjectID.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Choose {
    pub(super) object_id: String,
    pub(super) modules: Vec<String>,
}

/// A page with the last values.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Prometheus {
    /// Where it is served.
    pub listen: Vec<String>,
    /// Names by which clients may call the collector.
    #[serde(default)]
    pub hosts: Vec<String>,
}

/// Notifications, which go to the outputs, too.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Notifications {
    /// The configuration of `varbind receive`.
    pub(super) configuration: PathBuf,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Limits {
    pub(super) concurrency: Option<usize>,
    pub(super) slow_concurrency: Option<usize>,
    pub(super) patience: Option<Time>,
    pub(super) longest_back_off: Option<Time>,
}

/// The shortest duration.
const SHORTEST: Duration = Duration::from_millis(100);

/// A duration such as `1m30s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time(pub(super) Duration);

const fn minute() -> Time {
    Time(Duration::from_secs(60))
}

const fn half_a_minute() -> Time {
    Time(Duration::from_secs(30))
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let time = duration::deserialize(deserializer)?;
        if time < SHORTEST {
            let message = format!("{time:?} is shorter than {SHORTEST:?}: write \"100ms\" or more");
            return Err(D::Error::custom(message));
        }
        Ok(Self(time))
    }
}
