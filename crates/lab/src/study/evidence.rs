use std::collections::{BTreeMap, BTreeSet};

use super::{At, BEYOND, Cell, Experiment, Figure, Measure, Record, SubjectName, Task, is_beyond};
use crate::measurement::BreakEven;
use crate::statistics::{RunCost, break_even, median_interval, sign_test_interval, spread};

/// What was measured for a study with one agent: what its claims are judged by.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    experiments: &'a [Experiment],
    records: &'a [Record],
    subject: SubjectName,
    seed: u64,
}

impl<'a> Evidence<'a> {
    /// The records of a run with this agent, seen through the experiments of a study.
    #[must_use]
    pub const fn new(
        experiments: &'a [Experiment],
        records: &'a [Record],
        subject: SubjectName,
        seed: u64,
    ) -> Self {
        Self {
            experiments,
            records,
            subject,
            seed,
        }
    }

    /// Whose agent it is about.
    #[must_use]
    pub const fn subject(&self) -> SubjectName {
        self.subject
    }

    /// The same of another agent.
    #[must_use]
    pub const fn of(self, subject: SubjectName) -> Self {
        Self { subject, ..self }
    }

    /// What each repetition of a task gave, by round. Empty if it was not measured.
    #[must_use]
    pub fn values(&self, task: &Task, measure: Measure) -> Vec<(u32, f64)> {
        let of_task = self.of_task(task);
        let mut values: Vec<(u32, f64)> = of_task
            .filter_map(|record| Some((record.round, *record.observation.measures.get(&measure)?)))
            .collect();
        values.sort_unstable_by_key(|(round, _)| *round);
        values
    }

    /// The repetitions of a task.
    pub fn of_task(&self, task: &Task) -> impl Iterator<Item = &'a Record> + use<'a> {
        let (task, subject) = (task.clone(), self.subject);
        let of_task = move |record: &&Record| record.subject == subject && record.task == task;
        self.records.iter().filter(of_task)
    }

