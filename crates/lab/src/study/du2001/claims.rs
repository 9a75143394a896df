use std::ops::RangeInclusive;

use super::super::{Cell, Claim, Evidence, Outcome, SubjectName, Unit, Verdict};
use super::lengths::LENGTHS;
use crate::measurement::Estimate;

/// What the paper claims.
pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "set-up-amortised",
        text: "From 500 messages in a session on, TLS takes about 20 % more time than UDP, if it does not encrypt",
        source: "section 1 (1), Table 2",
        judge: set_up_amortised,
    },
    Claim {
        id: "secure-tls-by-udp",
        text: "A session over TLS with all its security takes 1.35 to 1.75 times as long as one over UDP, less the longer it is",
        source: "Table 2",
        judge: secure_tls_by_udp,
    },
    Claim {
        id: "security-share-short",
        text: "Integrity and privacy take 5 to 9 % of a short session",
        source: "section 1 (2), Table 1",
        judge: security_share_short,
    },
    Claim {
        id: "security-share-long",
        text: "Integrity and privacy level off near 30 % of a long session",
        source: "section 1 (2), Table 2",
        judge: security_share_long,
    },
    Claim {
        id: "set-up-constant",
        text: "The time to set up a session over TLS does not depend on what follows",
        source: "section 4.2.1",
        judge: set_up_constant,
    },
    Claim {
        id: "model",
        text: "The difference of TLS and UDP for each message is S/M + (P1 - P2), with S for the set-up and M messages",
        source: "equation (1)",
        judge: model,
    },
    Claim {
        id: "usm-costs-more",
        text: "At equal security USM takes 163 % to 433 % of the time of TLS",
        source: "Table 6, section 5",
        judge: usm_costs_more,
    },
    Claim {
        id: "usm-is-structural",
        text: "It is not clear whether that is in the structure of USM or in its code (their open question; tested: it is still so \
               when the keys are at hand)",
        source: "section 5",
        judge: usm_is_structural,
    },
    Claim {
        id: "usm-without-security-is-fast",
        text: "Without authentication and privacy, USM over UDP takes less time than TLS",
        source: "Table 6",
        judge: usm_without_security,
    },
    Claim {
        id: "first-message",
        text: "The first message of a session takes much longer than the others: 12.5 times over TLS",
        source: "Table 5",
        judge: first_message,
    },
    Claim {
        id: "heavy-is-faster",
        text: "Sessions that follow each other closely take less time than rare ones",
        source: "Table 3",
        judge: heavy_is_faster,
    },
];

const OURS: SubjectName = SubjectName::Varbind;
const NOT_MEASURED: &str = "the sessions that it compares were not measured";

/// A verdict on one ratio.
fn of_ratio(
    evidence: &Evidence<'_>,
    experiment: &str,
    over: (&str, &str),
    under: (&str, &str),
    claimed: &RangeInclusive<f64>,
    because: &str,
) -> Verdict {
    let ratio = evidence.ratio(experiment, over, under, OURS);
    let what = format!("{} ({}) by {} ({})", over.0, over.1, under.0, under.1);
    Verdict::of_ratios([(what, ratio)], claimed, because)
}

/// A session over TLS by one over UDP.
fn tls_by_udp(evidence: &Evidence<'_>, length: u32) -> (String, Option<Estimate>) {
    let ratio = evidence.estimate("table-2-ratios", "secure TLS by UDP", length, OURS);
    (format!("{length} messages"), ratio)
}

fn set_up_amortised(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        [500, 1000, 2000].map(|length| tls_by_udp(evidence, length)),
        &(1.1..=1.3),
        "TLS that does not encrypt is no more to be had: the time of a session over TLS that does, by one over UDP",
    )
}

fn secure_tls_by_udp(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        LENGTHS.map(|length| tls_by_udp(evidence, length)),
        &(1.35..=1.75),
        "the time of a session over TLS, its handshake included, by one over UDP",
    )
}

/// What TLS adds to each exchange, as a part of a session of this length.
fn security_share(
    evidence: &Evidence<'_>,
    length: u32,
    claimed: &RangeInclusive<f64>,
    because: &str,
) -> Verdict {
    let (shortest, longest) = (LENGTHS[0], LENGTHS[LENGTHS.len() - 1]);
    let cell = |series: &str, at: u32| evidence.cell("table-2", series, at);
    let cells: Option<Vec<&Cell>> = [
        cell("secure TLS", longest),
        cell("secure TLS", shortest),
        cell("TCP", longest),
        cell("TCP", shortest),
        cell("secure TLS", length),
    ]
    .into_iter()
    .collect();
    let cells: Vec<_> = cells
        .unwrap_or_default()
        .into_iter()
        .map(|cell| (cell, OURS))
        .collect();
    let share = evidence.of_rounds(&cells, |values| {
        let [tls_long, tls_short, tcp_long, tcp_short, session] = values else {
            return None;
        };
        let difference = (tls_long - tls_short) - (tcp_long - tcp_short);
        let for_each = difference / f64::from(longest - shortest);
        Some(for_each * f64::from(length) / session)
    });
    let Some(share) = share else {
        return Verdict::not_testable(NOT_MEASURED);
    };
    let outcome = if share.high >= *claimed.start() && share.low <= *claimed.end() {
        Outcome::Holds
    } else {
        Outcome::Changed
    };
    let what = format!("share of a session of {length} messages");
    Verdict::new(outcome, because).with(what, Unit::Percent, share.scaled(100.0))
}

