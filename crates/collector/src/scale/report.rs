//! What a scenario cost.

use std::fmt;
use std::time::Duration;

use super::Scenario;
use crate::cluster::SHARDS;

/// What a scenario cost the targets, and the load that it made.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioReport {
    /// What was run.
    pub scenario: Scenario,
    /// Polls that count: those of different slots.
    pub polls: u64,
    /// Those of them that had no response.
    pub silent: u64,
    /// Polls of slots that another collector had polled. Their message ids are known, so that the stream drops them.
    pub repeated: u64,
    /// The longest time from a fault to the next poll of a target that responds all the time.
    pub longest_wait: Duration,
    /// The longest time without a poll of a target that responds all the time.
    pub longest_gap: Duration,
    /// The same of the targets of dead sites, which are left alone for longer and longer.
    pub longest_gap_of_dead: Duration,
    /// How late polls began, on average.
    pub mean_lateness: Duration,
    /// Polls that began more than a second late.
    pub late: u64,
    /// The largest number of polls that a collector ran at once.
    pub most_running: usize,
    /// Shards that one collector held at the end, and no other.
    pub held_once: usize,
    /// What network and NATS had to carry.
    pub load: ScenarioLoad,
    /// CPU time of all schedulers, leases and models.
    pub cpu: Option<Duration>,
    /// Memory of this process at the end, in octets.
    pub memory: Option<u64>,
}

/// Figures a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScenarioLoad {
    /// Polls, and as many messages of the stream.
    pub polls: f64,
    /// SNMP requests.
    pub requests: f64,
    /// Requests for keys of leases.
    pub lease_requests: f64,
    /// Messages to watchers of leases.
    pub lease_news: f64,
}

impl ScenarioLoad {
    pub(super) fn new(scenario: &Scenario, counts: [u64; 4]) -> Self {
        let seconds = scenario.duration.as_secs_f64();
        let [polls, requests, lease_requests, lease_news] =
            counts.map(|count| count as f64 / seconds);
        Self {
            polls,
            requests,
            lease_requests,
            lease_news,
        }
    }
}

impl ScenarioReport {
    /// How long after a fault a target may stay without a poll: the lease of a killed collector, its interval, and the time in which the next
    /// holder notices.
    #[must_use]
    pub fn longest_allowed_wait(&self) -> Duration {
        let Scenario {
            interval, lease, ..
        } = self.scenario;
        // A slot is counted at its beginning, and shards are looked at twenty times during a lease.
        interval + lease + lease / 10
    }

    /// What a fleet must not show: none of it is there if all is well.
    #[must_use]
    pub fn shortcomings(&self) -> Vec<String> {
        let (wait, allowed) = (self.longest_wait, self.longest_allowed_wait());
        let mut shortcomings = Vec::new();
        if wait > allowed {
            shortcomings.push(format!(
                "after a fault, a target that responds stayed {wait:?} without a poll, longer than lease and interval"
            ));
        }
        if self.held_once != SHARDS {
            let held = self.held_once;
            shortcomings.push(format!(
                "{held} of {SHARDS} shards were held by exactly one collector at the end"
            ));
        }
        if self.late > 0 {
            let late = self.late;
            shortcomings.push(format!(
                "{late} polls began more than a second late: use more collectors, or raise limits.concurrency"
            ));
        }
        shortcomings
    }
}

impl fmt::Display for ScenarioReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scenario = &self.scenario;
        let mut line = |name: &str, value: &dyn fmt::Display| writeln!(f, "{name:<44} {value}");
        line("targets", &scenario.targets)?;
        line("collectors", &scenario.collectors)?;
        line("interval, s", &scenario.interval.as_secs_f64())?;
        line("lease, s", &scenario.lease.as_secs_f64())?;
        line("virtual time, s", &scenario.duration.as_secs_f64())?;
        line("polls", &self.polls)?;
        line("polls without a response", &self.silent)?;
        line("polls repeated by another collector", &self.repeated)?;
        line(
            "longest time from a fault to a poll, s",
            &self.longest_wait.as_secs_f64(),
        )?;
        line(
            "that time may be, s",
            &self.longest_allowed_wait().as_secs_f64(),
        )?;
        line(
            "longest time without a poll, s",
            &self.longest_gap.as_secs_f64(),
        )?;
        line(
            "longest time without a poll, dead sites, s",
            &self.longest_gap_of_dead.as_secs_f64(),
        )?;
        let lateness = self.mean_lateness.as_secs_f64() * 1e3;
        line("mean lateness, ms", &format_args!("{lateness:.3}"))?;
        line("polls more than a second late", &self.late)?;
        line("most polls at once, one collector", &self.most_running)?;
        line("shards with one holder at the end", &self.held_once)?;
        let mut rate = |name: &str, value: f64| line(name, &format_args!("{value:.0}"));
        rate(
            "polls a second, and messages to the stream",
            self.load.polls,
        )?;
        rate("SNMP requests a second", self.load.requests)?;
        rate("lease requests a second", self.load.lease_requests)?;
        rate("lease notices to watchers a second", self.load.lease_news)?;
        if let Some(cpu) = self.cpu {
            let microseconds = cpu.as_secs_f64() * 1e6 / (self.polls.max(1) as f64);
            line("CPU time, s", &format_args!("{:.1}", cpu.as_secs_f64()))?;
            line(
                "CPU time for each poll, us",
                &format_args!("{microseconds:.2}"),
            )?;
        }
        if let Some(memory) = self.memory {
            let each = memory / u64::from(scenario.targets.max(1));
            line("memory for each target, octets", &each)?;
        }
        Ok(())
    }
}