    /// The cell of an experiment.
    #[must_use]
    pub fn cell(&self, experiment: &str, series: &str, at: impl Into<At>) -> Option<&'a Cell> {
        let at = at.into();
        let mut cells = self
            .experiments
            .iter()
            .filter(|one| one.id == experiment)
            .flat_map(|one| &one.cells);
        cells.find(|cell| cell.series == series && cell.at == at)
    }

    /// What each repetition gave of a cell, by round, in the base unit of its measure. Empty if it was not measured.
    #[must_use]
    pub fn of_cell(&self, cell: &Cell) -> Vec<(u32, f64)> {
        let mut values = self.values(&cell.task, cell.measure);
        if let Some((task, measure)) = &cell.less {
            values = self.with(values, (task, *measure), |value, less| Some(value - less));
        }
        if let Some((task, measure)) = &cell.over {
            values = self.with(values, (task, *measure), quotient);
        }
        values
    }

    /// What `calculate` makes of values and what else was measured in the same round.
    fn with(
        &self,
        values: Vec<(u32, f64)>,
        (task, measure): (&Task, Measure),
        calculate: impl Fn(f64, f64) -> Option<f64>,
    ) -> Vec<(u32, f64)> {
        let others: BTreeMap<u32, f64> = self.values(task, measure).into_iter().collect();
        let of_round = |(round, value)| Some((round, calculate(value, *others.get(&round)?)?));
        values.into_iter().filter_map(of_round).collect()
    }

    /// The median of a cell with its interval, in the base unit of its measure.
    #[must_use]
    pub fn figure(&self, experiment: &str, series: &str, at: impl Into<At>) -> Option<Figure> {
        self.figure_of_cell(self.cell(experiment, series, at)?)
    }

    /// The same of a cell that was found.
    #[must_use]
    pub fn figure_of_cell(&self, cell: &Cell) -> Option<Figure> {
        self.of_rounds(&[cell], |values| values.first().copied())
    }

    /// One cell over another of the same experiment: the median of the ratios of the repetitions, with its interval.
    #[must_use]
    pub fn ratio(
        &self,
        experiment: &str,
        over: (&str, impl Into<At>),
        under: (&str, impl Into<At>),
    ) -> Option<Figure> {
        let over = self.cell(experiment, over.0, over.1)?;
        let under = self.cell(experiment, under.0, under.1)?;
        self.ratio_of_cells(over, under)
    }

    /// One cell over another, paired by rounds.
    #[must_use]
    pub fn ratio_of_cells(&self, over: &Cell, under: &Cell) -> Option<Figure> {
        self.ratio_across((over, self.subject), (under, self.subject))
    }

    /// One cell of one agent over another of any, paired by rounds.
    #[must_use]
    pub fn ratio_across(
        &self,
        over: (&Cell, SubjectName),
        under: (&Cell, SubjectName),
    ) -> Option<Figure> {
        self.of_rounds_across(&[over, under], |values| match values {
            [over, under] => quotient(*over, *under),
            _ => None,
        })
    }

    /// How much the repetitions of a cell differ: the distance of their quartiles by their median, with its interval.
    #[must_use]
    pub fn spread(&self, experiment: &str, series: &str, at: impl Into<At>) -> Option<Figure> {
        let cell = self.cell(experiment, series, at)?;
        let values = self.of_cell(cell).into_iter();
        let values: Vec<f64> = values.map(|(_, value)| value).collect();
        Some(Figure {
            estimate: spread(&values, self.seed)?,
            sign_test: None,
            ..self.figure_of_cell(cell)?
        })
    }

    /// From how many exchanges on sessions of one series cost less than those of another, by lines through what they cost
    /// at two places, which are numbers of exchanges. `None` if one of the four was not measured.
    #[must_use]
    pub fn break_even(
        &self,
        experiment: &str,
        series: &str,
        reference: &str,
        places: (u32, u32),
    ) -> Option<BreakEven> {
        let cell = |series: &str, at: u32| self.cell(experiment, series, at);
        let of = |series: &str| -> Option<BTreeMap<u32, RunCost>> {
            let few = self.of_cell(cell(series, places.0)?);
            let many: BTreeMap<u32, f64> =
                self.of_cell(cell(series, places.1)?).into_iter().collect();
            let cost = |(round, few): (u32, f64)| {
                let many = many.get(&round)?;
                let marginal = (many - few) / f64::from(places.1.checked_sub(places.0)?);
                let fixed = few - marginal * f64::from(places.0);
                Some((round, RunCost { fixed, marginal }))
            };
            Some(few.into_iter().filter_map(cost).collect())
        };
        let (runs, others) = (of(series)?, of(reference)?);
        let pairs = runs
            .iter()
            .filter_map(|(round, cost)| Some((*cost, *others.get(round)?)));
        let (runs, others): (Vec<RunCost>, Vec<RunCost>) = pairs.unzip();
        break_even(&runs, &others, self.seed)
    }

    /// What `calculate` makes of the values that these cells had in the same round: the median of all rounds with its
    /// interval. Rounds that lack one of them are left out. `None` if there is no such cell.
    #[must_use]
    pub fn of_all<'c>(
        &self,
        cells: impl IntoIterator<Item = Option<&'c Cell>>,
        calculate: impl Fn(&[f64]) -> Option<f64>,
    ) -> Option<Figure> {
        let cells: Option<Vec<&Cell>> = cells.into_iter().collect();
        self.of_rounds(&cells?, calculate)
    }

    /// The same of cells that were found.
    #[must_use]
    pub fn of_rounds(
        &self,
        cells: &[&Cell],
        calculate: impl Fn(&[f64]) -> Option<f64>,
    ) -> Option<Figure> {
        let cells: Vec<_> = cells.iter().map(|cell| (*cell, self.subject)).collect();
        self.of_rounds_across(&cells, calculate)
    }

    fn of_rounds_across(
        &self,
        cells: &[(&Cell, SubjectName)],
        calculate: impl Fn(&[f64]) -> Option<f64>,
    ) -> Option<Figure> {
        let of_cells: Vec<Vec<(u32, f64)>> = cells
            .iter()
            .map(|(cell, subject)| self.of(*subject).of_cell(cell))
            .collect();
        let disturbed: BTreeSet<u32> = cells
            .iter()
            .flat_map(|(cell, subject)| self.of(*subject).disturbed_rounds(cell))
            .collect();
        let rounds = of_cells.first()?.iter().map(|(round, _)| *round);
        let of_round = |round: u32| {
            let values = of_cells.iter().map(|values| {
                let mut values = values.iter();
                values
                    .find(|(other, _)| *other == round)
                    .map(|(_, value)| *value)
            });
            Some((round, values.collect::<Option<Vec<f64>>>()?))
        };
        let rounds: Vec<(u32, Vec<f64>)> = rounds.filter_map(of_round).collect();
        // Also those of rounds of which nothing is known because all runs were cut.
        let cut = rounds.iter().flat_map(|(_, values)| values);
        let cut = cut.filter(|value| is_beyond(**value)).count();
        let calculated = rounds
            .iter()
            .filter_map(|(round, values)| Some((calculate(values)?, disturbed.contains(round))));
        let (results, disturbed): (Vec<f64>, Vec<bool>) = calculated.unzip();
        Some(Figure {
            estimate: median_interval(&results)?,
            sign_test: sign_test_interval(&results),
            repetitions: results.len() as u32,
            disturbed: disturbed.into_iter().filter(|one| *one).count() as u32,
            cut: cut as u32,
        })
    }

    /// The rounds in which what the machine did besides may have changed the cell: no octets, and nothing in virtual time.
    pub(super) fn disturbed_rounds(&self, cell: &Cell) -> BTreeSet<u32> {
        let others = cell.over.iter().chain(&cell.less);
        let others = others.map(|(task, measure)| (task, *measure));
        let timed = std::iter::once((&cell.task, cell.measure))
            .chain(others)
            .filter(|(task, measure)| measure.is_timed() && !matches!(task, Task::Twin(_)));
        let records = timed.flat_map(|(task, _)| self.of_task(task));
        let disturbed = records.filter(|record| record.observation.disturbed);
        disturbed.map(|record| record.round).collect()
    }
}

