//! A report beside a former one: what has become worse.

use std::fs;
use std::path::Path;

use super::BenchError;
use crate::measurement::{
    ConfigurationResult, Estimate, Parameters, Report, RunResult, SCHEMA_VERSION,
};
use crate::statistics::ratio_of_medians;

/// Fewer runs on either side tell no difference.
const FEWEST_RUNS: usize = 6;

/// Figures of a report that a baseline has too.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineComparison {
    /// How many.
    pub figures: usize,
    /// Those that are worse by more than the threshold, with an interval that excludes that they are equal; the worst first.
    pub worse: Vec<WorseFigure>,
}

/// A figure that has become worse.
#[derive(Clone, Debug, PartialEq)]
pub struct WorseFigure {
    /// What it is, of whom.
    pub what: String,
    /// Now / in the baseline; less is better.
    pub ratio: Estimate,
}

/// Reads a report that `--json` wrote.
///
/// # Errors
/// If there is none, it is damaged or of another version: the file is named.
pub fn read_baseline(path: &Path) -> Result<Report, BenchError> {
    let refuse = |reason: String| BenchError::Baseline {
        path: path.to_owned(),
        reason,
    };
    let text = fs::read(path).map_err(|error| refuse(error.to_string()))?;
    let value: serde_json::Value =
        serde_json::from_slice(&text).map_err(|error| refuse(error.to_string()))?;
    let version = value
        .get("schema_version")
        .and_then(serde_json::Value::as_u64);
    if version != Some(SCHEMA_VERSION.into()) {
        let found = version.map_or_else(|| "none".to_owned(), |version| version.to_string());
        return Err(refuse(format!(
            "its schema_version is {found}, not {SCHEMA_VERSION}"
        )));
    }
    serde_json::from_value(value).map_err(|error| refuse(error.to_string()))
}

impl BaselineComparison {
    /// Response times and the agents' CPU time of all configurations that both reports have; `threshold` is a part of 1.
    #[must_use]
    pub fn of(report: &Report, baseline: &Report, threshold: f64) -> Self {
        let mut comparison = Self {
            figures: 0,
            worse: Vec::new(),
        };
        for now in &report.configurations {
            let mut all = baseline.configurations.iter();
            if let Some(then) = all.find(|then| is_same(&now.parameters, &then.parameters)) {
                comparison.add(now, then, threshold, report.environment.seed);
            }
        }
        let worse = &mut comparison.worse;
        worse.sort_by(|one, other| other.ratio.value.total_cmp(&one.ratio.value));
        comparison
    }

    fn add(
        &mut self,
        now: &ConfigurationResult,
        then: &ConfigurationResult,
        threshold: f64,
        seed: u64,
    ) {
        type Pick = fn(&RunResult) -> Option<f64>;
        let figures: [(&str, Pick); 2] = [
            ("response time", |run| Some(run.response_time)),
            ("agent CPU", |run| run.agent_cpu),
        ];
        for (name, pick) in figures {
            let values = |result: &ConfigurationResult| -> Vec<f64> {
                result.runs.iter().filter_map(pick).collect()
            };
            let (now_values, then_values) = (values(now), values(then));
            if now_values.len().min(then_values.len()) < FEWEST_RUNS {
                continue;
            }
            let Some(ratio) = ratio_of_medians(&now_values, &then_values, seed) else {
                continue;
            };
            self.figures += 1;
            if ratio.value > 1.0 + threshold && ratio.low > 1.0 {
                let parameters = &now.parameters;
                let what = format!(
                    "{}: {name} per {} ({}, {})",
                    parameters.subject,
                    parameters.request,
                    parameters.version_and_security(),
                    parameters.transport
                );
                self.worse.push(WorseFigure { what, ratio });
            }
        }
    }
}

/// Whether both are the same but for how often they were measured.
fn is_same(one: &Parameters, other: &Parameters) -> bool {
    let with_repetitions = Parameters {
        repetitions: other.repetitions,
        ..one.clone()
    };
    with_repetitions == *other
}
