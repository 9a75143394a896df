use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::course::MOST_ROUNDS;
use super::neighbours::Neighbours;
use super::{ExternalAgent, Record, Scope, Study, SubjectName, Task};
use crate::statistics::{Random, mix};

/// A task with a subject, and how often it is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// What is done.
    pub task: Task,
    /// With whom.
    pub subject: SubjectName,
    /// How often.
    pub repetitions: u32,
    /// Those of one block are compared with each other, and done one behind the other.
    pub block: u32,
}

impl Planned {
    /// Whether a record is of it.
    #[must_use]
    pub fn is_of(&self, record: &Record) -> bool {
        self.subject == record.subject && self.task == record.task
    }
}

/// Blocks with tasks that wait most of their time.
pub(super) fn patient_blocks(planned: &[Planned]) -> BTreeSet<u32> {
    let patient = planned.iter().filter(|one| one.task.is_patient());
    patient.map(|one| one.block).collect()
}

/// Everything that a run does, each task once though several cells may need it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// In no particular order.
    pub tasks: Vec<Planned>,
}

impl Plan {
    /// What these studies need.
    #[must_use]
    pub fn of_studies(studies: &[&Study], scope: Scope, subjects: &[SubjectName]) -> Self {
        let mut plan = Self::default();
        let experiments = studies.iter().flat_map(|study| study.experiments(scope));
        for (experiment, number) in experiments.zip(0..) {
            let mut block = number;
            for cell in &experiment.cells {
                for &subject in subjects {
                    if cell.is_about(subject) && cell.is_possible(subject).is_ok() {
                        let repetitions = cell.repetitions.unwrap_or_else(|| scope.repetitions());
                        for task in cell.tasks() {
                            block = plan.add(task, subject, repetitions, block);
                        }
                    }
                }
            }
        }
        plan
    }

    /// The same without what this agent, which runs already, cannot be asked for.
    #[must_use]
    pub fn with_external(mut self, external: Option<&ExternalAgent>) -> Self {
        let is_refused = |one: &Planned| {
            one.subject.is_external()
                && external.is_some_and(|agent| agent.refuses(&one.task).is_some())
        };
        self.tasks.retain(|one| !is_refused(one));
        self
    }

    /// Has what is repeated as often as usual be repeated as long as there is time.
    pub(super) fn raise_repetitions(&mut self, scope: Scope) {
        let usual = scope.repetitions();
        for one in self.tasks.iter_mut().filter(|one| one.repetitions >= usual) {
            one.repetitions = MOST_ROUNDS.max(one.repetitions);
        }
    }

    /// Adds a task to a block, and returns the block: that of a task which is there already takes the others in.
    fn add(&mut self, task: &Task, subject: SubjectName, repetitions: u32, block: u32) -> u32 {
        let mut tasks = self.tasks.iter_mut();
        let known = tasks.find(|planned| planned.subject == subject && planned.task == *task);
        let Some(planned) = known else {
            self.tasks.push(Planned {
                task: task.clone(),
                subject,
                repetitions,
                block,
            });
            return block;
        };
        planned.repetitions = planned.repetitions.max(repetitions);
        let joined = planned.block;
        for other in self.tasks.iter_mut().filter(|one| one.block == block) {
            other.block = joined;
        }
        joined
    }
}

/// The order of a round: the blocks in random order, and those of a block in a random order of their own, in which neighbours are
/// together and which the next round has the other way round. So what changes slowly weighs alike on all that is compared. With their
/// places in the plan.
pub(super) fn ordered<'a>(
    planned: &'a [Planned],
    neighbours: &Neighbours,
    seed: u64,
    round: u32,
) -> Vec<(usize, &'a Planned)> {
    let mut blocks: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, one) in planned.iter().enumerate() {
        blocks.entry(one.block).or_default().push(place);
    }
    let mut of_pair = Random::new(mix(seed ^ mix(u64::from(round / 2))));
    let mut blocks: Vec<Vec<usize>> = blocks.into_values().collect();
    for block in &mut blocks {
        of_pair.shuffle(block);
        *block = neighbours.gathered(block);
        if round % 2 == 1 {
            block.reverse();
        }
    }
    Random::new(mix(seed) ^ u64::from(round)).shuffle(&mut blocks);
    let places = blocks.into_iter().flatten();
    places
        .filter_map(|place| Some((place, planned.get(place)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, with_overview};
    use super::*;

    #[test]
    fn what_is_compared_is_done_one_behind_the_other_and_then_the_other_way_round() {
        let studies: Vec<&Study> = with_overview().collect();
        let subjects = [SubjectName::Varbind, SubjectName::NetSnmp];
        let plan = Plan::of_studies(&studies, Scope::Quick, &subjects);
        let neighbours = Neighbours::of_studies(&studies, Scope::Quick, &plan.tasks);
        let [first, second] = [0, 1].map(|round| {
            let order = ordered(&plan.tasks, &neighbours, 1, round).into_iter();
            order.map(|(_, one)| one).collect::<Vec<_>>()
        });
        assert_eq!(first.len(), plan.tasks.len());
        let of_block = |order: &[&'_ Planned], block: u32| -> Vec<Planned> {
            let mut runs = order.chunk_by(|one, next| one.block == next.block);
            let run = runs.find(|run| run.first().is_some_and(|one| one.block == block));
            let run = run.unwrap_or_default();
            run.iter().copied().cloned().collect()
        };
        for experiment in studies
            .iter()
            .flat_map(|study| study.experiments(Scope::Quick))
        {
            let tasks: Vec<&Task> = experiment.cells.iter().flat_map(Cell::tasks).collect();
            let is_of = |one: &&Planned| tasks.contains(&&one.task);
            let Some(block) = plan.tasks.iter().find(is_of).map(|one| one.block) else {
                continue;
            };
            let all = plan.tasks.iter().filter(is_of);
            assert!(
                all.clone().all(|one| one.block == block),
                "{}",
                experiment.id
            );
            let mut back = of_block(&second, block);
            back.reverse();
            assert_eq!(of_block(&first, block), back, "{}", experiment.id);
            assert!(back.len() >= all.count(), "{}", experiment.id);
        }
    }
}
