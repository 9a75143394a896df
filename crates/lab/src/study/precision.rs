//! When a comparison can end before all its repetitions.

use std::collections::BTreeSet;

use super::{
    Cell, Claim, Evidence, Experiment, Figure, Manifest, Planned, Record, Study, SubjectName, rules,
};

/// A comparison has at least so many rounds.
pub(super) const LEAST_ROUNDS: u32 = 12;

/// How narrow the intervals of a run are to be.
#[derive(Debug)]
pub(super) struct Precision {
    /// How far an interval may reach, as a part of the value.
    part: f64,
    subjects: Vec<SubjectName>,
    seed: u64,
    studies: Vec<(&'static Study, Vec<Experiment>)>,
}

impl Precision {
    pub(super) fn new(studies: &[&'static Study], manifest: &Manifest, part: f64) -> Self {
        let studies = studies.iter();
        let studies = studies.map(|study| (*study, study.experiments(manifest.scope)));
        Self {
            part,
            subjects: manifest.subjects.clone(),
            seed: manifest.seed,
            studies: studies.collect(),
        }
    }

    /// Whether all figures of a block that are claimed, and the medians of experiments without any, have intervals narrow enough.
    /// What could not be measured does not count; a block of which nothing was measured is not precise. Figures that claims calculate by
    /// arithmetic of their own do not count: an experiment with no other claimed figures counts by its medians.
    ///
    /// The first half of the rounds decides, from which follows how wide intervals of all rounds are. Values that happened to lie close
    /// together would otherwise end the comparison, and intervals would have their median too seldom: as in two-stage sampling (C.
    /// Stein, "A two-sample test for a linear hypothesis whose power is independent of the variance", Annals of Mathematical
    /// Statistics 16, 1945), how many values there are depends on some of them only.
    pub(super) fn is_reached(&self, of_block: &[&Planned], records: &[Record]) -> bool {
        let rounds: BTreeSet<u32> = records.iter().map(|record| record.round).collect();
        let Some((half, widening)) = first_half(rounds.len()) else {
            return false;
        };
        let first = records.iter();
        let first = first.filter(|record| rounds.range(..record.round).count() < half);
        let first: Vec<Record> = first.cloned().collect();
        let figures = self.figures(of_block, &first);
        let part = self.part * widening;
        !figures.is_empty() && figures.iter().all(|figure| is_narrow(figure, part))
    }

    fn figures(&self, of_block: &[&Planned], records: &[Record]) -> Vec<Figure> {
        let mut figures = Vec::new();
        for (study, experiments) in &self.studies {
            let here = experiments.iter().filter(|one| is_within(one, of_block));
            for experiment in here {
                for subject in &self.subjects {
                    let evidence = Evidence::new(experiments, records, *subject, self.seed);
                    figures.extend(figures_of(study, experiment, &evidence));
                }
            }
        }
        figures
    }
}

/// How many of so many rounds decide, and how much wider their intervals are than those of all; `None` of too few.
fn first_half(rounds: usize) -> Option<(usize, f64)> {
    let half = rounds / 2;
    let is_enough = rounds >= LEAST_ROUNDS as usize;
    is_enough.then(|| (half, (rounds as f64 / half as f64).sqrt()))
}

fn is_within(experiment: &Experiment, of_block: &[&Planned]) -> bool {
    let mut tasks = experiment.cells.iter().flat_map(Cell::tasks);
    tasks.any(|task| of_block.iter().any(|one| one.task == *task))
}

fn figures_of(study: &Study, experiment: &Experiment, evidence: &Evidence<'_>) -> Vec<Figure> {
    let claimed = study.all_claims().flat_map(Claim::claimed_figures);
    let claimed = claimed.filter(|one| one.experiment == experiment.id);
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
    use super::super::{Notes, Observation, Scope, find};
    use super::*;
    use crate::environment::environment;
    use crate::measurement::Estimate;
    use crate::process::Cores;
    use crate::statistics::{Random, median_interval, mix};

    #[test]
    fn narrow_intervals_of_enough_values_are_precise() {
        let figure = |low, high, repetitions| Figure {
            estimate: Estimate {
                value: 1.0,
                low,
                high,
            },
            sign_test: None,
            repetitions,
            disturbed: 0,
            cut: 0,
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
            let precision = Precision::new(&[study], notes.manifest(), 0.03);
            blocks.map(|block| {
                let of_block: Vec<&Planned> =
                    planned.iter().filter(|one| one.block == block).collect();
                let records = notes.records().iter();
                let records = records.filter(|record| of_block.iter().any(|one| one.is_of(record)));
                precision.is_reached(&of_block, &records.cloned().collect::<Vec<_>>())
            })
        };
        assert_eq!(precise(0.0001, 12), [true, false]);
        // Half of them is fewer than verdicts need, and nothing was measured.
        assert_eq!(precise(0.0001, 11), [false, false]);
        assert_eq!(precise(0.0001, 0), [false, false]);
        assert_eq!(precise(0.5, 12), [false, false]);
    }

    /// Ends as a comparison does whose only figure has these values; the number of values with the interval.
    fn sample(part: f64, mut draw: impl FnMut() -> f64) -> (usize, Estimate) {
        let mut values: Vec<f64> = (0..LEAST_ROUNDS).map(|_| draw()).collect();
        loop {
            let (half, widening) = first_half(values.len()).unwrap();
            let figure = Figure {
                estimate: median_interval(&values[..half]).unwrap(),
                sign_test: None,
                repetitions: half as u32,
                disturbed: 0,
                cut: 0,
            };
            if is_narrow(&figure, part * widening) || values.len() >= 240 {
                return (values.len(), median_interval(&values).unwrap());
            }
            values.push(draw());
        }
    }

    #[test]
    fn intervals_of_comparisons_that_end_when_they_are_precise_have_the_median() {
        let unit = |random: &mut Random| random.below(1 << 30) as f64 / f64::from(1 << 30);
        let mut random = Random::new(11);
        let (mut covered, mut counts, mut reaches) = (0, 0, 0.0);
        const SAMPLES: usize = 4000;
        for _ in 0..SAMPLES {
            let (count, estimate) = sample(0.03, || {
                // Nearly a normal distribution, with a deviation of 5 %.
                let sum: f64 = (0..12).map(|_| unit(&mut random)).sum();
                1.0 + 0.05 * (sum - 6.0)
            });
            covered += usize::from(estimate.low <= 1.0 && 1.0 <= estimate.high);
            counts += count;
            reaches += (estimate.high - estimate.low) / 2.0;
        }
        let of_all = |sum: f64| sum / SAMPLES as f64;
        // Without the rule of the halves it is 0.93.
        let covered = of_all(covered as f64);
        assert!((0.932..0.96).contains(&covered), "{covered}");
        assert!((0.02..0.035).contains(&of_all(reaches)));
        let count = of_all(counts as f64);
        assert!((15.0..40.0).contains(&count), "{count}");
    }
}
