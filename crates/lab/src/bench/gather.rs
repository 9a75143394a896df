use std::time::{Duration, Instant};

use crate::measurement::{
    ConfigurationResult, CpuTime, Estimate, Outcome, Parameters, Phases, ProcessUse, Quantile,
    RunResult, Sample, Traffic,
};
use crate::statistics::{Cluster, median_interval, quantile_curve, summarise, summarise_run};
use crate::workload::Measured;

/// One repetition and what it used.
pub(super) struct Repetition {
    pub(super) at: Instant,
    pub(super) measured: Measured,
    pub(super) manager: CpuTime,
    pub(super) agent: Option<CpuTime>,
}

/// All repetitions of one configuration, made a result.
pub(super) struct Gathering<'a> {
    pub(super) parameters: Parameters,
    pub(super) repetitions: &'a [Repetition],
    pub(super) begun: Instant,
    pub(super) seed: u64,
    pub(super) manager_pss: u64,
    pub(super) agent_pss: Option<u64>,
}

impl Repetition {
    /// Microseconds of CPU time for each operation.
    pub(super) fn per_exchange(&self, cpu: &CpuTime) -> f64 {
        cpu.total / self.measured.outcome.completed.max(1) as f64
    }
}

impl Gathering<'_> {
    pub(super) fn result(self) -> ConfigurationResult {
        let mut outcome = Outcome::default();
        let mut traffic = Traffic::default();
        let (mut objects, mut resumed) = (0, 0);
        for (at, repetition) in self.repetitions.iter().enumerate() {
            let measured = &repetition.measured;
            outcome.add(&measured.outcome);
            objects += measured.objects;
            resumed += measured.resumed;
            if at == 0 {
                traffic = measured.traffic;
            } else {
                traffic.add(&measured.traffic);
            }
        }
        let runs: Vec<RunResult> = self.repetitions.iter().map(|run| self.run(run)).collect();
        let steady = self.clusters(|measured| &measured.steady_state);
        let estimate = |pick: fn(&RunResult) -> f64| {
            let values: Vec<f64> = runs.iter().map(pick).collect();
            median_interval(&values).unwrap_or(NOTHING)
        };
        ConfigurationResult {
            phases: self.phases(&steady),
            response_time: estimate(|run| run.response_time),
            rate: estimate(|run| run.rate),
            traffic,
            objects_per_exchange: objects as f64 / outcome.completed.max(1) as f64,
            manager: ProcessUse {
                cpu_per_exchange: estimate(|run| run.manager_cpu),
                cpu: sum(self.repetitions.iter().map(|run| &run.manager)),
                pss: self.manager_pss,
            },
            agent: self.agent_pss.map(|pss| ProcessUse {
                cpu_per_exchange: estimate(|run| run.agent_cpu.unwrap_or_default()),
                cpu: sum(self.repetitions.iter().filter_map(|run| run.agent.as_ref())),
                pss,
            }),
            outcome,
            resumed,
            curve: self.curve(&steady),
            samples: self.samples(),
            runs,
            parameters: self.parameters,
        }
    }

    fn clusters(&self, pick: fn(&Measured) -> &Cluster) -> Vec<Cluster> {
        let runs = self.repetitions.iter();
        runs.map(|run| pick(&run.measured).clone()).collect()
    }

    fn curve(&self, steady: &[Cluster]) -> Vec<Quantile> {
        if steady.iter().all(|cluster| cluster.count() == 0) {
            return quantile_curve(&self.clusters(|measured| &measured.first_exchange));
        }
        quantile_curve(steady)
    }

    fn phases(&self, steady: &[Cluster]) -> Phases {
        let phase = |pick| summarise(&self.clusters(pick), self.seed);
        Phases {
            open: phase(|measured| &measured.open),
            handshake: phase(|measured| &measured.handshake),
            authentication: phase(|measured| &measured.authentication),
            key_derivation: phase(|measured| &measured.key_derivation),
            discovery: phase(|measured| &measured.discovery),
            first_exchange: phase(|measured| &measured.first_exchange),
            steady_state: summarise(steady, self.seed),
            uncorrected: phase(|measured| &measured.uncorrected),
            close: phase(|measured| &measured.close),
        }
    }

    fn run(&self, repetition: &Repetition) -> RunResult {
        let measured = &repetition.measured;
        RunResult {
            at_milliseconds: milliseconds(repetition.at.saturating_duration_since(self.begun)),
            response_time: measured
                .response_time()
                .map_or(0.0, |time| time.as_secs_f64() * 1e6),
            rate: measured.rate(),
            manager_cpu: repetition.per_exchange(&repetition.manager),
            agent_cpu: repetition
                .agent
                .as_ref()
                .map(|cpu| repetition.per_exchange(cpu)),
            phases: Phases {
                open: summarise_run(&measured.open),
                handshake: summarise_run(&measured.handshake),
                authentication: summarise_run(&measured.authentication),
                key_derivation: summarise_run(&measured.key_derivation),
                discovery: summarise_run(&measured.discovery),
                first_exchange: summarise_run(&measured.first_exchange),
                steady_state: summarise_run(&measured.steady_state),
                uncorrected: summarise_run(&measured.uncorrected),
                close: summarise_run(&measured.close),
            },
        }
    }

    /// At most about 600 of the samples with their time, from all repetitions alike.
    fn samples(&self) -> Vec<Sample> {
        let all: Vec<(Instant, Duration)> = self
            .repetitions
            .iter()
            .flat_map(|run| run.measured.timed_samples())
            .collect();
        let stride = all.len().div_ceil(600).max(1);
        all.into_iter()
            .step_by(stride)
            .map(|(at, latency)| Sample {
                at_milliseconds: milliseconds(at.saturating_duration_since(self.begun)),
                latency: latency.as_secs_f64() * 1e6,
            })
            .collect()
    }
}

/// What is told of no repetitions at all.
const NOTHING: Estimate = Estimate {
    value: 0.0,
    low: 0.0,
    high: 0.0,
};

fn sum<'a>(times: impl Iterator<Item = &'a CpuTime>) -> CpuTime {
    let mut total = CpuTime::default();
    times.for_each(|time| total.add(time));
    total
}

/// To the microsecond: more digits would only make files longer.
fn milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}