/// `None` where nothing is known of it: of two runs that were both cut, neither is known to be the longer one.
fn quotient(over: f64, under: f64) -> Option<f64> {
    match (is_beyond(over), is_beyond(under)) {
        (true, true) => None,
        (true, false) => Some(BEYOND),
        _ => (under > 0.0).then(|| over / under),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Observation, Scope, find};
    use super::*;

    #[test]
    fn a_difference_is_made_of_values_of_the_same_round() {
        let study = find("pras2004").unwrap();
        let experiments = study.experiments(Scope::Quick);
        let subject = SubjectName::Varbind;
        let cell = experiments
            .iter()
            .flat_map(|one| &one.cells)
            .find(|cell| cell.less.is_some())
            .unwrap();
        let (less, measure) = cell.less.clone().unwrap();
        let record = |task: &Task, measure, round, value| {
            let mut observation = Observation::default();
            observation.note(measure, value);
            Record {
                task: task.clone(),
                subject,
                round,
                at: 0.0,
                observation,
            }
        };
        let records = [
            record(&cell.task, cell.measure, 0, 50.0),
            record(&cell.task, cell.measure, 1, 70.0),
            record(&cell.task, cell.measure, 2, 90.0),
            record(&less, measure, 1, 30.0),
            record(&less, measure, 0, 20.0),
        ];
        let evidence = Evidence::new(&experiments, &records, subject, 1);
        assert_eq!(evidence.of_cell(cell), [(0, 30.0), (1, 40.0)]);
    }

    #[test]
    fn a_run_that_was_cut_is_longer_than_any_other_and_no_two_of_them_are_compared() {
        assert_eq!(quotient(6.0, 2.0), Some(3.0));
        assert_eq!(quotient(BEYOND, 2.0), Some(BEYOND));
        assert!(quotient(2.0, BEYOND).is_some_and(|ratio| ratio < 1e-9));
        assert_eq!(quotient(BEYOND, BEYOND), None);
        let mut observation = Observation::default();
        observation.note_beyond(Measure::ResponseTime);
        let read = serde_json::to_string(&observation).and_then(|text| serde_json::from_str(&text));
        let read: Observation = read.unwrap();
        assert!(is_beyond(read.measures[&Measure::ResponseTime] * 1e-6));
        let median = median_interval(&[1.0, 2.0, 3.0, BEYOND, BEYOND]).unwrap();
        assert_eq!((median.value, is_beyond(median.high)), (3.0, true));
    }

    #[test]
    fn cut_runs_are_counted_even_where_no_ratio_is_known() {
        let study = find("hardaker2008").unwrap();
        let experiments = study.experiments(Scope::Quick);
        let cells = experiments.iter().flat_map(|one| &one.cells);
        let cells: Vec<&Cell> = cells.filter(|cell| cell.at == At::from(29.4)).collect();
        let cell = |series: &str| *cells.iter().find(|cell| cell.series == series).unwrap();
        let (over, under) = (cell("TCP"), cell("UDP adaptive"));
        let record = |cell: &Cell, round, value| {
            let mut observation = Observation::default();
            observation.note(cell.measure, value);
            Record {
                task: cell.task.clone(),
                subject: SubjectName::Varbind,
                round,
                at: 0.0,
                observation,
            }
        };
        let records = [
            record(over, 0, 6.0),
            record(under, 0, 2.0),
            record(over, 1, BEYOND),
            record(under, 1, 2.0),
            record(over, 2, BEYOND),
            record(under, 2, BEYOND),
        ];
        let evidence = Evidence::new(&experiments, &records, SubjectName::Varbind, 1);
        let ratio = evidence.ratio_of_cells(over, under).unwrap();
        assert_eq!((ratio.repetitions, ratio.cut), (2, 3));
        assert_eq!(evidence.figure_of_cell(under).unwrap().cut, 1);
    }
}
