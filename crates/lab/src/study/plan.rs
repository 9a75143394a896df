use serde::{Deserialize, Serialize};

use super::{Manifest, Scope, Study, SubjectName, Task};

/// A task with a subject, and how often it is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// What is done.
    pub task: Task,
    /// With whom.
    pub subject: SubjectName,
    /// How often.
    pub repetitions: u32,
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
        let cells = studies
            .iter()
            .flat_map(|study| (study.experiments)(scope))
            .flat_map(|experiment| experiment.cells);
        for cell in cells {
            for &subject in subjects {
                if cell.is_about(subject)
                    && cell.tasks().all(|task| task.is_possible(subject).is_ok())
                {
                    let repetitions = cell.repetitions.unwrap_or_else(|| scope.repetitions());
                    for task in cell.tasks() {
                        plan.add(task, subject, repetitions);
                    }
                }
            }
        }
        plan
    }

    /// What a manifest tells.
    #[must_use]
    pub fn of_manifest(manifest: &Manifest) -> Self {
        Self {
            tasks: manifest.tasks.clone(),
        }
    }

    fn add(&mut self, task: &Task, subject: SubjectName, repetitions: u32) {
        let mut tasks = self.tasks.iter_mut();
        match tasks.find(|planned| planned.subject == subject && planned.task == *task) {
            Some(planned) => planned.repetitions = planned.repetitions.max(repetitions),
            None => self.tasks.push(Planned {
                task: task.clone(),
                subject,
                repetitions,
            }),
        }
    }
}
