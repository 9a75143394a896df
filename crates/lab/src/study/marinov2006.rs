//! Marinov and Schönwälder (2006), SNMP over SSH: the claims whose arithmetic is their own. All else is in the file of the study.

use super::{BEYOND, Claimed, Evidence, Figure, Finding, Unit, Verdict, is_beyond, slope};
use crate::measurement::Estimate;

/// Names of series.
const UDP: &str = "SNMPv2c/UDP";
const TCP: &str = "SNMPv2c/TCP";
const USM_UDP: &str = "SNMPv3/USM/UDP";
const USM_TCP: &str = "SNMPv3/USM/TCP";
const SSH: &str = "SNMPv2c/SSH";
const TSM_SSH: &str = "SNMPv3/TSM/SSH";

/// Exchanges of a walk of 107 interfaces, the longest that every scope has.
const LONG: u32 = 2355;
/// The ends of the linear range of the costs of a walk: those of 2 and of 107 interfaces.
const SHORT_AND_LONG: (u32, u32) = (45, LONG);

/// What an exchange of a walk costs more, of one series by another: what two lengths differ by.
fn each_exchange(evidence: &Evidence<'_>, over: &str, under: &str) -> Option<Figure> {
    let (short, long) = SHORT_AND_LONG;
    let cell = |series: &str, at: u32| evidence.cell("figure-3", series, at);
    let cells = [
        cell(over, long),
        cell(over, short),
        cell(under, long),
        cell(under, short),
    ];
    evidence.of_all(cells, |values| match values {
        [over_long, over_short, under_long, under_short] if under_long > under_short => {
            Some((over_long - over_short) / (under_long - under_short))
        }
        // Not less than what costs nothing.
        [_, _, _, _] => Some(BEYOND),
        _ => None,
    })
}

pub(super) fn break_even(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let mut findings = Vec::new();
    for series in [SSH, TSM_SSH] {
        for reference in [USM_UDP, USM_TCP] {
            let even = evidence.break_even("figure-3", series, reference, SHORT_AND_LONG);
            let each = each_exchange(evidence, series, reference);
            let Some((even, each)) = even.zip(each) else {
                return Verdict::not_testable(format!(
                    "{series} and {reference} were not measured"
                ));
            };
            let pair = format!("{series} / {reference}");
            let share = (even.share * 100.0).round();
            let what = format!("each exchange, {pair} (break-even in {share} % of the resamples)");
            let exchange = Finding::new(what, Unit::Ratio, each);
            // There is a number only where each further exchange costs less.
            let Some(exchanges) = even.exchanges.filter(|_| even.share > 0.5) else {
                findings.push(exchange.claimed(Claimed::LESS));
                continue;
            };
            findings.push(exchange);
            let estimate = Estimate {
                value: exchanges,
                low: even.low.unwrap_or(1.0),
                high: even.high.unwrap_or(f64::MAX),
            };
            let figure = Figure {
                estimate,
                sign_test: None,
                ..each
            };
            let mut finding = Finding::new(format!("exchanges, {pair}"), Unit::Count, figure);
            finding.claimed = claimed.first().copied();
            findings.push(finding);
        }
    }
    Verdict::of(
        findings,
        "the number of exchanges from which on a session over SSH takes less time, by lines through walks of 2 and of 107 interfaces. \
         Where there is none, each further exchange takes longer over SSH",
    )
}

/// From how many exchanges on one costs less than the other, by the times of long and short walks of both: at least 1, and
/// [`BEYOND`] if it never does.
fn even(times: &[f64]) -> Option<f64> {
    let (short, long) = SHORT_AND_LONG;
    let [over_long, over_short, under_long, under_short] = times else {
        return None;
    };
    let each =
        |long_time: &f64, short_time: &f64| (long_time - short_time) / f64::from(long - short);
    let (over, under) = (each(over_long, over_short), each(under_long, under_short));
    let fixed = (over_short - over * f64::from(short)) - (under_short - under * f64::from(short));
    Some(match over < under {
        true => (fixed / (under - over)).max(1.0),
        false => BEYOND,
    })
}

