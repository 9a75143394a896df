//! The claims of the study whose arithmetic is their own.

use super::super::{Cell, Claimed, Evidence, Finding, Measure, Unit, Verdict};
use super::studies::{SMALL_LOSS, TCP_LOSS, small_path};

const NOT_MEASURED: &str = "the runs that it compares were not made";

pub(in crate::study) fn tcp_varies(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let mut findings = Vec::new();
    for loss in TCP_LOSS {
        let Some(spread) = evidence.spread("study-3", "TCP", loss) else {
            return Verdict::not_testable("it takes four runs and more at each loss");
        };
        let what = format!("{loss} % loss");
        let mut finding = Finding::new(what, Unit::Percent, spread.scaled(100.0));
        finding.claimed = claimed.first().map(|claimed| claimed.scaled(100.0));
        findings.push(finding);
    }
    Verdict::of(
        findings,
        "the distance of the quartiles of the runs at each loss, by their median",
    )
}

pub(in crate::study) fn near_the_bound(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let rates = SMALL_LOSS.into_iter().filter(|loss| *loss <= 64.0);
    let ratios = rates.map(|loss| {
        let time = evidence.figure("study-1-virtual", "UDP adaptive", loss);
        let bound = small_path(loss).least_time() * 1e3;
        let ratio = time.map(|time| time.scaled(1.0 / bound));
        (format!("{loss} % loss"), ratio)
    });
    Verdict::of_ratios(
        ratios,
        claimed,
        "a thousand gets at each loss, by the round trip over the part that is not lost",
    )
}

/// The ranges are for where something is lost, and for where nothing is.
pub(in crate::study) fn ahead(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let mut findings = Vec::new();
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
        let greatest =
            ratios.max_by(|one, other| one.1.estimate.value.total_cmp(&other.1.estimate.value));
        if let Some((name, ratio)) = greatest {
            let what = format!("{loss} % loss, by {name}");
            let mut finding = Finding::new(what, Unit::Ratio, ratio);
            finding.claimed = claimed.get(usize::from(loss <= 0.0)).copied();
            findings.push(finding);
        }
    }
    if findings.is_empty() {
        return Verdict::not_testable(NOT_MEASURED);
    }
    Verdict::of(
        findings,
        "the time of a get by that of the fastest of the others at that loss",
    )
}

pub(in crate::study) fn link_as_told(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let mut findings = Vec::new();
    for loss in super::further::COMPARED_LOSS {
        if let Some(ratio) = evidence.figure("link-by-virtual", "UDP 50 ms", loss) {
            let mut finding = Finding::new(format!("{loss} % loss"), Unit::Ratio, ratio);
            finding.claimed = claimed.first().copied();
            findings.push(finding);
        }
    }
    if findings.is_empty() {
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
    let mut because =
        "the time of a run of a hundred gets with a time-out of 50 ms, by that in virtual time"
            .to_owned();
    if late > 0 {
        because += &format!(
            "; in {late} rounds more than 1 % of the packets were more than a millisecond late: the machine had other things to do"
        );
    }
    Verdict::of(findings, because)
}

/// Microseconds that 1 % of the packets may exceed.
const MOST_LATENESS: f64 = 1000.0;
