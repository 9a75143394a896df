use std::ops::RangeInclusive;

use super::super::{Claim, Evidence, Outcome, SubjectName, Unit, Verdict};
use super::get::HERE;
use super::switches::{ADJUSTED, NAGLE, SELDOM, TOGETHER, TOGETHER_ON};
use super::walks::{LONG, SHORT_AND_LONG};
use super::{SSH, TCP, TSM_SSH, UDP, USM_TCP, USM_UDP, loss};
use crate::measurement::{BreakEven, Estimate};

/// What the paper claims.
pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "ssh-get-is-costly",
        text: "For a single request SSH is costly: it takes 8 to 40 times as long as USM over UDP",
        source: "Table 2, section 7",
        judge: ssh_get_is_costly,
    },
    Claim {
        id: "streams-need-more",
        text: "Over TCP a get takes 5 times the packets and 3.6 times the octets that it takes over UDP",
        source: "Table 2",
        judge: streams_need_more,
    },
    Claim {
        id: "ssh-packets",
        text: "A get over SSH takes 32 packets, 16 times those of UDP",
        source: "Table 2",
        judge: ssh_packets,
    },
    Claim {
        id: "break-even",
        text: "After about 500 exchanges SSH becomes faster than USM with authentication and privacy",
        source: "section 5.3, Figure 3",
        judge: break_even,
    },
    Claim {
        id: "break-even-by-machine",
        text: "That number does not depend on how fast the agent's machine is",
        source: "section 5.3",
        judge: break_even_by_machine,
    },
    Claim {
        id: "transport-is-marginal",
        text: "Whether it is UDP or TCP makes a marginal difference in a walk, compared with that of authentication and privacy",
        source: "section 5.3, Figure 3",
        judge: transport_is_marginal,
    },
    Claim {
        id: "tcp-beats-udp-under-loss",
        text: "With 0.1 % and 0.5 % of loss the transports over TCP clearly beat those over UDP, whose time-out is a second",
        source: "section 5.4, Figure 4",
        judge: tcp_beats_udp_under_loss,
    },
    Claim {
        id: "retransmission-decides",
        text: "That is the work of the retransmission scheme, not of UDP: other schemes may turn it round",
        source: "section 5.4",
        judge: retransmission_decides,
    },
    Claim {
        id: "usm-octets",
        text: "USM adds about 90 octets to each packet of SNMPv2c",
        source: "section 5.5, Table 3",
        judge: usm_octets,
    },
    Claim {
        id: "ssh-octets",
        text: "SSH adds about 40 octets to each packet of SNMPv2c over TCP",
        source: "section 5.5, Table 3",
        judge: ssh_octets,
    },
    Claim {
        id: "ssh-saves-bandwidth",
        text: "In long walks SNMPv2c over SSH takes less bandwidth than USM over UDP or TCP",
        source: "section 5.5, Figure 5",
        judge: ssh_saves_bandwidth,
    },
    Claim {
        id: "v3-over-ssh-saves-bandwidth",
        text: "SNMPv3 over SSH will take less bandwidth than USM too, when many packets are exchanged (they believe)",
        source: "section 5.5",
        judge: v3_over_ssh_saves_bandwidth,
    },
    Claim {
        id: "acknowledgements-ride-along",
        text: "TCP needs hardly a packet more than UDP in a walk: acknowledgements ride along with messages",
        source: "section 5.5, Table 3",
        judge: acknowledgements_ride_along,
    },
    Claim {
        id: "memory",
        text: "Each open session over SSH takes about 7 kB of the agent's memory",
        source: "section 5.6, Figure 6",
        judge: memory,
    },
    Claim {
        id: "nagle",
        text: "With Nagle's algorithm a get over SSH takes 50 times as long; switched off late, 3.5 times",
        source: "section 4.1",
        judge: nagle,
    },
    Claim {
        id: "window-adjustments",
        text: "A window adjustment after every message makes SSH slower than USM, and it takes more bandwidth",
        source: "section 4.2",
        judge: window_adjustments,
    },
];

