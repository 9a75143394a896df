use serde::Serialize;

use super::super::{
    At, ExperimentResult, Form, MeasuredValue, Published, Results, SubjectName, is_beyond,
};
use super::symbol;

/// What the plots need of the results. It does not grow with the repetitions.
#[derive(Debug, Serialize)]
pub(super) struct Data<'a> {
    studies: Vec<StudyData<'a>>,
}

#[derive(Debug, Serialize)]
struct StudyData<'a> {
    name: &'a str,
    experiments: Vec<ExperimentData<'a>>,
}

#[derive(Debug, Serialize)]
struct ExperimentData<'a> {
    id: &'a str,
    unit: String,
    form: &'a Form,
    theirs: &'a [Published],
    ours: Vec<ValueData<'a>>,
    traces: Vec<TraceData<'a>>,
}

/// A value, with the repetitions that are far from the others.
#[derive(Debug, Serialize)]
struct ValueData<'a> {
    subject: SubjectName,
    series: &'a str,
    at: &'a At,
    value: f64,
    low: f64,
    high: f64,
    /// Repetitions.
    count: usize,
    least: f64,
    most: f64,
    outliers: Vec<f64>,
}

#[derive(Debug, Serialize)]
struct TraceData<'a> {
    subject: SubjectName,
    series: &'a str,
    at: &'a At,
    points: Vec<(f64, f64)>,
}

impl<'a> Data<'a> {
    pub(super) fn of(results: &'a Results) -> Self {
        let studies = results.studies.iter().map(|study| StudyData {
            name: &study.name,
            experiments: study.experiments.iter().map(ExperimentData::of).collect(),
        });
        Self {
            studies: studies.collect(),
        }
    }
}

impl<'a> ExperimentData<'a> {
    fn of(experiment: &'a ExperimentResult) -> Self {
        let traces = experiment.traces.iter().map(|trace| TraceData {
            subject: trace.subject,
            series: &trace.series,
            at: &trace.at,
            points: trace
                .points
                .iter()
                .map(|(time, count)| (rounded(*time), rounded(*count)))
                .collect(),
        });
        Self {
            id: &experiment.id,
            unit: symbol(experiment.unit),
            form: &experiment.form,
            theirs: &experiment.theirs,
            ours: experiment.ours.iter().filter_map(ValueData::of).collect(),
            traces: traces.collect(),
        }
    }
}

impl<'a> ValueData<'a> {
    /// Nothing, where most runs were cut. Where the interval has no upper end, it is drawn to the longest that was not.
    fn of(value: &'a MeasuredValue) -> Option<Self> {
        let mut sorted = value.values.clone();
        sorted.retain(|value| !is_beyond(*value));
        sorted.sort_unstable_by(f64::total_cmp);
        let mut estimate = value.estimate;
        if is_beyond(estimate.high) {
            estimate.high = sorted.last().copied()?;
        }
        (!is_beyond(estimate.value)).then(|| Self {
            subject: value.subject,
            series: &value.series,
            at: &value.at,
            value: rounded(estimate.value),
            low: rounded(estimate.low),
            high: rounded(estimate.high),
            count: sorted.len(),
            least: rounded(sorted.first().copied().unwrap_or(estimate.value)),
            most: rounded(sorted.last().copied().unwrap_or(estimate.value)),
            outliers: outliers(&sorted),
        })
    }
}

/// Outliers that are drawn of a value, at most: the farthest ones.
const OUTLIERS: usize = 8;

/// Repetitions that are farther from the quartiles than one and a half times the distance of these (Tukey 1977).
fn outliers(sorted: &[f64]) -> Vec<f64> {
    let quartile = |part: usize| sorted.get(sorted.len() * part / 4).copied();
    let (Some(first), Some(third)) = (quartile(1), quartile(3)) else {
        return Vec::new();
    };
    let reach = 1.5 * (third - first);
    let far = |value: &f64| *value < first - reach || *value > third + reach;
    let mut outliers: Vec<f64> = sorted.iter().copied().filter(far).collect();
    let distance = |value: f64| (first - value).max(value - third);
    outliers.sort_unstable_by(|one, other| distance(*other).total_cmp(&distance(*one)));
    outliers.truncate(OUTLIERS);
    outliers.into_iter().map(rounded).collect()
}

/// A number with five digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_far_from_the_others_is_an_outlier() {
        let mut values: Vec<f64> = (0..30).map(|at| 10.0 + f64::from(at) / 100.0).collect();
        assert!(outliers(&values).is_empty());
        values.extend([11.0, 25.0]);
        assert_eq!(outliers(&values), [25.0, 11.0]);
        assert!(outliers(&[]).is_empty());
        assert!(outliers(&[3.0]).is_empty());
    }

    #[test]
    fn numbers_keep_five_digits() {
        assert_eq!(rounded(123_456.7), 123_460.0);
        assert_eq!(rounded(0.001_234_567), 0.001_234_6);
        assert_eq!(rounded(0.0), 0.0);
    }
}
