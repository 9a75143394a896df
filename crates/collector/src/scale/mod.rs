//! Fleets beyond the machines at hand: the scheduler and the leases of collectors, in virtual time.
//!
//! [`Scenario::run`] runs what a collector runs, without its input and output: a model of devices responds, and a model of NATS keeps the
//! leases. Collectors are killed and cut off, NATS goes away, sites die. The [`ScenarioReport`] has what that cost the targets, and the load on NATS.

mod cost;
mod devices;
mod node;
mod queue;
mod report;
mod store;
mod tally;
#[cfg(test)]
mod tests;
mod world;

use std::time::Duration;

pub use report::{ScenarioLoad, ScenarioReport};

use crate::schedule::ConcurrencyLimits;
use world::World;

/// A fleet, and what happens to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// How many targets there are.
    pub targets: u32,
    /// How many collectors share them.
    pub collectors: u16,
    /// The time between two polls of a target.
    pub interval: Duration,
    /// How long a lease lasts unless it is renewed.
    pub lease: Duration,
    /// How many requests a poll takes.
    pub exchanges: u32,
    /// The share of requests without a response, up to 1.
    pub loss: f64,
    /// The share of sites that die, up to 1. A site has a thousand targets.
    pub dead_sites: f64,
    /// How many polls a collector runs at once.
    pub limits: ConcurrencyLimits,
    /// What happens, and when, counted from the beginning.
    pub faults: Vec<(Duration, ScenarioFault)>,
    /// How long all of it lasts.
    pub duration: Duration,
    /// Chooses devices and losses: a scenario with the same seed has the same report.
    pub seed: u64,
}

/// Something that goes wrong, or is well again. Collectors are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScenarioFault {
    /// A collector is killed. Its running polls are lost.
    Kill(u16),
    /// A collector does not reach NATS any more.
    Cut(u16),
    /// A collector reaches NATS again.
    Join(u16),
    /// NATS is down.
    StoreDown,
    /// NATS is up again, with what it had.
    StoreUp,
    /// The devices of dead sites do not respond any more.
    SitesDown,
    /// They respond again.
    SitesUp,
}

impl Scenario {
    /// Six intervals in which sites die, a collector is killed, NATS is down for a while, another collector is cut off, and sites return.
    #[must_use]
    pub fn with_all_faults(targets: u32, collectors: u16, interval: Duration) -> Self {
        let lease = Duration::from_secs(15).min(interval / 3);
        let outage = lease * 2;
        let half = interval / 2;
        let mut faults = vec![
            (half * 3, ScenarioFault::SitesDown),
            (half * 6, ScenarioFault::StoreDown),
            (half * 6 + outage, ScenarioFault::StoreUp),
            (half * 9, ScenarioFault::SitesUp),
        ];
        // The last one has to stay.
        if collectors > 1 {
            faults.push((half * 4, ScenarioFault::Kill(0)));
        }
        if collectors > 2 {
            faults.push((half * 8, ScenarioFault::Cut(1)));
            faults.push((half * 8 + outage, ScenarioFault::Join(1)));
        }
        Self {
            targets,
            collectors,
            interval,
            lease,
            exchanges: 5,
            loss: 0.01,
            dead_sites: 0.05,
            limits: ConcurrencyLimits::default(),
            faults,
            duration: interval * 6,
            seed: 1,
        }
    }

    /// Runs it.
    #[must_use]
    pub fn run(&self) -> ScenarioReport {
        World::new(self).run()
    }
}
