//! A collector: its leases, and the schedule of the targets in the shards that it holds.

use std::collections::HashMap;
use std::time::Duration;

use super::Scenario;
use super::tally::{Tally, name};
use crate::cluster::leases::{LeaseSettings, Leases};
use crate::cluster::{SHARDS, Shard};
use crate::schedule::{Scheduler, TargetId};

#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: String,
    /// The value of its keys: no collector is started twice.
    pub(super) incarnation: String,
    pub(super) leases: Leases,
    pub(super) scheduler: Scheduler,
    pub(super) is_alive: bool,
    pub(super) is_cut: bool,
    /// When the schedule has something to do, as far as it is in the queue.
    pub(super) wake: Option<Duration>,
    /// Polls that ran at once at most.
    pub(super) most_running: usize,
    /// The targets that are polled, by shard.
    polled: Vec<Option<Vec<TargetId>>>,
    numbers: HashMap<TargetId, u32>,
}

impl Node {
    pub(super) fn new(number: u16, scenario: &Scenario, now: Duration) -> Self {
        let name = format!("collector{number}");
        let settings = LeaseSettings {
            name: name.clone(),
            incarnation: name.clone(),
            lease: scenario.lease,
            keep_while_away: true,
        };
        Self {
            incarnation: name.clone(),
            name,
            leases: Leases::new(settings, now),
            scheduler: Scheduler::new(scenario.limits),
            is_alive: true,
            is_cut: false,
            wake: None,
            most_running: 0,
            polled: vec![None; SHARDS],
            numbers: HashMap::new(),
        }
    }

    pub(super) fn number(&self, target: TargetId) -> Option<u32> {
        self.numbers.get(&target).copied()
    }

    /// Polls the shards that it holds, and no others.
    pub(super) fn follow_leases(&mut self, now: Duration, scenario: &Scenario, tally: &Tally) {
        let Self {
            leases,
            scheduler,
            polled,
            numbers,
            ..
        } = self;
        for (shard, polled) in Shard::all().zip(polled) {
            match (leases.revision(shard, now), &mut *polled) {
                (Some(_), None) => {
                    let added = tally.members(shard).iter().map(|number| {
                        let target = scheduler.add_target();
                        let interval = scenario.interval;
                        let name = format!("{}/if_mib", name(*number));
                        scheduler.add_task(now, target, &name, interval, interval);
                        numbers.insert(target, *number);
                        target
                    });
                    *polled = Some(added.collect());
                }
                (None, Some(targets)) => {
                    for target in targets {
                        scheduler.remove_target(*target);
                        numbers.remove(target);
                    }
                    *polled = None;
                }
                _ => {}
            }
        }
    }
}
