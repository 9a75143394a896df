use std::ops::RangeInclusive;

use super::super::{Cell, Claim, Evidence, Measure, Outcome, SubjectName, Unit, Verdict};
use super::studies::{SMALL_LOSS, SPLIT, SPLIT_FIXED, TCP_LOSS, small_path};
use crate::measurement::Estimate;
use crate::statistics::Random;

/// What the paper claims, and what we claim beside it.
pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "tcp-is-great",
        text: "TCP is great under ideal conditions and even mildly bad ones",
        source: "Minor Conclusions",
        judge: tcp_is_great,
    },
    Claim {
        id: "tcp-is-not-great-beyond",
        text: "Under worse conditions than that, UDP with a short time-out is faster than TCP (implied: from half of all \
               exchanges lost on, at least twice)",
        source: "Minor Conclusions, Study 1",
        judge: tcp_is_not_great_beyond,
    },
    Claim {
        id: "timeout-decides",
        text: "The proper setting of UDP time-outs is critical (tested: 1 s takes at least five times as long as 50 ms at \
               29.4 % loss)",
        source: "Minor Conclusions",
        judge: timeout_decides,
    },
    Claim {
        id: "no-one-sets-them-up",
        text: "No one sets the time-outs up properly (tested: the time-out that Net-SNMP's tools have by themselves, 1 s, takes at \
               least twice as long as one that follows the agent)",
        source: "Minor Conclusions",
        judge: no_one_sets_them_up,
    },
    Claim {
        id: "do-not-fragment",
        text: "Do not let UDP fragment (tested: the same 250 instances in one message of fragments take at least 1.2 times as long \
               as in four messages)",
        source: "Minor Conclusions, Study 2",
        judge: do_not_fragment,
    },
    Claim {
        id: "tcp-varies",
        text: "Runs over TCP at the same loss differ, the more the more is lost",
        source: "Study 3",
        judge: tcp_varies,
    },
    Claim {
        id: "ours-near-the-bound",
        text: "Ours: at every loss up to 64 %, our manager takes at most 1.15 times what anybody needs who sends one copy at a \
               time, the round trip by the part that is not lost",
        source: "ours, in virtual time",
        judge: near_the_bound,
    },
    Claim {
        id: "ours-ahead",
        text: "Ours: at every loss our manager is faster than every fixed time-out and than TCP, and as fast where nothing is lost",
        source: "ours",
        judge: ahead,
    },
    Claim {
        id: "link-as-told",
        text: "Ours: runs across the emulated link take as long as in virtual time, with the same losses",
        source: "ours",
        judge: link_as_told,
    },
];

const OURS: SubjectName = SubjectName::Varbind;
const NOT_MEASURED: &str = "the runs that it compares were not made";

/// One series by another at a loss.
type Comparison = (
    &'static str,
    &'static str,
    &'static str,
    f64,
    RangeInclusive<f64>,
);

/// A verdict on several ratios.
fn of_ratios(evidence: &Evidence<'_>, because: &str, comparisons: &[Comparison]) -> Verdict {
    let ratio = |(experiment, over, under, loss, claimed): &Comparison| {
        let ratio = evidence.ratio(experiment, (*over, *loss), (*under, *loss), OURS);
        let what = format!("{over} by {under}, {loss} % loss");
        (what, ratio, claimed.clone())
    };
    Verdict::of_claimed_ratios(comparisons.iter().map(ratio), because)
}

/// At most, and at least, so much.
const fn most(value: f64) -> RangeInclusive<f64> {
    0.0..=value
}

const fn least(value: f64) -> RangeInclusive<f64> {
    value..=f64::INFINITY
}

fn tcp_is_great(evidence: &Evidence<'_>) -> Verdict {
    of_ratios(
        evidence,
        "where nothing is lost TCP takes as long as UDP, but for opening a connection; at 9.7 % it is to take not much longer than \
         UDP with 200 ms, and less than half of what UDP with 1 s takes",
        &[
            ("study-1", "TCP", "UDP 1 s", 0.0, most(1.2)),
            ("study-1", "TCP", "UDP 200 ms", 9.7, most(1.2)),
            ("study-1", "TCP", "UDP 1 s", 9.7, most(0.5)),
        ],
    )
}

fn tcp_is_not_great_beyond(evidence: &Evidence<'_>) -> Verdict {
    of_ratios(
        evidence,
        "time-outs of TCP begin at 200 ms and double, the one of UDP stays",
        &[
            ("study-1", "TCP", "UDP 50 ms", 51.0, least(2.0)),
            ("study-1", "TCP", "UDP 50 ms", 64.0, least(2.0)),
        ],
    )
}

fn timeout_decides(evidence: &Evidence<'_>) -> Verdict {
    of_ratios(
        evidence,
        "in virtual time, with the same losses",
        &[
            ("study-1-virtual", "UDP 1 s", "UDP 50 ms", 9.7, least(5.0)),
            ("study-1-virtual", "UDP 1 s", "UDP 50 ms", 29.4, least(5.0)),
        ],
    )
}

fn no_one_sets_them_up(evidence: &Evidence<'_>) -> Verdict {
    of_ratios(
        evidence,
        "who sets which time-out cannot be measured, but what the usual one costs",
        &[
            ("study-1", "UDP 1 s", "UDP adaptive", 9.7, least(2.0)),
            ("study-1", "UDP 1 s", "UDP adaptive", 29.4, least(2.0)),
        ],
    )
}

