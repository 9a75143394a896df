//! The claims of the study whose arithmetic is their own.

use std::ops::RangeInclusive;

use super::super::{Cell, Evidence, Measure, Outcome, Unit, Verdict};
use super::studies::{SMALL_LOSS, TCP_LOSS, small_path};

const NOT_MEASURED: &str = "the runs that it compares were not made";

/// At most, and at least, so much.
const fn most(value: f64) -> RangeInclusive<f64> {
    0.0..=value
}

const fn least(value: f64) -> RangeInclusive<f64> {
    value..=f64::INFINITY
}

/// Quartiles so far apart, by the median, that runs are told to differ.
const DIFFERENT: f64 = 0.1;

pub(in crate::study) fn tcp_varies(evidence: &Evidence<'_>) -> Verdict {
    let mut verdict = Verdict::new(
        Outcome::NotTestable,
        "the distance of the quartiles of the runs at each loss, by their median",
    );
    let mut spreads = Vec::new();
    for loss in TCP_LOSS {
        let Some(spread) = evidence.spread("study-3", "TCP", loss) else {
            return Verdict::not_testable("it takes four runs and more at each loss");
        };
        spreads.push(spread);
        let claimed = least(DIFFERENT * 100.0);
        let what = format!("{loss} % loss");
        verdict = verdict.with_claimed(what, Unit::Percent, spread.scaled(100.0), &claimed);
    }
    verdict.outcome = match spreads.as_slice() {
        all if all.iter().all(|one| one.low >= DIFFERENT) => Outcome::Holds,
        all if all.iter().all(|one| one.high < DIFFERENT) => Outcome::Reversed,
        all if all.iter().any(|one| one.high < DIFFERENT) => Outcome::Changed,
        _ => Outcome::Undecided,
    };
    verdict
}

pub(in crate::study) fn near_the_bound(evidence: &Evidence<'_>) -> Verdict {
    let rates = SMALL_LOSS.into_iter().filter(|loss| *loss <= 64.0);
    let ratios = rates.map(|loss| {
        let time = evidence.estimate("study-1-virtual", "UDP adaptive", loss);
        let bound = small_path(loss).least_time() * 1e3;
        let ratio = time.map(|time| time.scaled(1.0 / bound));
        (format!("{loss} % loss"), ratio)
    });
    Verdict::of_ratios(
        ratios,
        &most(1.15),
        "a thousand gets at each loss, by the round trip over the part that is not lost",
    )
}

pub(in crate::study) fn ahead(evidence: &Evidence<'_>) -> Verdict {
    let mut verdict = Verdict::new(
        Outcome::NotTestable,
        "the time of a get by that of the fastest of the others at that loss",
    );
    let mut outcomes = Vec::new();
    for loss in SMALL_LOSS {
        let Some(own) = evidence.cell("study-1", "UDP adaptive", loss) else {
            continue;
        };
        let others = ["UDP 50 ms", "UDP 100 ms", "UDP 200 ms", "UDP 1 s", "TCP"];
        let ratio_by = |other: &str| {
            let other = evidence.cell("study-1", other, loss)?;
            evidence.ratio_of_cells(own, other)
        };
        let ratios = others
            .into_iter()
            .filter_map(|name| Some((name, ratio_by(name)?)));
        let Some((name, ratio)) = ratios.max_by(|one, other| one.1.value.total_cmp(&other.1.value))
        else {
            continue;
        };
        let claimed = if loss > 0.0 { most(0.999) } else { most(1.02) };
        outcomes.push(Outcome::of_ratio(ratio, &claimed));
        let what = format!("{loss} % loss, by {name}");
        verdict = verdict.with_claimed(what, Unit::Ratio, ratio, &claimed);
    }
    if outcomes.is_empty() {
        return Verdict::not_testable(NOT_MEASURED);
    }
    verdict.outcome = Outcome::of_all(&outcomes);
    verdict
}

pub(in crate::study) fn link_as_told(evidence: &Evidence<'_>) -> Verdict {
    let mut verdict = Verdict::new(
        Outcome::NotTestable,
        "the time of a run of a hundred gets with a time-out of 50 ms, by that in virtual time",
    );
    let mut outcomes = Vec::new();
    for loss in super::further::COMPARED_LOSS {
        let ratio = evidence.estimate("link-by-virtual", "UDP 50 ms", loss);
        let Some(ratio) = ratio else {
            continue;
        };
        outcomes.push(Outcome::of_ratio(ratio, &AS_TOLD));
        verdict = verdict.with_claimed(format!("{loss} % loss"), Unit::Ratio, ratio, &AS_TOLD);
    }
    if outcomes.is_empty() {
        return Verdict::not_testable(NOT_MEASURED);
    }
    let lateness = Cell {
        measure: Measure::Lateness,
        ..super::further::without_loss_cell()
    };
    let late = evidence.of_cell(&lateness);
    let late = late
        .iter()
        .filter(|(_, late)| *late > MOST_LATENESS)
        .count();
    if late > 0 {
        verdict.because += &format!(
            "; in {late} rounds more than 1 % of the packets were more than a millisecond late: the machine had other things to do"
        );
    }
    verdict.outcome = Outcome::of_all(&outcomes);
    verdict
}

/// The link by virtual time, where the link does what it is told.
const AS_TOLD: RangeInclusive<f64> = 0.97..=1.05;

/// Microseconds that 1 % of the packets may exceed.
const MOST_LATENESS: f64 = 1000.0;
