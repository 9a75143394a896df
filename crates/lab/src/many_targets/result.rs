use serde::{Deserialize, Serialize};

use super::Load;
use crate::measurement::{Environment, Estimate};
use crate::statistics::{median_interval, ratio_of_pairs};

/// The version of the JSON schema (docs/bench.md). It rises when a field changes its meaning or goes away.
pub const MANY_TARGETS_SCHEMA_VERSION: u32 = 2;

/// What a client with many targets costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ManyTargetsReport {
    /// [`MANY_TARGETS_SCHEMA_VERSION`] of the program that wrote it.
    pub schema_version: u32,
    /// Where and with what it was measured.
    pub environment: Environment,
    /// How long each run took, in seconds.
    pub run_seconds: f64,
    /// One entry for each number of targets.
    pub results: Vec<TargetsResult>,
}

/// With one number of targets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TargetsResult {
    /// How many targets answer.
    pub targets: u32,
    /// By what was done with them.
    pub loads: Vec<LoadResult>,
    /// The client's CPU time for a Get in SNMPv2c over that of the bare loop, of neighbouring runs.
    pub v2c_over_bare: Option<Estimate>,
    /// The same of as many tasks as there are requests in flight.
    pub pool_over_bare: Option<Estimate>,
    /// That of a Get with a user over that in SNMPv2c.
    pub user_over_v2c: Option<Estimate>,
    /// p99 of paced Gets beside targets that never answer over p99 without these, of the two windows of each pair.
    pub dead_over_alive: Option<Estimate>,
    /// All runs, in the order of time.
    pub runs: Vec<TargetsRun>,
}

/// What was found with one load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadResult {
    /// What was done.
    pub load: Load,
    /// CPU time of the client for each Get, in microseconds.
    pub cpu_per_get: Option<Estimate>,
    /// Gets of all runs that were answered.
    pub gets: u64,
    /// Messages that were sent again.
    pub repeated: u64,
    /// Gets without an answer.
    pub failed: u64,
    /// Memory of the client for each further target, in octets.
    pub memory: Option<Estimate>,
    /// p99 of the response times of a window, in microseconds.
    pub p99: Option<Estimate>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetsRun {
    /// What was done.
    pub load: Load,
    /// With how many targets that answer.
    pub targets: u32,
    /// Gets that were answered.
    pub gets: u64,
    /// CPU time of the client's process meanwhile, in seconds.
    pub cpu: f64,
    /// Messages that were sent again.
    pub repeated: u64,
    /// Gets without an answer.
    pub failed: u64,
    /// Messages to targets that never answer.
    pub dead_messages: u64,
    /// Memory for each further target, in octets.
    pub memory: Option<f64>,
    /// p99 of the response times of each window, in microseconds: those of the two runs of a process are pairs. Only of paced
    /// Gets.
    pub p99: Vec<f64>,
}

impl TargetsRun {
    /// A run in which nothing was done yet.
    pub(super) const fn new(load: Load, targets: u32) -> Self {
        Self {
            load,
            targets,
            gets: 0,
            cpu: 0.0,
            repeated: 0,
            failed: 0,
            dead_messages: 0,
            memory: None,
            p99: Vec::new(),
        }
    }

    fn cpu_per_get(&self) -> f64 {
        self.cpu * 1e6 / self.gets as f64
    }
}

impl TargetsResult {
    /// Of those of the runs that have so many targets.
    pub(super) fn new(targets: u32, runs: &[TargetsRun]) -> Self {
        let runs: Vec<TargetsRun> = runs
            .iter()
            .filter(|run| run.targets == targets)
            .cloned()
            .collect();
        let of = |load| runs.iter().filter(move |run| run.load == load);
        let cpu = |load| -> Vec<f64> { of(load).map(TargetsRun::cpu_per_get).collect() };
        let p99 = |load| -> Vec<f64> { of(load).flat_map(|run| run.p99.clone()).collect() };
        let loads = Load::ALL.into_iter().map(|load| LoadResult {
            load,
            cpu_per_get: median_interval(&cpu(load)),
            gets: of(load).map(|run| run.gets).sum(),
            repeated: of(load).map(|run| run.repeated).sum(),
            failed: of(load).map(|run| run.failed).sum(),
            memory: {
                let memory: Vec<f64> = of(load).filter_map(|run| run.memory).collect();
                median_interval(&memory)
            },
            p99: median_interval(&p99(load)),
        });
        let loads = loads.collect();
        let v2c_over_bare = ratio_of_pairs(&cpu(Load::V2c), &cpu(Load::Bare));
        let pool_over_bare = ratio_of_pairs(&cpu(Load::V2cPool), &cpu(Load::Bare));
        let user_over_v2c = ratio_of_pairs(&cpu(Load::User), &cpu(Load::V2c));
        let (beside, alone) = (p99(Load::PacedBesideDead), p99(Load::Paced));
        let dead_over_alive = ratio_of_pairs(&beside, &alone);
        Self {
            targets,
            loads,
            v2c_over_bare,
            pool_over_bare,
            user_over_v2c,
            dead_over_alive,
            runs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p99_beside_dead_targets_is_compared_within_each_pair_of_windows() {
        let run = |load, p99: &[f64]| TargetsRun {
            p99: p99.to_vec(),
            ..TargetsRun::new(load, 10)
        };
        let runs = [
            run(Load::Paced, &[1000.0, 8000.0]),
            run(Load::PacedBesideDead, &[1250.0, 10_000.0]),
            run(Load::V2c, &[]),
            run(Load::Paced, &[2000.0]),
            run(Load::PacedBesideDead, &[2500.0]),
        ];
        let result = TargetsResult::new(10, &runs);
        let ratio = result.dead_over_alive.unwrap();
        assert_eq!((ratio.low, ratio.value, ratio.high), (1.25, 1.25, 1.25));
        let p99 = |load| {
            let mut loads = result.loads.iter();
            let found = loads.find(|result| result.load == load).unwrap();
            found.p99.as_ref().map(|p99| p99.value)
        };
        assert_eq!(p99(Load::Paced), Some(2000.0));
        assert_eq!(p99(Load::PacedBesideDead), Some(2500.0));
        assert_eq!(p99(Load::V2c), None);
    }
}
