use serde::Serialize;

use super::difference::{of_environments, of_questions};
use super::{At, ComparedVerdicts, Difference, MeasuredValue, Results, SubjectName, Unit};
use crate::measurement::Estimate;
use crate::statistics::{difference_of_medians, ratio_of_medians};

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
    /// The verdicts that both have.
    pub verdicts: ComparedVerdicts,
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
    /// How far the second is from the first.
    #[serde(flatten)]
    pub change: MedianChange,
    /// How many repetitions there are in the run that has fewer.
    pub repetitions: usize,
}

/// How far the median of one run is from that of another; the runs are resampled by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MedianChange {
    /// The second over the first.
    Ratio(Estimate),
    /// The second less the first, in the unit of the value: where not all values are above 0, as those that are differences
    /// themselves, a ratio says nothing.
    Difference(Estimate),
}

impl MedianChange {
    fn between(first: &[f64], second: &[f64], seed: u64) -> Option<Self> {
        if first.iter().chain(second).all(|value| *value > 0.0) {
            ratio_of_medians(second, first, seed).map(Self::Ratio)
        } else {
            difference_of_medians(second, first, seed).map(Self::Difference)
        }
    }

    const fn excludes_equality(self) -> bool {
        let (estimate, equal) = match self {
            Self::Ratio(ratio) => (ratio, 1.0),
            Self::Difference(difference) => (difference, 0.0),
        };
        estimate.low > equal || estimate.high < equal
    }
}

/// With three repetitions, all of one run are above all of the other one time in ten though nothing differs; with four,
/// one time in 35.
const FEWEST: usize = 4;

impl ComparedValue {
    /// Whether the interval of the change excludes that the runs are equal.
    #[must_use]
    pub const fn differs(&self) -> bool {
        self.is_telling() && self.change.excludes_equality()
    }

    /// Whether there are enough repetitions to say so.
    #[must_use]
    pub const fn is_telling(&self) -> bool {
        self.repetitions >= FEWEST
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
            && let Some(change) =
                MedianChange::between(&one.value.values, &other.value.values, seed)
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
                change,
                repetitions: one.value.values.len().min(other.value.values.len()),
            });
        }
    }
    Comparison {
        asked: of_questions(&first.manifest, &second.manifest),
        environment: of_environments(&first.manifest.environment, &second.manifest.environment),
        unmatched: all.len() + others.len() - 2 * compared.len(),
        verdicts: ComparedVerdicts::of(first, second),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64) -> Estimate {
        Estimate {
            value,
            low: value,
            high: value,
        }
    }

    #[test]
    fn few_repetitions_do_not_tell_a_difference() {
        let value = |change, repetitions| ComparedValue {
            study: "du2001".into(),
            experiment: "table-1".into(),
            subject: SubjectName::Varbind,
            series: "TLS".into(),
            at: At::from("get"),
            unit: Unit::Count,
            first: estimate(1.0),
            second: estimate(1.0),
            change,
            repetitions,
        };
        for (change, repetitions, differs) in [
            (MedianChange::Ratio(estimate(2.0)), 1, false),
            (MedianChange::Ratio(estimate(2.0)), 3, false),
            (MedianChange::Ratio(estimate(2.0)), 4, true),
            (MedianChange::Ratio(estimate(0.5)), 30, true),
            (MedianChange::Ratio(estimate(1.0)), 30, false),
            (MedianChange::Difference(estimate(0.0)), 30, false),
            (MedianChange::Difference(estimate(-0.1)), 30, true),
        ] {
            assert_eq!(value(change, repetitions).differs(), differs);
        }
    }

    #[test]
    fn values_that_are_not_all_positive_are_compared_by_their_difference() {
        let between = |first: &[f64], second: &[f64]| MedianChange::between(first, second, 1);
        assert_eq!(
            between(&[2.0], &[4.0]),
            Some(MedianChange::Ratio(estimate(2.0)))
        );
        for (first, second, difference) in [(0.0, 3.0, 3.0), (-1.0, 1.0, 2.0), (1.0, 0.0, -1.0)] {
            assert_eq!(
                between(&[first], &[second]),
                Some(MedianChange::Difference(estimate(difference)))
            );
        }
        assert_eq!(between(&[], &[1.0]), None);
    }
}