const OURS: SubjectName = SubjectName::Varbind;

/// The ratio of two series at one place, with its name.
fn ratio(
    evidence: &Evidence<'_>,
    experiment: &str,
    (over, under): (&str, &str),
    at: impl Into<super::super::At> + Clone,
) -> (String, Option<Estimate>) {
    let ratio = evidence.ratio(experiment, (over, at.clone()), (under, at), OURS);
    (format!("{over} by {under}"), ratio)
}

fn ssh_get_is_costly(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(SSH, USM_UDP), (TSM_SSH, USM_UDP)];
    Verdict::of_ratios(
        pairs.map(|pair| ratio(evidence, "table-2-time", pair, HERE)),
        &(8.0..=40.0),
        "sessions of one get",
    )
}

fn streams_need_more(evidence: &Evidence<'_>) -> Verdict {
    let packets = ratio(evidence, "table-2-packets", (TCP, UDP), HERE);
    let octets = ratio(evidence, "table-2-octets", (TCP, UDP), HERE);
    let named = |(what, ratio): (String, _), of: &str| (format!("{of}, {what}"), ratio);
    Verdict::of_ratios(
        [named(packets, "packets"), named(octets, "octets")],
        &(3.0..=5.5),
        "a session of one get; the close of a connection takes three packets where both ends close at once, else four",
    )
}

fn ssh_packets(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(SSH, UDP), (TSM_SSH, UDP)];
    Verdict::of_ratios(
        pairs.map(|pair| ratio(evidence, "table-2-packets", pair, HERE)),
        &(15.0..=17.0),
        "a session of one get, with public key authentication; packets of SSH that follow one another go into one segment here",
    )
}

/// What is written of a number from which on something pays.
fn told(even: &BreakEven) -> String {
    let number =
        |value: Option<f64>| value.map_or("never".to_owned(), |value| format!("{value:.0}"));
    let share = even.share * 100.0;
    format!(
        "{} [{}, {}], reached in {share:.0} % of the resamples",
        number(even.exchanges),
        number(even.low),
        number(even.high),
    )
}

fn break_even(evidence: &Evidence<'_>) -> Verdict {
    let mut outcomes = Vec::new();
    let mut sentences = Vec::new();
    let mut findings = Vec::new();
    for series in [SSH, TSM_SSH] {
        for reference in [USM_UDP, USM_TCP] {
            let even = evidence.break_even("figure-3", series, reference, SHORT_AND_LONG, OURS);
            let Some(even) = even else {
                return Verdict::not_testable(format!(
                    "{series} and {reference} were not measured"
                ));
            };
            outcomes.push(of_break_even(&even, &(250.0..=1000.0)));
            let pair = format!("{series} by {reference}");
            sentences.push(format!("{pair}: {}", told(&even)));
            if let (Some(value), Some(low), Some(high)) = (even.exchanges, even.low, even.high) {
                findings.push((pair, Estimate { value, low, high }));
            }
        }
    }
    let because = format!(
        "exchanges from which on a session over SSH costs less, by lines through walks of 2 and of 107 interfaces. {}",
        sentences.join("; ")
    );
    let verdict = Verdict::new(Outcome::of_all(&outcomes), because);
    findings
        .into_iter()
        .fold(verdict, |verdict, (what, value)| {
            verdict.with(what, Unit::Count, value)
        })
}

/// It holds if the interval reaches into the range, and is reversed if it is hardly ever reached.
fn of_break_even(even: &BreakEven, claimed: &RangeInclusive<f64>) -> Outcome {
    if even.share < 0.05 {
        return Outcome::Reversed;
    }
    let low = even.low.unwrap_or(f64::INFINITY);
    let high = even.high.unwrap_or(f64::INFINITY);
    if even.share < 0.95 {
        Outcome::Undecided
    } else if high >= *claimed.start() && low <= *claimed.end() {
        Outcome::Holds
    } else {
        Outcome::Changed
    }
}

