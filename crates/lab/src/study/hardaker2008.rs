//! Hardaker (2008), UDP against TCP: the claims whose arithmetic is their own. All else is in the file of the study.

use super::{Claimed, Evidence, Finding, LinkTask, Task, Unit, Verdict};

/// Loss rates of study 1, of exchanges in per cent.
const SMALL_LOSS: [f64; 13] = [
    0.0, 9.7, 18.9, 27.7, 29.4, 31.1, 32.7, 34.3, 35.9, 43.7, 51.0, 64.0, 75.0,
];
/// Loss rates of study 3.
const TCP_LOSS: [f64; 4] = [3.96, 5.91, 9.75, 27.7];
/// Loss rates at which the emulated link is compared with virtual time.
const COMPARED_LOSS: [f64; 4] = [0.0, 9.7, 18.9, 29.4];

const ADAPTIVE: &str = "UDP adaptive";
/// Where the values of tables stand.
const ALL_RUNS: &str = "all runs";

const NOT_MEASURED: &str = "the runs that it compares were not made";

pub(super) fn tcp_varies(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
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

pub(super) fn near_the_bound(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let rates = SMALL_LOSS.into_iter().filter(|loss| *loss <= 64.0);
    let ratios = rates.map(|loss| {
        let ratio = evidence
            .cell("study-1-virtual", ADAPTIVE, loss)
            .and_then(|cell| {
                let Task::Twin(task) = &cell.task else {
                    return None;
                };
                let bound = task.path.least_time() * 1e3;
                Some(evidence.figure_of_cell(cell)?.scaled(1.0 / bound))
            });
        (format!("{loss} % loss"), ratio)
    });
    Verdict::of_ratios(
        ratios,
        claimed,
        "a thousand gets at each loss, by the round trip over the part that is not lost",
    )
}

/// The ranges are for where something is lost, and for where nothing is.
pub(super) fn ahead(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let mut findings = Vec::new();
    for loss in SMALL_LOSS {
        let Some(own) = evidence.cell("study-1", ADAPTIVE, loss) else {
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

/// Methods whose time-outs are the same across the link and in virtual time. Adaptive ones grow with what they measure.
const FIXED: [&str; 3] = ["UDP 50 ms", "UDP 200 ms", "UDP 200 ms, 4 messages"];

pub(super) fn link_as_told(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let mut findings = Vec::new();
    for series in FIXED {
        for loss in COMPARED_LOSS {
            if let Some(ratio) = evidence.figure("link-by-virtual", series, loss) {
                let name = format!("{series}, {loss} % loss");
                let mut finding = Finding::new(name, Unit::Ratio, ratio);
                finding.claimed = claimed.first().copied();
                findings.push(finding);
            }
        }
    }
    if findings.is_empty() {
        return Verdict::not_testable(NOT_MEASURED);
    }
    let because =
        "the time of gets with fixed time-outs across the emulated link, by that in virtual time";
    Verdict::of(findings, because)
}

/// Whether our manager recovers soon.
pub(super) fn restart_is_got_over(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let ratio = |series: &str| {
        let cell = evidence.cell("restart-recovery", series, ALL_RUNS)?;
        let Task::Link(LinkTask {
            restart: Some(restart),
            ..
        }) = &cell.task
        else {
            return None;
        };
        let away = restart.away as f64 * 1e3;
        Some(evidence.figure_of_cell(cell)?.scaled(1.0 / away))
    };
    let ours = [ADAPTIVE, "USM", "TCP, our manager", "DTLS", "TLS", "SSH"];
    Verdict::of_ratios(
        ours.map(|series| (series.to_owned(), ratio(series))),
        claimed,
        "the time from when the agent listens again to the next answer, by the time that it was away",
    )
}
