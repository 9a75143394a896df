//! Which targets this collector polls, and which ones others poll.

use std::collections::HashMap;
use std::future;

#[cfg(feature = "nats")]
use tokio::sync::watch;

use super::plan::Planned;
#[cfg(feature = "nats")]
use crate::cluster::{Cluster, Shard};

/// The right to poll a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tenure {
    /// The revision of the lease, for the results; none where no other collector shares the fleet.
    pub(super) lease: Option<u64>,
}

/// The leases, and the devices that others poll.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    #[cfg(feature = "nats")]
    cluster: Option<(Cluster, watch::Receiver<Vec<Shard>>)>,
    parked: HashMap<Box<str>, Planned>,
}

impl Sharing {
    /// Shares with the other members of a cluster.
    #[cfg(feature = "nats")]
    pub(super) fn join(&mut self, cluster: Cluster) {
        let shards = cluster.shards();
        self.cluster = Some((cluster, shards));
    }

    /// The right to poll a target now, unless another collector has it.
    #[cfg(feature = "nats")]
    pub(super) fn tenure(&self, target: &str) -> Option<Tenure> {
        let lease = match &self.cluster {
            None => None,
            Some((cluster, _)) => Some(cluster.lease(target)?),
        };
        Some(Tenure { lease })
    }

    /// The right to poll a target: there are no other collectors.
    #[cfg(not(feature = "nats"))]
    #[allow(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "with another feature, it depends on the leases"
    )]
    pub(super) const fn tenure(&self, _target: &str) -> Option<Tenure> {
        Some(Tenure { lease: None })
    }

    /// Waits until other shards are held.
    #[cfg(feature = "nats")]
    pub(super) async fn changed(&mut self) {
        if let Some((_, shards)) = &mut self.cluster
            && shards.changed().await.is_ok()
        {
            return;
        }
        future::pending::<()>().await;
    }

    /// Waits for ever: there are no leases.
    #[cfg(not(feature = "nats"))]
    pub(super) fn changed(&mut self) -> future::Pending<()> {
        future::pending()
    }

    /// Keeps a device that another collector polls.
    pub(super) fn park(&mut self, planned: Planned) {
        self.parked.insert(planned.name.name.clone(), planned);
    }

    /// The devices that others poll.
    pub(super) fn parked(&self) -> impl Iterator<Item = &Planned> {
        self.parked.values()
    }

    /// Forgets all devices that others poll.
    pub(super) fn clear(&mut self) {
        self.parked.clear();
    }

    /// Gives back the devices that are polled here from now on.
    pub(super) fn take_held(&mut self) -> Vec<Planned> {
        let held = self
            .parked
            .keys()
            .filter(|name| self.tenure(name).is_some());
        let held: Vec<_> = held.cloned().collect();
        held.iter()
            .filter_map(|name| self.parked.remove(name))
            .collect()
    }
}
