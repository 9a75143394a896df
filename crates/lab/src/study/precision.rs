//! When a comparison can end before all its repetitions.

use std::collections::BTreeSet;

use super::{
    Cell, Evidence, Experiment, Figure, Judge, Notes, Planned, Record, Study, SubjectName, rules,
};

/// Blocks in which all figures that are claimed, and the medians of experiments without any, have intervals that reach no farther than
/// this part of the value. What could not be measured does not count; a block of which nothing was measured is not precise.
pub(super) fn precise_blocks(
    studies: &[&Study],
    notes: &Notes,
    planned: &[Planned],
    precision: f64,
) -> BTreeSet<u32> {
    let experiments: Vec<(&Study, Vec<Experiment>)> = studies
        .iter()
        .map(|study| (*study, study.experiments(notes.manifest().scope)))
        .collect();
    let blocks: BTreeSet<u32> = planned.iter().map(|one| one.block).collect();
    let is_precise = |block: &u32| {
        let of_block: Vec<&Planned> = planned.iter().filter(|one| one.block == *block).collect();
        let records = notes.records().iter();
        let records = records.filter(|record| of_block.iter().any(|one| one.is_of(record)));
        let records: Vec<Record> = records.cloned().collect();
        let mut figures = experiments.iter().flat_map(|(study, experiments)| {
            let here: Vec<&Experiment> = experiments
                .iter()
                .filter(|one| is_within(one, &of_block))
                .collect();
            let subjects = notes.manifest().subjects.iter();
            let of_subject = |subject: &SubjectName| {
                let evidence =
                    Evidence::new(experiments, &records, *subject, notes.manifest().seed);
                here.iter()
                    .flat_map(|one| figures_of(study, one, &evidence))
                    .collect::<Vec<_>>()
            };
            subjects.flat_map(of_subject).collect::<Vec<_>>()
        });
        let mut is_any = false;
        let are_all = figures.all(|figure| {
            is_any = true;
            is_narrow(&figure, precision)
        });
        is_any && are_all
    };
    blocks.into_iter().filter(is_precise).collect()
}

fn is_within(experiment: &Experiment, of_block: &[&Planned]) -> bool {
    let mut tasks = experiment.cells.iter().flat_map(Cell::tasks);
    tasks.any(|task| of_block.iter().any(|one| one.task == *task))
}

fn figures_of(study: &Study, experiment: &Experiment, evidence: &Evidence<'_>) -> Vec<Figure> {
    let claimed = study.all_claims().flat_map(|claim| match claim.judge {
        Judge::Figures { first, otherwise } => {
            let others = otherwise.map_or(&[][..], |others| others.figures);
            first.figures.iter().chain(others).collect::<Vec<_>>()
        }
        _ => Vec::new(),
    });
    let claimed = claimed.filter(|one| one.experiment == experiment.id && one.claimed.is_some());
    let claimed: Vec<Figure> = claimed.filter_map(|one| one.measured(evidence)).collect();
    if !claimed.is_empty() {
        return claimed;
    }
    let cells = experiment.cells.iter();
    cells
        .filter_map(|cell| evidence.figure_of_cell(cell))
        .collect()
}

fn is_narrow(figure: &Figure, precision: f64) -> bool {
    let estimate = figure.estimate;
    let reach = (estimate.high - estimate.value).max(estimate.value - estimate.low);
    figure.repetitions >= rules().repetitions && reach <= estimate.value.abs() * precision
}

#[cfg(test)]
mod tests {
    use super::super::{Manifest, Observation, Scope, find};
    use super::*;
    use crate::environment::environment;
    use crate::measurement::Estimate;
    use crate::process::Cores;
    use crate::statistics::mix;

    #[test]
    fn narrow_intervals_of_enough_values_are_precise() {
        let figure = |low, high, repetitions| Figure {
            estimate: Estimate {
                value: 1.0,
                low,
                high,
            },
            repetitions,
            disturbed: 0,
        };
        assert!(is_narrow(&figure(0.98, 1.02, 6), 0.03));
        assert!(!is_narrow(&figure(0.98, 1.02, 5), 0.03));
        assert!(!is_narrow(&figure(0.96, 1.02, 30), 0.03));
        assert!(!is_narrow(&figure(1.0, 1.04, 30), 0.03));
    }

    /// Ten repetitions of two blocks, values of the one within so large a part of each other, and values of the other far apart.
    fn notes(part: f64, rounds: u32) -> (Notes, Vec<Planned>, [u32; 2]) {
        let studies = [find("du2001").unwrap()];
        let environment = environment(&Cores::available().unwrap(), 1);
        let subjects = [SubjectName::Varbind];
        let manifest = Manifest::of_studies(&studies, Scope::Quick, &subjects, environment);
        let planned = manifest.tasks.clone();
        let experiments = studies[0].experiments(Scope::Quick);
        let cells: Vec<&Cell> = experiments.iter().flat_map(|one| &one.cells).collect();
        let first = planned[0].block;
        let others = planned.iter().map(|one| one.block);
        let blocks = [
            first,
            others.into_iter().find(|block| *block != first).unwrap(),
        ];
        let mut notes = Notes::of_manifest(manifest);
        let is_here = |one: &&Planned| blocks.contains(&one.block);
        for (one, place) in planned.iter().filter(is_here).zip(0..) {
            let part = if one.block == blocks[0] { part } else { 1.0 };
            for round in 0..rounds {
                let mut observation = Observation::default();
                let draw = mix(u64::from(round) ^ mix(place)) % 1000;
                // Far apart, so that differences are as precise as values.
                let typical = 1000.0 * f64::from(place as u32 + 1).powi(2);
                let value = typical * (1.0 + part * draw as f64 / 1000.0);
                for cell in cells.iter().filter(|cell| cell.task == one.task) {
                    observation.note(cell.measure, value);
                }
                notes.add(Record {
                    task: one.task.clone(),
                    subject: one.subject,
                    round,
                    at: 1.0,
                    observation,
                });
            }
        }
        (notes, planned, blocks)
    }

    #[test]
    fn a_comparison_ends_once_it_is_precise_and_others_go_on() {
        let study = find("du2001").unwrap();
        let precise = |part, rounds| {
            let (notes, planned, blocks) = notes(part, rounds);
            let precise = precise_blocks(&[study], &notes, &planned, 0.03);
            blocks.map(|block| precise.contains(&block))
        };
        assert_eq!(precise(0.0001, 10), [true, false]);
        // Not with fewer repetitions than verdicts need, and not where nothing was measured.
        assert_eq!(precise(0.0001, 5), [false, false]);
        assert_eq!(precise(0.0001, 0), [false, false]);
        assert_eq!(precise(0.5, 10), [false, false]);
    }
}
