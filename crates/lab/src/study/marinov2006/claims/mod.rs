pub(in crate::study) mod latency;
pub(in crate::study) mod traffic;

use std::ops::RangeInclusive;

use super::super::{At, Evidence};
use crate::measurement::Estimate;

/// Less than as much.
const LESS: RangeInclusive<f64> = 0.0..=0.99;
/// More than as much.
const MORE: RangeInclusive<f64> = 1.01..=f64::INFINITY;

/// The ratio of two series at one place, with its name.
fn ratio(
    evidence: &Evidence<'_>,
    experiment: &str,
    (over, under): (&str, &str),
    at: impl Into<At> + Clone,
) -> (String, Option<Estimate>) {
    let ratio = evidence.ratio(experiment, (over, at.clone()), (under, at));
    (format!("{over} by {under}"), ratio)
}
