use std::time::{Duration, Instant};

use super::gather::{Gathering, Repetition};
use super::plan::Configuration;
use super::{Bench, BenchError, Running};
use crate::measurement::{ConfigurationResult, Placement};
use crate::process::{place, pss, take_turns, usage_of};
use crate::statistics::Random;
use crate::workload::Workload;

/// Repetitions that each configuration gets even if they take longer than [`LONGEST`].
const FEWEST: usize = 5;
/// The time that all repetitions of a configuration may take, where their number was not given.
const LONGEST: Duration = Duration::from_secs(5);

/// One configuration with one subject.
struct Cell {
    configuration: usize,
    subject: usize,
    workload: Workload,
    repetitions: Vec<Repetition>,
    taken: Duration,
}

impl Bench<'_> {
    /// Runs all configurations with all subjects, interleaved: in every round each comes once, in random order, and the
    /// subjects of one configuration come one behind the other.
    pub(super) fn exchanges(
        &mut self,
        stage: &str,
        plan: &[Configuration],
        agents: &[Running],
    ) -> Result<Vec<ConfigurationResult>, BenchError> {
        let mut cells = self.cells(plan, agents);
        let rounds = plan
            .iter()
            .map(|configuration| configuration.repetitions)
            .max();
        let rounds = rounds.unwrap_or_default();
        let mut random = Random::new(self.options.seed);
        let mut order: Vec<usize> = (0..plan.len()).collect();
        for cell in &cells {
            cell.workload.warm_up(5).map_err(BenchError::Request)?;
        }
        let mut placed = None;
        for round in 0..rounds {
            random.shuffle(&mut order);
            for &configuration in &order {
                self.round(
                    configuration,
                    plan,
                    agents,
                    &mut cells,
                    &mut random,
                    &mut placed,
                )?;
            }
            self.progress
                .report(stage, round as usize + 1, rounds as usize);
        }
        self.place(Placement::Free, agents)?;
        self.note_refusals(&cells);
        Ok(cells
            .iter()
            .filter_map(|cell| self.gather(cell, plan, agents))
            .collect())
    }

    fn cells(&self, plan: &[Configuration], agents: &[Running]) -> Vec<Cell> {
        let mut cells = Vec::new();
        for (at, configuration) in plan.iter().enumerate() {
            for (subject, running) in agents.iter().enumerate() {
                let Some(workload) = configuration.of_agent(running, self.options) else {
                    continue;
                };
                cells.push(Cell {
                    configuration: at,
                    subject,
                    workload,
                    repetitions: Vec::new(),
                    taken: Duration::ZERO,
                });
            }
        }
        cells
    }

    fn round(
        &mut self,
        configuration: usize,
        plan: &[Configuration],
        agents: &[Running],
        cells: &mut [Cell],
        random: &mut Random,
        placed: &mut Option<Placement>,
    ) -> Result<(), BenchError> {
        let Some(wanted) = plan.get(configuration) else {
            return Ok(());
        };
        let mut group: Vec<&mut Cell> = cells
            .iter_mut()
            .filter(|cell| cell.configuration == configuration)
            .collect();
        let limited = self.options.repetitions.is_none();
        let enough = |cell: &Cell| {
            let done = cell.repetitions.len();
            done >= wanted.repetitions as usize
                || (limited && done >= FEWEST && cell.taken > LONGEST)
        };
        // Together or not at all: a pair needs both.
        if group.iter().any(|cell| enough(cell)) {
            return Ok(());
        }
        if *placed != Some(wanted.placement) {
            self.place(wanted.placement, agents)?;
            *placed = Some(wanted.placement);
        }
        random.shuffle(&mut group);
        for cell in group {
            let pid = agents
                .get(cell.subject)
                .and_then(|running| running.agent.id());
            let repetition = repeat(&cell.workload, pid)?;
            cell.taken += repetition.measured.total;
            cell.repetitions.push(repetition);
        }
        Ok(())
    }

    /// Tells why sessions could not be opened, each reason once.
    fn note_refusals(&mut self, cells: &[Cell]) {
        for cell in cells {
            let refusals = cell.repetitions.iter();
            let refusal = refusals
                .filter_map(|one| one.measured.refusal.as_ref())
                .next();
            if let Some(refusal) = refusal {
                let note = format!("no session with {}: {refusal}", cell.workload.target);
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
        }
    }

    /// Puts this thread and all agents on the cores that a placement means.
    fn place(&mut self, placement: Placement, agents: &[Running]) -> Result<(), BenchError> {
        let turns = placement == Placement::SameCore;
        for pid in agents.iter().map(|running| running.agent.id()) {
            place(&self.cores, placement, pid).map_err(BenchError::Machine)?;
            if let Err(error) = take_turns(turns, pid)
                && turns
            {
                self.notes.push(format!(
                    "manager and agent interrupt each other on their common core, bursts are not kept together: {error}"
                ));
            }
        }
        Ok(())
    }

    fn gather(
        &self,
        cell: &Cell,
        plan: &[Configuration],
        agents: &[Running],
    ) -> Option<ConfigurationResult> {
        let configuration = plan.get(cell.configuration)?;
        let running = agents.get(cell.subject)?;
        let mut parameters = configuration.parameters(&running.name, self.options);
        parameters.repetitions = u32::try_from(cell.repetitions.len()).unwrap_or(u32::MAX);
        let gathering = Gathering {
            parameters,
            repetitions: &cell.repetitions,
            begun: self.begun,
            seed: self.options.seed,
            manager_pss: pss(std::process::id()).unwrap_or_default(),
            agent_pss: running.agent.id().and_then(|pid| pss(pid).ok()),
        };
        Some(gathering.result())
    }
}

/// Does the work once, between two readings of the CPU time of both processes.
fn repeat(workload: &Workload, agent: Option<u32>) -> Result<Repetition, BenchError> {
    let at = Instant::now();
    let used = usage_of(agent, None, || workload.run()).map_err(BenchError::Machine)?;
    Ok(Repetition {
        at,
        measured: used.result.map_err(BenchError::Request)?,
        manager: used.manager,
        agent: used.agent,
    })
}