/// By all rounds, of the pairs that mostly have a break-even with one of the agents. A round without any, or without one with the slow
/// agent, is beyond every ratio, and one without a break-even with the fast agent below.
pub(super) fn break_even_by_machine(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let (short, long) = SHORT_AND_LONG;
    let mut findings = Vec::new();
    for series in [SSH, TSM_SSH] {
        for reference in [USM_UDP, USM_TCP] {
            let is_reached = |experiment: &str| {
                let even = evidence.break_even(experiment, series, reference, SHORT_AND_LONG);
                even.is_some_and(|even| even.share > 0.5)
            };
            let experiments = ["figure-3-slow", "figure-3"];
            if !experiments.into_iter().any(is_reached) {
                continue;
            }
            let cells = experiments.into_iter().flat_map(|experiment| {
                [
                    (series, long),
                    (series, short),
                    (reference, long),
                    (reference, short),
                ]
                .map(|(name, at)| evidence.cell(experiment, name, at))
            });
            let ratio = evidence.of_all(cells, |times| {
                let (slow, fast) = times.split_at_checked(4)?;
                let (slow, fast) = (even(slow)?, even(fast)?);
                Some(if is_beyond(slow) { BEYOND } else { slow / fast })
            });
            if let Some(ratio) = ratio {
                let what = format!("exchanges, {series} / {reference}: slow / fast agent");
                let mut finding = Finding::new(what, Unit::Ratio, ratio);
                finding.claimed = claimed.first().copied();
                findings.push(finding);
            }
        }
    }
    if findings.is_empty() {
        return Verdict::not_testable(
            "walks with a slow agent were not measured, or further exchanges take longer over SSH than with USM, so that there is no such \
             number",
        );
    }
    Verdict::of(
        findings,
        "the number of exchanges from which on a session over SSH takes less time with an agent that has a quarter of a core, by that \
         with one that has all of it, where there is mostly one with either. A round that lacks one counts as not alike",
    )
}

pub(super) fn transport_is_marginal(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let cell = |series| evidence.cell("figure-3", series, LONG);
    // By the time over UDP, as what USM adds may be next to nothing in some rounds.
    let difference = evidence.of_all([UDP, TCP, USM_UDP].map(cell), |values| match values {
        [udp, tcp, usm] if *udp > 0.0 => Some(((tcp - udp) - (usm - udp) / 2.0) / udp),
        _ => None,
    });
    let Some(difference) = difference else {
        return Verdict::not_testable("walks over UDP and TCP and with USM were not measured");
    };
    let mut beyond = Finding::new("beyond half", Unit::Percent, difference.scaled(100.0));
    beyond.claimed = claimed.first().copied();
    let parts = [(TCP, UDP), (USM_UDP, UDP)].into_iter();
    let parts = parts.filter_map(|(over, under)| {
        let ratio = evidence.ratio("figure-3", (over, LONG), (under, LONG))?;
        Some(Finding::new(
            format!("{over} / {under}"),
            Unit::Ratio,
            ratio,
        ))
    });
    Verdict::of(
        std::iter::once(beyond).chain(parts).collect(),
        "walks of 107 interfaces; marginal: TCP adds less than half of what USM adds. The first figure is what TCP adds beyond that \
         half, by the time over UDP",
    )
}

/// Octets that one series has more in each frame of a long walk than another.
fn added(evidence: &Evidence<'_>, over: &str, under: &str) -> Option<Figure> {
    let octets = |series| evidence.cell("figure-5", series, LONG);
    let packets = |series| evidence.cell("table-3-packets", series, "total");
    let cells = [octets(over), packets(over), octets(under), packets(under)];
    evidence.of_all(cells, |values| match values {
        [over, over_packets, under, under_packets] => {
            Some(over / over_packets - under / under_packets)
        }
        _ => None,
    })
}