fn do_not_fragment(evidence: &Evidence<'_>) -> Verdict {
    of_ratios(
        evidence,
        "one lost fragment loses a message; of four messages only that which was lost is sent again",
        &[
            ("study-2", "UDP 200 ms", SPLIT_FIXED, 18.9, least(1.2)),
            ("study-2", "UDP 200 ms", SPLIT_FIXED, 29.4, least(1.2)),
            ("study-2", "UDP adaptive", SPLIT, 18.9, least(1.2)),
            ("study-2", "UDP adaptive", SPLIT, 29.4, least(1.2)),
        ],
    )
}

/// How much runs differ: the distance of the quartiles by the median.
fn spread(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let quantile = |part: f64| {
        let at = (sorted.len().saturating_sub(1)) as f64 * part;
        sorted.get(at.round() as usize).copied().unwrap_or(f64::NAN)
    };
    (quantile(0.75) - quantile(0.25)) / quantile(0.5)
}

/// The same with its 95 % interval by the bootstrap.
fn spread_estimate(values: &[f64]) -> Option<Estimate> {
    const RESAMPLES: usize = 1000;
    if values.len() < 4 {
        return None;
    }
    let mut random = Random::new(values.len() as u64);
    let mut spreads: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn = (0..values.len()).filter_map(|_| values.get(random.below(values.len())));
            spread(&drawn.copied().collect::<Vec<_>>())
        })
        .collect();
    spreads.sort_by(f64::total_cmp);
    Some(Estimate {
        value: spread(values),
        low: *spreads.get(RESAMPLES / 40)?,
        high: *spreads.get(RESAMPLES - 1 - RESAMPLES / 40)?,
    })
}

fn tcp_varies(evidence: &Evidence<'_>) -> Verdict {
    let mut verdict = Verdict::new(
        Outcome::NotTestable,
        "the distance of the quartiles of the runs, by their median",
    );
    let mut spreads = Vec::new();
    for loss in TCP_LOSS {
        let Some(cell) = evidence.cell("study-3", "TCP", loss) else {
            continue;
        };
        let values = evidence.of_cell(cell, OURS);
        let values: Vec<f64> = values.into_iter().map(|(_, value)| value).collect();
        let Some(estimate) = spread_estimate(&values) else {
            continue;
        };
        spreads.push(estimate);
        verdict = verdict.with(format!("{loss} % loss"), Unit::Ratio, estimate);
    }
    let (Some(first), Some(last)) = (spreads.first(), spreads.last()) else {
        return Verdict::not_testable(NOT_MEASURED);
    };
    verdict.outcome = if last.low > first.high {
        Outcome::Holds
    } else if last.high < first.low {
        Outcome::Reversed
    } else if spreads.iter().all(|one| one.low > 0.05) {
        // They differ; that they differ more cannot be told.
        Outcome::Changed
    } else {
        Outcome::Undecided
    };
    verdict
}

fn near_the_bound(evidence: &Evidence<'_>) -> Verdict {
    let rates = SMALL_LOSS.into_iter().filter(|loss| *loss <= 64.0);
    let ratios = rates.map(|loss| {
        let time = evidence.estimate("study-1-virtual", "UDP adaptive", loss, OURS);
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

fn ahead(evidence: &Evidence<'_>) -> Verdict {
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
            evidence.ratio_of_cells((own, OURS), (other, OURS))
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
        verdict = verdict.with(format!("{loss} % loss, by {name}"), Unit::Ratio, ratio);
    }
    if outcomes.is_empty() {
        return Verdict::not_testable(NOT_MEASURED);
    }
    verdict.outcome = Outcome::of_all(&outcomes);
    verdict
}

fn link_as_told(evidence: &Evidence<'_>) -> Verdict {
    let mut verdict = Verdict::new(
        Outcome::NotTestable,
        "the time of a run of a hundred gets with a time-out of 50 ms, by that in virtual time",
    );
    let mut outcomes = Vec::new();
    for loss in super::further::COMPARED_LOSS {
        let ratio = evidence.estimate("link-by-virtual", "UDP 50 ms", loss, OURS);
        let Some(ratio) = ratio else {
            continue;
        };
        outcomes.push(Outcome::of_ratio(ratio, &(0.97..=1.05)));
        verdict = verdict.with(format!("{loss} % loss"), Unit::Ratio, ratio);
    }
    if outcomes.is_empty() {
        return Verdict::not_testable(NOT_MEASURED);
    }
    let lateness = Cell {
        measure: Measure::Lateness,
        ..super::further::without_loss_cell()
    };
    let late = evidence.of_cell(&lateness, OURS);
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

/// Microseconds that 1 % of the packets may exceed.
const MOST_LATENESS: f64 = 1000.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_differ_have_a_spread_and_those_that_do_not_have_none() {
        assert_eq!(spread_estimate(&[1.0, 1.0, 1.0]), None);
        let alike = spread_estimate(&[2.0; 8]).unwrap();
        assert_eq!((alike.low, alike.value, alike.high), (0.0, 0.0, 0.0));
        let different = spread_estimate(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!((different.value - 2.0 / 3.0).abs() < 1e-12);
        assert!(different.low <= different.value && different.value <= different.high);
    }
}
