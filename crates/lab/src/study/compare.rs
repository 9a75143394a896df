use serde::Serialize;

use super::difference::{of_environments, of_questions};
use super::{At, Difference, MeasuredValue, Results, SubjectName, Unit};
use crate::measurement::Estimate;
use crate::statistics::ratio_of_medians;

/// Two runs beside each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What differs in what was asked: studies, scope, subjects, seed, repetitions. Values of other workloads are not the same
    /// values, even under the same name.
    pub asked: Vec<Difference>,
    /// What differs in where and with what they were made: then their values do not say that the program has changed.
    pub environment: Vec<Difference>,
    /// Each value that both have.
    pub values: Vec<ComparedValue>,
    /// Values that only one of them has.
    pub unmatched: usize,
}

/// A value that two runs have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedValue {
    /// The study.
    pub study: String,
    /// The experiment.
    pub experiment: String,
    /// Whose agent.
    pub subject: SubjectName,
    /// The series.
    pub series: String,
    /// The place.
    pub at: At,
    /// The unit.
    pub unit: Unit,
    /// In the first run.
    pub first: Estimate,
    /// In the second.
    pub second: Estimate,
    /// The second by the first; the runs are resampled by themselves.
    pub ratio: Estimate,
}

impl ComparedValue {
    /// Whether the interval of the ratio leaves 1 out.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.ratio.low > 1.0 || self.ratio.high < 1.0
    }
}

/// Puts two runs beside each other.
#[must_use]
pub fn compare(first: &Results, second: &Results) -> Comparison {
    let seed = first.manifest.seed;
    let all = values(first);
    let others = values(second);
    let mut compared = Vec::new();
    for one in &all {
        let other = others.iter().find(|other| one.is_of_the_same(other));
        if let Some(other) = other
            && let Some(ratio) = ratio_of_medians(&other.value.values, &one.value.values, seed)
        {
            compared.push(ComparedValue {
                study: one.study.to_owned(),
                experiment: one.experiment.to_owned(),
                subject: one.value.subject,
                series: one.value.series.clone(),
                at: one.value.at.clone(),
                unit: one.unit,
                first: one.value.estimate,
                second: other.value.estimate,
                ratio,
            });
        }
    }
    Comparison {
        asked: of_questions(&first.manifest, &second.manifest),
        environment: of_environments(&first.manifest.environment, &second.manifest.environment),
        unmatched: all.len() + others.len() - 2 * compared.len(),
        values: compared,
    }
}

/// A value with its place in the results.
struct Placed<'a> {
    study: &'a str,
    experiment: &'a str,
    unit: Unit,
    value: &'a MeasuredValue,
}

impl Placed<'_> {
    fn is_of_the_same(&self, other: &Self) -> bool {
        let key = |one: &Self| (one.unit, one.value.subject);
        key(self) == key(other)
            && self.study == other.study
            && self.experiment == other.experiment
            && self.value.series == other.value.series
            && self.value.at == other.value.at
    }
}

fn values(results: &Results) -> Vec<Placed<'_>> {
    let mut values = Vec::new();
    for study in &results.studies {
        for experiment in &study.experiments {
            values.extend(experiment.ours.iter().map(|value| Placed {
                study: &study.name,
                experiment: &experiment.id,
                unit: experiment.unit,
                value,
            }));
        }
    }
    values
}
