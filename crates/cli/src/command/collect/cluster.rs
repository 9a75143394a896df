//! A collector that shares its fleet.

use std::fs;

use varbind_collector::cluster::{Cluster, ClusterConfiguration};
use varbind_terminal::Failure;

use super::Arguments;

impl Arguments {
    /// Joins the cluster of the file, or that of the command line. It asks for leases in a thread of its own.
    pub(super) fn join(
        &self,
        of_file: Option<&ClusterConfiguration>,
    ) -> Result<Option<Cluster>, Failure> {
        if of_file.is_none() && self.cluster.is_empty() {
            return Ok(None);
        }
        let mut configuration = of_file.cloned().unwrap_or_default();
        if !self.cluster.is_empty() {
            configuration.nats.servers.clone_from(&self.cluster);
        }
        if let Some(name) = &self.cluster_name {
            configuration.name.clone_from(name);
        } else if configuration.name.is_empty() {
            configuration.name = host_name();
        }
        let cluster = Cluster::join(&configuration);
        let cluster = cluster.map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(Some(cluster))
    }
}

/// The name of this host; empty if it is unknown.
fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let is_allowed =
        |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    name.trim().replace(|character| !is_allowed(character), "-")
}
