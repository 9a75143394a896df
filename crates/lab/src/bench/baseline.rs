//! A run beside a former one: what has become worse.

use std::fs;
use std::path::Path;

use super::BenchError;
use crate::measurement::Estimate;
use crate::study::{At, ComparedValue, MedianChange, RESULTS_VERSION, Results, Task, compare};

/// Fewer repetitions on either side tell no difference.
const FEWEST: usize = 6;

/// The quantities of each request that are compared.
const QUANTITIES: [&str; 2] = ["response time", "agent CPU"];
/// How the experiments that have them end.
const TIMES: &str = "-times";

/// Figures of a run that a baseline has too.
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

/// Reads results that `--json` wrote.
///
/// # Errors
/// If there are none, or they are damaged or of another version: the file is named.
pub fn read_baseline(path: &Path) -> Result<Results, BenchError> {
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
    if version != Some(RESULTS_VERSION.into()) || value.get("manifest").is_none() {
        let found = version.map_or_else(|| "none".to_owned(), |version| version.to_string());
        return Err(refuse(format!(
            "its schema_version is {found}, not {RESULTS_VERSION}, or it has no manifest"
        )));
    }
    serde_json::from_value(value).map_err(|error| refuse(error.to_string()))
}

impl BaselineComparison {
    /// Response times and the agents' CPU time of all requests that both runs have made alike; `threshold` is a part of 1.
    #[must_use]
    pub fn of(results: &Results, baseline: &Results, threshold: f64) -> Self {
        let mut comparison = Self {
            figures: 0,
            worse: Vec::new(),
        };
        let (now, then) = (Questions::of(results), Questions::of(baseline));
        for value in compare(baseline, results).values {
            let is_compared = value.repetitions >= FEWEST
                && now
                    .task(&value)
                    .is_some_and(|task| then.task(&value) == Some(task));
            if let MedianChange::Ratio(ratio) = value.change
                && is_compared
            {
                comparison.figures += 1;
                if ratio.value > 1.0 + threshold && ratio.low > 1.0 {
                    comparison.worse.push(WorseFigure {
                        what: in_words(&value),
                        ratio,
                    });
                }
            }
        }
        let worse = &mut comparison.worse;
        worse.sort_by(|one, other| other.ratio.value.total_cmp(&one.ratio.value));
        comparison
    }
}

/// As `varbind: agent CPU per get (v2c over UDP)`.
fn in_words(value: &ComparedValue) -> String {
    let request = value.experiment.trim_end_matches(TIMES);
    format!(
        "{}: {} per {request} ({})",
        value.subject, value.at, value.series
    )
}

/// The task behind each quantity of a run.
struct Questions(Vec<(String, String, At, Task)>);

impl Questions {
    fn of(results: &Results) -> Self {
        let studies = results.manifest.studies().unwrap_or_default();
        let experiments = studies
            .iter()
            .flat_map(|study| study.experiments(results.manifest.scope))
            .filter(|one| one.id.ends_with(TIMES));
        let cells = experiments.flat_map(|one| {
            let cells = one.cells.into_iter();
            cells.map(move |cell| (one.id.to_owned(), cell.series, cell.at, cell.task))
        });
        let compared = QUANTITIES.map(At::from);
        Self(
            cells
                .filter(|(_, _, at, _)| compared.contains(at))
                .collect(),
        )
    }

    fn task(&self, value: &ComparedValue) -> Option<&Task> {
        let mut all = self.0.iter();
        let found = all.find(|(experiment, series, at, _)| {
            (experiment, series, at) == (&value.experiment, &value.series, &value.at)
        });
        found.map(|(.., task)| task)
    }
}