/// A verdict on what some series have more than others.
fn of_added(
    evidence: &Evidence<'_>,
    pairs: &[(&str, &str)],
    claimed: &[Claimed],
    because: &str,
) -> Verdict {
    let mut findings = Vec::new();
    for (over, under) in pairs {
        let Some(added) = added(evidence, over, under) else {
            return Verdict::not_testable(format!(
                "packets of {over} and {under} were not counted"
            ));
        };
        let mut finding = Finding::new(format!("{over} less {under}"), Unit::Octets, added);
        finding.claimed = claimed.first().copied();
        findings.push(finding);
    }
    Verdict::of(findings, because)
}

pub(super) fn usm_octets(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    of_added(
        evidence,
        &[(USM_UDP, UDP), (USM_TCP, TCP)],
        claimed,
        "mean octets of the frames of a walk of 107 interfaces, with USM less those of SNMPv2c over the same transport",
    )
}

pub(super) fn ssh_octets(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    of_added(
        evidence,
        &[(SSH, TCP)],
        claimed,
        "mean octets of the frames of a walk of 107 interfaces, the key exchange included; AES-256-GCM here, AES-128 and HMAC-MD5 \
         there",
    )
}

pub(super) fn memory_is_linear(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let growth = |half: u32| {
        let sessions = [10, half, 2 * half];
        slope::linearity(
            evidence,
            ("figure-6", TSM_SSH),
            sessions,
            Unit::Octets,
            claimed,
        )
    };
    let Some(findings) = [500, 100].into_iter().find_map(growth) else {
        return Verdict::not_testable("memory with many open sessions was not measured");
    };
    Verdict::of(
        findings,
        "what each session adds to the memory (PSS) in the second half of all sessions, less the least and the most that it may add there, \
         which are multiples of what it adds in the first half, without the first ten. These are differences, so that rounds count in \
         which the first half adds nothing",
    )
}

#[cfg(test)]
mod tests {
    use super::super::{At, Measure, Scope, Task, find};
    use super::*;
    use crate::workload::open_session_steps;

    #[test]
    fn memory_is_shown_at_numbers_of_sessions_at_which_it_is_read() {
        let study = find("marinov2006").unwrap();
        for scope in [Scope::Quick, Scope::Full] {
            let experiments = study.experiments(scope);
            for cell in experiments.iter().flat_map(|one| &one.cells) {
                if let (Task::Memory(task), Measure::MemoryWith(sessions)) =
                    (&cell.task, cell.measure)
                {
                    assert!(open_session_steps(task.sessions).contains(&sessions));
                    assert_eq!(cell.at, At::from(sessions));
                }
            }
        }
    }

    #[test]
    fn memory_of_a_session_is_measured_after_one_exchange_and_after_ten() {
        let experiments = find("marinov2006").unwrap().experiments(Scope::Quick);
        let cells = experiments
            .iter()
            .filter(|one| one.id == "memory-per-session")
            .flat_map(|one| &one.cells);
        let mut measured: Vec<(u32, Option<u32>)> = cells
            .filter_map(|cell| match &cell.task {
                Task::Memory(task) => Some((task.exchanges, cell.repetitions)),
                _ => None,
            })
            .collect();
        measured.sort_unstable();
        let after = |exchanges: u32| (exchanges, Some(6_u32));
        assert_eq!(measured, [1, 1, 1, 1, 10, 10, 10].map(after));
    }

    #[test]
    fn a_break_even_is_where_two_lines_meet() {
        let (short, long) = SHORT_AND_LONG;
        let times = |fixed: f64, each: f64| {
            [long, short].map(|exchanges| each.mul_add(f64::from(exchanges), fixed))
        };
        let found = even(&[times(600.0, 1.0), times(100.0, 2.0)].concat());
        assert!(found.is_some_and(|found| (found - 500.0).abs() < 1e-6));
        // It is less from the beginning, or never.
        let found = even(&[times(50.0, 1.0), times(100.0, 2.0)].concat());
        assert_eq!(found, Some(1.0));
        let found = even(&[times(600.0, 2.0), times(100.0, 2.0)].concat());
        assert_eq!(found, Some(BEYOND));
    }
}
