use std::ops::RangeInclusive;

use super::super::super::{Evidence, Outcome, Unit, Verdict};
use super::super::get::A_GET;
use super::super::memory::EACH;
use super::super::walks::LONG;
use super::super::{SSH, TCP, TSM_SSH, UDP, USM_TCP, USM_UDP};
use super::{LESS, ratio};
use crate::measurement::Estimate;

/// Packets and octets of a get, by those over UDP.
fn by_udp(
    evidence: &Evidence<'_>,
    series: &'static str,
    packets: RangeInclusive<f64>,
    octets: RangeInclusive<f64>,
) -> [(String, Option<Estimate>, RangeInclusive<f64>); 2] {
    let of = |experiment, what: &str, claimed| {
        let (pair, ratio) = ratio(evidence, experiment, (series, UDP), A_GET);
        (format!("{what}, {pair}"), ratio, claimed)
    };
    [
        of("table-2-packets", "packets", packets),
        of("table-2-octets", "octets", octets),
    ]
}

pub(in crate::study) fn streams_need_more(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_claimed_ratios(
        by_udp(evidence, TCP, 4.5..=5.5, 3.2..=4.0),
        "sessions of one get, from the opening of the connection to its close",
    )
}

pub(in crate::study) fn ssh_packets(evidence: &Evidence<'_>) -> Verdict {
    let all = [SSH, TSM_SSH].map(|series| by_udp(evidence, series, 14.4..=17.6, 17.0..=21.0));
    Verdict::of_claimed_ratios(
        all.into_iter().flatten(),
        "sessions of one get, here with authentication by a public key, and with packets of SSH that follow one another in one \
         segment; there, with libssh of 2006",
    )
}

/// Octets that one series has more in each frame of a long walk than another.
fn added(evidence: &Evidence<'_>, over: &str, under: &str) -> Option<Estimate> {
    let octets = |series| evidence.cell("figure-5", series, LONG);
    let packets = |series| evidence.cell("table-3-packets", series, "total");
    let cells = [octets(over), packets(over), octets(under), packets(under)];
    let cells: Vec<_> = cells.into_iter().collect::<Option<_>>()?;
    evidence.of_rounds(&cells, |values| match values {
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
    claimed: &RangeInclusive<f64>,
    because: &str,
) -> Verdict {
    let mut verdict = Verdict::new(Outcome::NotTestable, because);
    let mut outcomes = Vec::new();
    for (over, under) in pairs {
        let Some(added) = added(evidence, over, under) else {
            return Verdict::not_testable(format!(
                "packets of {over} and {under} were not counted"
            ));
        };
        outcomes.push(Outcome::of_figure(added, claimed));
        verdict =
            verdict.with_claimed(format!("{over} less {under}"), Unit::Octets, added, claimed);
    }
    verdict.outcome = Outcome::of_all(&outcomes);
    verdict
}

pub(in crate::study) fn usm_octets(evidence: &Evidence<'_>) -> Verdict {
    of_added(
        evidence,
        &[(USM_UDP, UDP), (USM_TCP, TCP)],
        &(80.0..=100.0),
        "mean octets of the frames of a walk of 107 interfaces, with USM less those of SNMPv2c over the same transport",
    )
}

pub(in crate::study) fn ssh_octets(evidence: &Evidence<'_>) -> Verdict {
    of_added(
        evidence,
        &[(SSH, TCP)],
        &(30.0..=50.0),
        "mean octets of the frames of a walk of 107 interfaces, the key exchange included; AES-256-GCM here, AES-128 and HMAC-MD5 \
         there",
    )
}

pub(in crate::study) fn ssh_saves_bandwidth(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(SSH, USM_UDP), (SSH, USM_TCP)];
    Verdict::of_ratios(
        pairs.map(|pair| ratio(evidence, "figure-5", pair, LONG)),
        &LESS,
        "octets of whole sessions with a walk of 107 interfaces",
    )
}

pub(in crate::study) fn v3_over_ssh_saves_bandwidth(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(TSM_SSH, USM_UDP), (TSM_SSH, USM_TCP)];
    Verdict::of_ratios(
        pairs.map(|pair| ratio(evidence, "figure-5", pair, LONG)),
        &LESS,
        "octets of whole sessions with a walk of 107 interfaces, in the standard that came of it (RFC 5592)",
    )
}

pub(in crate::study) fn acknowledgements_ride_along(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(TCP, UDP), (USM_TCP, USM_UDP), (SSH, UDP)];
    Verdict::of_ratios(
        pairs.map(|pair| ratio(evidence, "table-3-packets", pair, "total")),
        &(0.99..=1.02),
        "packets of whole sessions with a walk of 107 interfaces",
    )
}

pub(in crate::study) fn memory(evidence: &Evidence<'_>) -> Verdict {
    let each = evidence.estimate("memory-per-session", TSM_SSH, "each");
    let Some(each) = each else {
        return Verdict::not_testable("the memory of open sessions was not measured");
    };
    let each = each.scaled(1e-3);
    let about = EACH / 2.0..=EACH * 1.5;
    Verdict::new(
        Outcome::of_figure(each, &about),
        "memory (PSS) that each open session over SSH adds, after one exchange, within a half of theirs; there, virtual memory, \
         before any exchange",
    )
    .with_claimed("each session", Unit::Kilobytes, each, &about)
}

pub(in crate::study) fn memory_is_linear(evidence: &Evidence<'_>) -> Verdict {
    let growth = |half: u32| {
        let cell = |at: u32| evidence.cell("figure-6", TSM_SSH, at);
        let cells: Vec<_> = [10, half, 2 * half]
            .map(cell)
            .into_iter()
            .collect::<Option<_>>()?;
        evidence.of_rounds(&cells, |values| match values {
            [ten, half_of_it, all] if half_of_it > ten => {
                let each = |grown: f64, sessions: u32| grown / f64::from(sessions);
                Some(each(all - half_of_it, half) / each(half_of_it - ten, half - 10))
            }
            _ => None,
        })
    };
    let half = [500, 100].into_iter().find_map(growth);
    Verdict::of_ratios(
        [("second half by first half, SNMPv3/TSM/SSH".to_owned(), half)],
        &(0.8..=1.25),
        "what each session adds to the memory (PSS), in the second half of all sessions by the first half, without the first ten",
    )
}
