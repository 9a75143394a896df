use std::ops::RangeInclusive;

use super::super::{Cell, Claim, Evidence, Measure, Outcome, Unit, Verdict};
use super::studies::{SMALL_LOSS, SPLIT, SPLIT_FIXED, TCP_LOSS, small_path};

/// What the paper claims.
pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "tcp-is-great",
        text: "TCP is great under ideal conditions and even mildly bad ones (tested: it takes at most 1.2 times as long as UDP with \
               200 ms, without loss and at 9.7 % for one instance, without loss and at 3.9 % for 250)",
        source: "Minor Conclusions; the size is ours",
        judge: tcp_is_great,
    },
    Claim {
        id: "timeout-decides",
        text: "Proper setting of UDP time-outs is critical (tested: with 1 s a get takes at least five times as long as with 50 ms, \
               at 9.7 and at 29.4 % loss)",
        source: "Minor Conclusions; the size is ours",
        judge: timeout_decides,
    },
    Claim {
        id: "no-one-sets-them-up",
        text: "No one sets the time-outs up properly (tested: with 1 s, which Net-SNMP's tools have unless they are told, a get takes \
               at least twice as long as with time-outs that follow the round trip)",
        source: "Minor Conclusions; the size is ours",
        judge: no_one_sets_them_up,
    },
    Claim {
        id: "do-not-fragment",
        text: "Don't let UDP fragment (tested: 250 instances in one message of fragments take at least 1.2 times as long as in four \
               messages, at 18.9 and at 29.4 % loss)",
        source: "Minor Conclusions, Study 2; the size is ours",
        judge: do_not_fragment,
    },
];

/// What we claim beside it.
pub(super) const OWN_CLAIMS: &[Claim] = &[
    Claim {
        id: "tcp-is-not-great-beyond",
        text: "Under worse conditions than that, TCP is not great: the slides do not say it, but end with the mildly bad ones \
               (tested: UDP with 50 ms is at least twice as fast from 51 % loss on)",
        source: "Minor Conclusions, Study 1; the size is ours",
        judge: tcp_is_not_great_beyond,
    },
    Claim {
        id: "tcp-varies",
        text: "Runs over TCP at the same loss differ: the slides ask how much, and show them without a number (tested: their \
               quartiles are at least 10 % of the median apart at every loss)",
        source: "Study 3; the size is ours",
        judge: tcp_varies,
    },
    Claim {
        id: "ours-near-the-bound",
        text: "At every loss up to 64 %, our manager takes at most 1.15 times what anybody needs who sends one copy at a \
               time, the round trip by the part that is not lost",
        source: "ours, in virtual time",
        judge: near_the_bound,
    },
    Claim {
        id: "ours-ahead",
        text: "At every loss our manager is faster than every fixed time-out and than TCP, and as fast where nothing is lost",
        source: "ours",
        judge: ahead,
    },
    Claim {
        id: "link-as-told",
        text: "Runs across the emulated link take as long as in virtual time, with the same losses",
        source: "ours",
        judge: link_as_told,
    },
    Claim {
        id: "restart-is-got-over",
        text: "When an agent was killed and started again, our manager has answers again over every transport in less time \
               than the agent was away",
        source: "ours",
        judge: super::restart::is_got_over,
    },
];

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
        let ratio = evidence.ratio(experiment, (*over, *loss), (*under, *loss));
        let of = experiment
            .strip_prefix("study-1-")
            .map_or_else(String::new, |how| format!(", {how} time"));
        let what = format!("{over} by {under}, {loss} % loss{of}");
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
        "the time of a get over TCP, its connection included, by that over UDP with 200 ms: of one instance, then of 250",
        &[
            ("study-1", "TCP", "UDP 200 ms", 0.0, most(1.2)),
            ("study-1", "TCP", "UDP 200 ms", 9.7, most(1.2)),
            ("study-2", "TCP", "UDP 200 ms", 0.0, most(1.2)),
            ("study-2", "TCP", "UDP 200 ms", 3.9, most(1.2)),
        ],
    )
}

fn tcp_is_not_great_beyond(evidence: &Evidence<'_>) -> Verdict {
    of_ratios(
        evidence,
        "the time of a get over TCP by that over UDP with 50 ms; time-outs of TCP begin at 200 ms and double, that of UDP stays",
        &[
            ("study-1", "TCP", "UDP 50 ms", 51.0, least(2.0)),
            ("study-1", "TCP", "UDP 50 ms", 64.0, least(2.0)),
        ],
    )
}

fn timeout_decides(evidence: &Evidence<'_>) -> Verdict {
    of_ratios(
        evidence,
        "the time of a get across the emulated link, and in virtual time, where runs have a thousand gets",
        &[
            ("study-1", "UDP 1 s", "UDP 50 ms", 9.7, least(5.0)),
            ("study-1", "UDP 1 s", "UDP 50 ms", 29.4, least(5.0)),
            ("study-1-virtual", "UDP 1 s", "UDP 50 ms", 9.7, least(5.0)),
            ("study-1-virtual", "UDP 1 s", "UDP 50 ms", 29.4, least(5.0)),
        ],
    )
}

fn no_one_sets_them_up(evidence: &Evidence<'_>) -> Verdict {
    of_ratios(
        evidence,
        "who sets which time-out cannot be measured, but what the usual one costs: the time of a get with it by that with ours",
        &[
            ("study-1", "UDP 1 s", "UDP adaptive", 9.7, least(2.0)),
            ("study-1", "UDP 1 s", "UDP adaptive", 29.4, least(2.0)),
        ],
    )
}

fn do_not_fragment(evidence: &Evidence<'_>) -> Verdict {
    of_ratios(
        evidence,
        "the time of a get in one message by that in four, which are sent together; one lost fragment loses a message, of four \
         messages only that which was lost is sent again",
        &[
            ("study-2", "UDP 200 ms", SPLIT_FIXED, 18.9, least(1.2)),
            ("study-2", "UDP 200 ms", SPLIT_FIXED, 29.4, least(1.2)),
            ("study-2", "UDP adaptive", SPLIT, 18.9, least(1.2)),
            ("study-2", "UDP adaptive", SPLIT, 29.4, least(1.2)),
        ],
    )
}

/// Quartiles so far apart, by the median, that runs are told to differ.
const DIFFERENT: f64 = 0.1;

fn tcp_varies(evidence: &Evidence<'_>) -> Verdict {
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

fn near_the_bound(evidence: &Evidence<'_>) -> Verdict {
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

fn link_as_told(evidence: &Evidence<'_>) -> Verdict {
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
