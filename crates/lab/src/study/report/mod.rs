//! The report of a run: one page that needs no network, with plots that tell their values.

mod answer;
mod chapter;
mod data;
mod front;
mod page;
mod ranking;
mod summary;
mod table;

pub use front::is_of_bench;
pub use page::write_report;
pub use summary::{write_results_page, write_summary};
pub(crate) use table::reasons;

use super::{ExperimentResult, Unit};
use crate::measurement::Estimate;
use crate::report::{escape, number, with_code};

/// A value with its interval, the latter less conspicuous.
fn with_interval(estimate: &Estimate) -> String {
    format!(
        "{} <span class=\"ci\">[{}, {}]</span>",
        number(estimate.value),
        number(estimate.low),
        number(estimate.high)
    )
}

/// A unit as readers know it.
fn symbol(unit: Unit) -> String {
    match unit {
        Unit::Microseconds => "µs".to_owned(),
        Unit::Ratio => "×".to_owned(),
        other => other.to_string(),
    }
}

/// A text with a capital at its beginning.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// Which values are better, if it is the same in all of these experiments.
fn better<'a>(experiments: impl IntoIterator<Item = &'a ExperimentResult>) -> Option<&'static str> {
    let mut all = experiments.into_iter().map(|one| one.unit.better());
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}
