use std::ops::RangeInclusive;

use super::super::super::{Evidence, Outcome, Unit, Verdict};
use super::super::get::HERE;
use super::super::switches::{ADJUSTED, NAGLE, SELDOM, TOGETHER, TOGETHER_ON};
use super::super::walks::{LONG, SHORT_AND_LONG};
use super::super::{SSH, TCP, TSM_SSH, UDP, USM_TCP, USM_UDP, loss};
use super::{LESS, MORE, ratio};
use crate::measurement::{BreakEven, Estimate};

pub(in crate::study) fn ssh_get_is_costly(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(SSH, USM_UDP), (TSM_SSH, USM_UDP)];
    Verdict::of_ratios(
        pairs.map(|pair| ratio(evidence, "table-2-time", pair, HERE)),
        &(8.0..=40.0),
        "sessions of one get",
    )
}

/// What an exchange of a walk costs more, of one series by another: what two lengths differ by.
fn each_exchange(evidence: &Evidence<'_>, over: &str, under: &str) -> Option<Estimate> {
    let (short, long) = SHORT_AND_LONG;
    let cell = |series: &str, at: u32| evidence.cell("figure-3", series, at);
    let cells = [
        cell(over, long),
        cell(over, short),
        cell(under, long),
        cell(under, short),
    ];
    let cells: Vec<_> = cells.into_iter().collect::<Option<_>>()?;
    evidence.of_rounds(&cells, |values| match values {
        [over_long, over_short, under_long, under_short] if under_long > under_short => {
            Some((over_long - over_short) / (under_long - under_short))
        }
        _ => None,
    })
}

/// Within a factor of two.
const ABOUT_500: RangeInclusive<f64> = 250.0..=1000.0;

pub(in crate::study) fn break_even(evidence: &Evidence<'_>) -> Verdict {
    let mut outcomes = Vec::new();
    let mut verdict = Verdict::new(
        Outcome::NotTestable,
        "the number of exchanges from which on a session over SSH takes less time, by lines through walks of 2 and of 107 interfaces; about 500: within \
         a factor of two. \
         It is reached only where each further exchange takes less over SSH: the first figures, with the share of the resamples in \
         which it does",
    );
    for series in [SSH, TSM_SSH] {
        for reference in [USM_UDP, USM_TCP] {
            let even = evidence.break_even("figure-3", series, reference, SHORT_AND_LONG);
            let each = each_exchange(evidence, series, reference);
            let Some((even, each)) = even.zip(each) else {
                return Verdict::not_testable(format!(
                    "{series} and {reference} were not measured"
                ));
            };
            outcomes.push(of_break_even(&even, &ABOUT_500));
            let pair = format!("{series} by {reference}");
            let share = (even.share * 100.0).round();
            let what = format!("each exchange, {pair} (break-even in {share} % of the resamples)");
            verdict = verdict.with(what, Unit::Ratio, each);
            if let (Some(value), Some(low), Some(high)) = (even.exchanges, even.low, even.high) {
                let what = format!("exchanges, {pair}");
                verdict = verdict.with_claimed(
                    what,
                    Unit::Count,
                    Estimate { value, low, high },
                    &ABOUT_500,
                );
            }
        }
    }
    verdict.outcome = Outcome::of_all(&outcomes);
    verdict
}

/// It is reversed if it is hardly ever reached, and undecided if it is not always reached.
fn of_break_even(even: &BreakEven, claimed: &RangeInclusive<f64>) -> Outcome {
    match (even.exchanges, even.low, even.high) {
        _ if even.share < 0.05 => Outcome::Reversed,
        (Some(value), Some(low), Some(high)) if even.share > 0.95 => {
            Outcome::of_figure(Estimate { value, low, high }, claimed)
        }
        _ => Outcome::Undecided,
    }
}

pub(in crate::study) fn break_even_by_machine(_: &Evidence<'_>) -> Verdict {
    Verdict::not_testable(
        "it takes machines of different speed: compare the break-even of runs on several (`varbind study compare`)",
    )
}