fn security_share_short(evidence: &Evidence<'_>) -> Verdict {
    security_share(
        evidence,
        LENGTHS[0],
        &(0.05..=0.09),
        "what each message costs more over TLS than over TCP, without the handshake, by the time of the session",
    )
}

fn security_share_long(evidence: &Evidence<'_>) -> Verdict {
    security_share(
        evidence,
        LENGTHS[LENGTHS.len() - 1],
        &(0.25..=0.35),
        "what each message costs more over TLS than over TCP, by the time of the session",
    )
}

fn set_up_constant(evidence: &Evidence<'_>) -> Verdict {
    let at = |length: u32| evidence.cell("table-2", "secure TLS, set-up", length);
    let pair = at(LENGTHS[LENGTHS.len() - 1]).zip(at(LENGTHS[0]));
    let ratio = pair.and_then(|(long, short)| evidence.ratio_of_cells((long, OURS), (short, OURS)));
    let Some(ratio) = ratio else {
        return Verdict::not_testable(NOT_MEASURED);
    };
    Verdict::new(
        Outcome::of_ratio(ratio, &(0.9..=1.1)),
        "the set-up of sessions of 2000 messages by that of sessions of 5",
    )
    .with("set-up", Unit::Ratio, ratio)
}

fn model(evidence: &Evidence<'_>) -> Verdict {
    let (few, many) = (LENGTHS[0], LENGTHS[LENGTHS.len() - 1]);
    let middle = LENGTHS[3];
    let cell = |series: &str, at: u32| evidence.cell("table-2", series, at);
    let cells: Option<Vec<&Cell>> = [few, many, middle]
        .into_iter()
        .flat_map(|length| [cell("secure TLS", length), cell("UDP", length)])
        .collect();
    let cells = cells.unwrap_or_default().into_iter();
    let cells: Vec<_> = cells.map(|cell| (cell, OURS)).collect();
    let agreement = evidence.of_rounds(&cells, |values| {
        let [tls_few, udp_few, tls_many, udp_many, tls, udp] = values else {
            return None;
        };
        // Two lengths give S and P1 - P2, a third one tests them.
        let (short, long) = (tls_few - udp_few, tls_many - udp_many);
        let for_each = (long - short) / f64::from(many - few);
        let set_up = short - for_each * f64::from(few);
        Some((set_up + for_each * f64::from(middle)) / (tls - udp))
    });
    let Some(agreement) = agreement else {
        return Verdict::not_testable(NOT_MEASURED);
    };
    Verdict::new(
        Outcome::of_ratio(agreement, &(0.8..=1.25)),
        "the difference at 100 messages as the model tells it from those at 5 and 2000, by the one that was measured",
    )
    .with("model by measurement", Unit::Ratio, agreement)
}

fn usm_costs_more(evidence: &Evidence<'_>) -> Verdict {
    let level = "authPriv";
    let ratios = ["get", "walk"].into_iter().flat_map(|name| {
        ["UDP", "TCP"].map(|transport| {
            let usm = format!("{name} v3/{transport} USM");
            let tls = format!("{name} v3/TLS");
            let ratio = evidence.ratio("table-6", (&usm, level), (&tls, level), OURS);
            (format!("{usm} by TLS"), ratio)
        })
    });
    Verdict::of_ratios(
        ratios,
        &(1.63..=4.33),
        "sessions with USM, passwords made keys in each, by those over TLS",
    )
}

fn usm_is_structural(evidence: &Evidence<'_>) -> Verdict {
    of_ratio(
        evidence,
        "table-6",
        ("get v3/UDP USM, keys at hand", "authPriv"),
        ("get v3/TLS", "authPriv"),
        &(1.63..=4.33),
        "where keys are at hand, as in any manager that runs longer than one command, only discovery remains of the set-up; \
         making keys of passwords is slow on purpose (RFC 3414 section A.2)",
    )
}

fn usm_without_security(evidence: &Evidence<'_>) -> Verdict {
    of_ratio(
        evidence,
        "table-6",
        ("get v3/UDP USM", "noAuthNoPriv"),
        ("get v3/TLS", "authPriv"),
        &(0.0..=0.99),
        "USM without security by TLS with all of its own, a session of one get",
    )
}

fn first_message(evidence: &Evidence<'_>) -> Verdict {
    let at = |number: u32| evidence.cell("table-5", "TLS", number);
    let pair = at(1).zip(at(20));
    let ratio =
        pair.and_then(|(first, later)| evidence.ratio_of_cells((first, OURS), (later, OURS)));
    let Some(ratio) = ratio else {
        return Verdict::not_testable(NOT_MEASURED);
    };
    Verdict::new(
        Outcome::of_ratio(ratio, &(10.0..=15.0)),
        "the first message over TLS by the twentieth",
    )
    .with("first by twentieth", Unit::Ratio, ratio)
}

fn heavy_is_faster(evidence: &Evidence<'_>) -> Verdict {
    of_ratio(
        evidence,
        "table-3",
        ("TLS", "light"),
        ("TLS", "heavy"),
        &(1.1..=1.6),
        "sessions over TLS after a long pause by those after a short one",
    )
}