fn break_even_by_machine(_: &Evidence<'_>) -> Verdict {
    Verdict::not_testable(
        "it takes machines of different speed: compare the break-even of runs on several (`varbind study compare`)",
    )
}

fn transport_is_marginal(evidence: &Evidence<'_>) -> Verdict {
    let cell = |series| evidence.cell("figure-3", series, LONG);
    let cells: Option<Vec<_>> = [UDP, TCP, USM_UDP].into_iter().map(cell).collect();
    let cells = cells.unwrap_or_default().into_iter();
    let cells: Vec<_> = cells.map(|cell| (cell, OURS)).collect();
    let share = evidence.of_rounds(&cells, |values| match values {
        [udp, tcp, usm] if usm > udp => Some((tcp - udp) / (usm - udp)),
        _ => None,
    });
    Verdict::of_ratios(
        [("what TCP adds by what USM adds".to_owned(), share)],
        &(-1.0..=0.5),
        "walks of 107 interfaces: the time that TCP adds to UDP by that which USM adds to it",
    )
}

fn tcp_beats_udp_under_loss(evidence: &Evidence<'_>) -> Verdict {
    let experiments = [("figure-4-little", "0.1 %"), ("figure-4-more", "0.5 %")];
    Verdict::of_ratios(
        experiments.map(|(experiment, loss)| {
            let (what, ratio) = ratio(evidence, experiment, (UDP, TCP), loss::LONG);
            (format!("{loss}, {what}"), ratio)
        }),
        &(1.2..=20.0),
        "the time of 529 exchanges over UDP with a time-out of one second by that over TCP, across a link of 2 ms",
    )
}

fn retransmission_decides(evidence: &Evidence<'_>) -> Verdict {
    let pair = (loss::ADAPTIVE, TCP);
    let more = ratio(evidence, "figure-4-more", pair, loss::LONG);
    Verdict::of_ratios(
        [more],
        &(0.0..=0.99),
        "the time of 529 exchanges with 0.5 % of loss over UDP with time-outs that follow the round trip, by that over TCP",
    )
}

/// Octets that one series has more in each frame of a long walk than another.
fn added(
    evidence: &Evidence<'_>,
    (over, under): (&str, &str),
    claimed: &RangeInclusive<f64>,
    because: &str,
) -> Verdict {
    let octets = |series| evidence.cell("figure-5", series, LONG);
    let packets = |series| evidence.cell("table-3-packets", series, "total");
    let cells: Option<Vec<_>> = [octets(over), packets(over), octets(under), packets(under)]
        .into_iter()
        .collect();
    let cells = cells.unwrap_or_default().into_iter();
    let cells: Vec<_> = cells.map(|cell| (cell, OURS)).collect();
    let added = evidence.of_rounds(&cells, |values| match values {
        [over, over_packets, under, under_packets] => {
            Some(over / over_packets - under / under_packets)
        }
        _ => None,
    });
    let Some(added) = added else {
        return Verdict::not_testable(format!("packets of {over} and {under} were not counted"));
    };
    let outcome = if added.high >= *claimed.start() && added.low <= *claimed.end() {
        Outcome::Holds
    } else {
        Outcome::Changed
    };
    Verdict::new(outcome, because).with(format!("{over} less {under}"), Unit::Octets, added)
}

fn usm_octets(evidence: &Evidence<'_>) -> Verdict {
    added(
        evidence,
        (USM_UDP, UDP),
        &(80.0..=100.0),
        "mean octets of the frames of a walk of 107 interfaces, USM over UDP less SNMPv2c over UDP",
    )
}

fn ssh_octets(evidence: &Evidence<'_>) -> Verdict {
    added(
        evidence,
        (SSH, TCP),
        &(30.0..=50.0),
        "mean octets of the frames of a walk of 107 interfaces, the key exchange included; AES-GCM adds less than AES and \
         HMAC-MD5 did",
    )
}

