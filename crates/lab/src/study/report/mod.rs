//! The report of a run: one page that needs no network, with plots that tell their values.

mod chapter;
mod front;
mod page;
mod summary;
mod table;

pub use page::write_report;
pub use summary::write_summary;

use crate::measurement::Estimate;
use crate::report::{escape, number};

/// A value with its interval, the latter less conspicuous.
fn with_interval(estimate: &Estimate) -> String {
    format!(
        "{} <span class=\"ci\">[{}, {}]</span>",
        number(estimate.value),
        number(estimate.low),
        number(estimate.high)
    )
}