pub(in crate::study) fn transport_is_marginal(evidence: &Evidence<'_>) -> Verdict {
    let cell = |series| evidence.cell("figure-3", series, LONG);
    let cells: Option<Vec<_>> = [UDP, TCP, USM_UDP].into_iter().map(cell).collect();
    // By the time over UDP, as what USM adds may be next to nothing in some rounds.
    let difference = cells.and_then(|cells| {
        evidence.of_rounds(&cells, |values| match values {
            [udp, tcp, usm] if *udp > 0.0 => Some(((tcp - udp) - (usm - udp) / 2.0) / udp),
            _ => None,
        })
    });
    let parts = [(TCP, UDP), (USM_UDP, UDP)].map(|pair| ratio(evidence, "figure-3", pair, LONG));
    let Some(difference) = difference else {
        return Verdict::not_testable("walks over UDP and TCP and with USM were not measured");
    };
    let below_zero = f64::NEG_INFINITY..=0.0;
    let verdict = Verdict::new(
        Outcome::of_figure(difference, &below_zero),
        "walks of 107 interfaces; marginal: TCP adds less than half of what USM adds. The first figure is what TCP adds beyond that \
         half, by the time over UDP",
    );
    let verdict = verdict.with_claimed(
        "beyond half",
        Unit::Percent,
        difference.scaled(100.0),
        &below_zero,
    );
    parts
        .into_iter()
        .fold(verdict, |verdict, (what, ratio)| match ratio {
            Some(ratio) => verdict.with(what, Unit::Ratio, ratio),
            None => verdict,
        })
}

/// A ratio of walks across a link that loses packets: of the longest ones that were measured.
fn under_loss(
    evidence: &Evidence<'_>,
    experiment: &str,
    (over, under): (&str, &str),
) -> (String, Option<Estimate>) {
    let of_length = |length: u32| {
        let ratio = evidence.ratio(experiment, (over, length), (under, length))?;
        Some((
            format!("{over} by {under}, {length} exchanges"),
            Some(ratio),
        ))
    };
    let longest = [loss::LONGEST, loss::LONG].into_iter().find_map(of_length);
    longest.unwrap_or_else(|| (format!("{over} by {under}"), None))
}

pub(in crate::study) fn tcp_beats_udp_under_loss(evidence: &Evidence<'_>) -> Verdict {
    let experiments = [("figure-4-little", "0.1 %"), ("figure-4-more", "0.5 %")];
    let ratios = experiments.into_iter().flat_map(|(experiment, loss)| {
        [(UDP, TCP), (UDP, TSM_SSH), (USM_UDP, USM_TCP)].map(|pair| {
            let (what, ratio) = under_loss(evidence, experiment, pair);
            (format!("{loss}, {what}"), ratio)
        })
    });
    Verdict::of_ratios(
        ratios,
        &(1.2..=f64::INFINITY),
        "the time over UDP with a time-out of one second by that over a stream, across a link of 2 ms; clearly: by a fifth",
    )
}

pub(in crate::study) fn retransmission_decides(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        [under_loss(evidence, "figure-4-more", (loss::ADAPTIVE, TCP))],
        &LESS,
        "0.5 % of loss: the time over UDP with time-outs that follow the round trip, by that over TCP",
    )
}

/// 800 ms by 16.17 and 56.5 by 16.17, within a factor of two.
const ALWAYS_ON: RangeInclusive<f64> = 25.0..=100.0;
const SWITCHED_OFF_LATE: RangeInclusive<f64> = 1.75..=7.0;

pub(in crate::study) fn nagle(evidence: &Evidence<'_>) -> Verdict {
    let [(on, _), (late, _), (never, _)] = NAGLE;
    let by = |over, under| evidence.ratio("nagle", (SSH, over), (SSH, under));
    let (Some(on), Some(late)) = (by(on, never), by(late, never)) else {
        return Verdict::not_testable("sessions with Nagle's algorithm were not measured");
    };
    let outcome = Outcome::of_all(&[
        Outcome::of_ratio(on, &ALWAYS_ON),
        Outcome::of_ratio(late, &SWITCHED_OFF_LATE),
    ]);
    let verdict = Verdict::new(
        outcome,
        "sessions of one get by those with TCP_NODELAY from the beginning, packets of SSH sent one by one; it holds within a factor \
         of two. Beside it, the same with packets that follow one another sent together",
    )
    .with_claimed("always on", Unit::Ratio, on, &ALWAYS_ON)
    .with_claimed("off once authenticated", Unit::Ratio, late, &SWITCHED_OFF_LATE);
    match by(TOGETHER_ON, TOGETHER) {
        Some(ratio) => verdict.with("always on, packets sent together", Unit::Ratio, ratio),
        None => verdict,
    }
}

pub(in crate::study) fn window_adjustments(evidence: &Evidence<'_>) -> Verdict {
    let kinds = [("window-latency", "time"), ("window-octets", "octets")];
    let ratios = kinds.into_iter().flat_map(|(experiment, what)| {
        [(ADJUSTED, MORE), (SELDOM, LESS)].map(|(at, claimed)| {
            let ratio = evidence.ratio(experiment, (SSH, at), (USM_UDP, SELDOM));
            (format!("{what}, adjusted {at}"), ratio, claimed)
        })
    });
    Verdict::of_claimed_ratios(
        ratios,
        "walks of 529 exchanges, SNMPv2c over SSH by USM over UDP",
    )
}
