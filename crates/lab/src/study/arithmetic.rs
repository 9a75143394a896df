//! How claims are judged that are more than ratios within ranges: the files of the studies name these functions.

use super::hardaker2008::{claims as hardaker2008, restart};
use super::{Evidence, Verdict};

/// Judges a claim by what was measured with one agent.
pub(super) type Arithmetic = fn(&Evidence<'_>) -> Verdict;

const ARITHMETIC: &[(&str, Arithmetic)] = &[
    ("tcp-varies", hardaker2008::tcp_varies),
    ("near-the-bound", hardaker2008::near_the_bound),
    ("ahead", hardaker2008::ahead),
    ("link-as-told", hardaker2008::link_as_told),
    ("restart-is-got-over", restart::is_got_over),
];

/// The function of that name.
pub(super) fn find(name: &str) -> Option<Arithmetic> {
    let mut all = ARITHMETIC.iter();
    all.find(|(known, _)| *known == name)
        .map(|(_, judge)| *judge)
}
