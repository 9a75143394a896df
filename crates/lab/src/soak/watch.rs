use std::time::{Duration, Instant};

use super::{Lane, SOAK_SCHEMA_VERSION, SoakReport, SoakSample};
use crate::bench::BenchError;
use crate::measurement::{CpuTime, Environment};
use crate::process::{CpuReading, cpu_time, pss};
use crate::statistics::slope;
use crate::subject::Agent;

/// Samples of the agent's memory, about.
const SAMPLES: f64 = 400.0;
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);

/// Watches the agent and this process.
pub(super) struct Watch {
    begun: Instant,
    agent: u32,
    agent_before: CpuReading,
    own_before: CpuReading,
    budget: Duration,
    samples: Vec<SoakSample>,
    agent_cpu: CpuTime,
}

impl Watch {
    pub(super) fn begin(agent: &Agent, budget: Duration) -> Result<Self, BenchError> {
        let agent = agent.id().ok_or_else(|| {
            BenchError::Options("a soak needs an agent that is started here".into())
        })?;
        Ok(Self {
            begun: Instant::now(),
            agent_before: cpu_time(agent).map_err(BenchError::Machine)?,
            own_before: cpu_time(std::process::id()).map_err(BenchError::Machine)?,
            agent,
            budget,
            samples: Vec::new(),
            agent_cpu: CpuTime::default(),
        })
    }

    pub(super) fn until_over(
        &mut self,
        lanes: &[Lane],
        mut report: impl FnMut(f64),
    ) -> Result<(), BenchError> {
        let interval = self.budget.div_f64(SAMPLES).max(SHORTEST_INTERVAL);
        loop {
            std::thread::sleep(interval);
            let sample = self.sample(lanes).map_err(BenchError::Machine)?;
            self.samples.push(sample);
            let part = sample.cpu / self.budget.as_secs_f64();
            report(part.min(1.0));
            if part >= 1.0 {
                return Ok(());
            }
        }
    }

    fn sample(&mut self, lanes: &[Lane]) -> std::io::Result<SoakSample> {
        self.agent_cpu = cpu_time(self.agent)?.since(&self.agent_before);
        let own = cpu_time(std::process::id())?.since(&self.own_before);
        let (mut sessions, mut completed) = (0, 0);
        for lane in lanes {
            let done = lane.done();
            sessions += done.sessions;
            completed += done.completed;
        }
        Ok(SoakSample {
            at: self.begun.elapsed().as_secs_f64(),
            cpu: (self.agent_cpu.total + own.total) / 1e6,
            pss: pss(self.agent)?,
            sessions,
            completed,
        })
    }

    pub(super) fn report(self, environment: Environment, lanes: &[Lane]) -> SoakReport {
        let half = self.samples.len() / 2;
        let second_half = self.samples.iter().skip(half);
        let points = second_half.map(|sample| (sample.cpu / 3600.0, sample.pss as f64));
        let points: Vec<(f64, f64)> = points.collect();
        SoakReport {
            schema_version: SOAK_SCHEMA_VERSION,
            environment,
            cpu_seconds: self.budget.as_secs_f64(),
            agent_cpu: self.agent_cpu,
            transports: lanes.iter().map(|lane| lane.done().clone()).collect(),
            growth_per_hour: slope(&points).unwrap_or_default(),
            samples: self.samples,
        }
    }
}