fn ssh_saves_bandwidth(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(SSH, USM_UDP), (SSH, USM_TCP)];
    Verdict::of_ratios(
        pairs.map(|pair| ratio(evidence, "figure-5", pair, LONG)),
        &(0.0..=0.99),
        "octets of whole sessions with a walk of 107 interfaces",
    )
}

fn v3_over_ssh_saves_bandwidth(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(TSM_SSH, USM_UDP), (TSM_SSH, USM_TCP)];
    Verdict::of_ratios(
        pairs.map(|pair| ratio(evidence, "figure-5", pair, LONG)),
        &(0.0..=0.99),
        "octets of whole sessions with a walk of 107 interfaces, in the standard that came of it (RFC 5592)",
    )
}

fn acknowledgements_ride_along(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(TCP, UDP), (USM_TCP, USM_UDP), (SSH, UDP)];
    Verdict::of_ratios(
        pairs.map(|pair| ratio(evidence, "table-3-packets", pair, "total")),
        &(1.0..=1.02),
        "packets of whole sessions with a walk of 107 interfaces",
    )
}

fn memory(evidence: &Evidence<'_>) -> Verdict {
    let each = evidence.estimate("memory-per-session", TSM_SSH, "each", OURS);
    let Some(each) = each else {
        return Verdict::not_testable("the memory of open sessions was not measured");
    };
    // 7 kB.
    let ratio = each.scaled(1.0 / 7e3);
    Verdict::new(
        Outcome::of_ratio(ratio, &(0.5..=1.5)),
        "resident memory that each open session over SSH adds, after one exchange; there, virtual memory, before any exchange",
    )
    .with("each session", Unit::Kilobytes, each.scaled(1e-3))
}

fn nagle(evidence: &Evidence<'_>) -> Verdict {
    let [(on, _), (late, _), (never, _)] = NAGLE;
    let by = |over, under| evidence.ratio("nagle", (SSH, over), (SSH, under), OURS);
    let (Some(on), Some(late)) = (by(on, never), by(late, never)) else {
        return Verdict::not_testable("sessions with Nagle's algorithm were not measured");
    };
    let outcome = Outcome::of_all(&[
        Outcome::of_ratio(on, &(10.0..=60.0)),
        Outcome::of_ratio(late, &(2.0..=6.0)),
    ]);
    let verdict = Verdict::new(
        outcome,
        "sessions of one get by those with TCP_NODELAY from the beginning, packets of SSH sent one by one: each then waits for an \
         acknowledgement, which the peer delays by 40 ms. Where packets that follow one another are sent together, there is \
         nothing to delay",
    )
    .with("always on", Unit::Ratio, on)
    .with("off once authenticated", Unit::Ratio, late);
    match by(TOGETHER_ON, TOGETHER) {
        Some(ratio) => verdict.with("always on, packets sent together", Unit::Ratio, ratio),
        None => verdict,
    }
}

fn window_adjustments(evidence: &Evidence<'_>) -> Verdict {
    let mut outcomes = Vec::new();
    let mut verdict = Verdict::new(
        Outcome::NotTestable,
        "walks of 529 exchanges: with adjustments SSH costs more than USM over UDP, without it costs less, if the claim holds",
    );
    for (experiment, what) in [("window-latency", "time"), ("window-octets", "octets")] {
        for (at, claimed) in [(ADJUSTED, 1.0..=10.0), (SELDOM, 0.0..=1.0)] {
            let ratio = evidence.ratio(experiment, (SSH, at), (USM_UDP, SELDOM), OURS);
            let Some(ratio) = ratio else {
                return Verdict::not_testable("walks with window adjustments were not measured");
            };
            outcomes.push(Outcome::of_ratio(ratio, &claimed));
            verdict = verdict.with(format!("{what}, adjusted {at}"), Unit::Ratio, ratio);
        }
    }
    verdict.outcome = Outcome::of_all(&outcomes);
    verdict
}
