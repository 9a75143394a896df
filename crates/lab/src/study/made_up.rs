//! Records of runs that were never made, for tests of claims.

use super::{Experiment, Measure, Observation, Record, SubjectName, Task};

/// Six repetitions with our agent of all that these experiments measure.
pub(super) fn records(experiments: &[Experiment]) -> Vec<Record> {
    let cells = experiments.iter().flat_map(|one| &one.cells);
    let measured = cells.flat_map(|cell| {
        let others = cell.over.iter().chain(&cell.less);
        let others = others.map(|(task, measure)| (task, *measure));
        std::iter::once((&cell.task, cell.measure)).chain(others)
    });
    let records = measured.flat_map(|(task, measure)| {
        (0..6).map(move |round| {
            let mut observation = Observation::default();
            observation.note(measure, value(task, measure) + f64::from(round));
            Record {
                task: task.clone(),
                subject: SubjectName::Varbind,
                round,
                at: 0.0,
                observation,
            }
        })
    });
    records.collect()
}

/// More for what is larger, with USM for each part of it, and with a handshake from the beginning.
fn value(task: &Task, measure: Measure) -> f64 {
    let grown = match (task, measure) {
        (_, Measure::MemoryWith(sessions)) => sessions,
        (Task::Sessions(task) | Task::Packets(task), _) => {
            let names = task.request.names().len() as u32;
            let size = names + task.exchanges + task.setting.interfaces();
            let each = if task.scheme.protection().is_some() {
                3
            } else {
                2
            };
            let handshake = if task.transport.is_secure() { 500 } else { 0 };
            let storage = if task.request.is_set() { 100 } else { 0 };
            handshake + storage + each * size
        }
        _ => 0,
    };
    1000.0 + f64::from(grown)
}
