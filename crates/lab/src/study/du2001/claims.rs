use std::ops::RangeInclusive;

use super::super::{Cell, Evidence, Outcome, Unit, Verdict};
use super::lengths::{INTEGRITY_BY_UDP, LENGTHS, SECURE_BY_UDP};
use super::levels::{INTEGRITY, SAME_WITH_AES};
use super::phases::MESSAGES;
use crate::measurement::Estimate;
use crate::statistics::median;

const NOT_MEASURED: &str = "the sessions that it compares were not measured";

/// Less than as much.
pub(super) const LESS: RangeInclusive<f64> = 0.0..=0.99;
/// More than as much.
const MORE: RangeInclusive<f64> = 1.01..=f64::INFINITY;

/// A value of a series at one length by that at another.
fn by_length(
    evidence: &Evidence<'_>,
    (experiment, series): (&str, &str),
    length: u32,
    other: u32,
) -> (String, Option<Estimate>) {
    let ratio = evidence.ratio(experiment, (series, length), (series, other));
    (format!("{length} by {other} messages"), ratio)
}

/// A session over TLS by one over UDP.
fn tls_by_udp(evidence: &Evidence<'_>, series: &str, length: u32) -> (String, Option<Estimate>) {
    let ratio = evidence.estimate("table-2-ratios", series, length);
    (format!("{length} messages"), ratio)
}

/// The ratios of Table 2 by the least security that was measured: which TLS that is, and what is told of it.
fn least_security(evidence: &Evidence<'_>) -> (&'static str, &'static str) {
    let is_measured = |length| tls_by_udp(evidence, INTEGRITY_BY_UDP, length).1.is_some();
    if LENGTHS.into_iter().all(is_measured) {
        let told = "TLS with integrity alone, which is the least that it has";
        (INTEGRITY_BY_UDP, told)
    } else {
        let told = "TLS with all its security, as TLS with integrity alone was not measured";
        (SECURE_BY_UDP, told)
    }
}

pub(in crate::study) fn set_up_amortised(evidence: &Evidence<'_>) -> Verdict {
    let (series, tls) = least_security(evidence);
    Verdict::of_ratios(
        [500, 1000, 2000].map(|length| tls_by_udp(evidence, series, length)),
        &(1.1..=1.3),
        &format!("the time of a session over {tls}, by one over UDP"),
    )
}

pub(in crate::study) fn secure_tls_by_udp(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        LENGTHS.map(|length| tls_by_udp(evidence, SECURE_BY_UDP, length)),
        &(1.35..=1.74),
        "the time of a session over TLS, its handshake included, by one over UDP",
    )
}

pub(in crate::study) fn ratio_falls(evidence: &Evidence<'_>) -> Verdict {
    let (series, tls) = least_security(evidence);
    let ratios = ("table-2-ratios", series);
    Verdict::of_ratios(
        [(50, 5), (500, 50), (2000, 5)]
            .map(|(long, short)| by_length(evidence, ratios, long, short)),
        &LESS,
        &format!(
            "the ratio of the times over {tls}, and over UDP at one length, by that ratio at a smaller one"
        ),
    )
}

pub(in crate::study) fn ratio_levels_off(evidence: &Evidence<'_>) -> Verdict {
    let (series, tls) = least_security(evidence);
    let ratios = ("table-2-ratios", series);
    Verdict::of_ratios(
        [1000, 2000].map(|long| by_length(evidence, ratios, long, 500)),
        &(0.9..=1.1),
        &format!(
            "the ratio of the times over {tls}, and over UDP at one length, by that ratio at 500 messages"
        ),
    )
}

pub(in crate::study) fn message_time_falls(evidence: &Evidence<'_>) -> Verdict {
    let times = ("table-2-messages", "secure TLS");
    Verdict::of_ratios(
        [(50, 5), (500, 50), (2000, 5)]
            .map(|(long, short)| by_length(evidence, times, long, short)),
        &LESS,
        "the time of a session by its messages, at one length by that at a smaller one",
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
    let share = evidence.of_rounds(&cells.unwrap_or_default(), |values| {
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
    let outcome = Outcome::of_figure(share, claimed);
    let what = format!("share of a session of {length} messages");
    let in_percent = claimed.start() * 100.0..=claimed.end() * 100.0;
    Verdict::new(outcome, because).with_claimed(
        what,
        Unit::Percent,
        share.scaled(100.0),
        &in_percent,
    )
}

pub(in crate::study) fn security_share_short(evidence: &Evidence<'_>) -> Verdict {
    security_share(
        evidence,
        LENGTHS[0],
        &(0.05..=0.09),
        "what each message costs more over TLS than over TCP, without the handshake, by the time of a session of 5 messages. \
         In their Table 2 it is 5 %; the 8.53 % of a get are by the time of a session without security",
    )
}

pub(in crate::study) fn security_share_long(evidence: &Evidence<'_>) -> Verdict {
    security_share(
        evidence,
        LENGTHS[LENGTHS.len() - 1],
        &(0.25..=0.35),
        "what each message costs more over TLS than over TCP, without the handshake, by the time of a session of 2000 messages. \
         In their Table 2, what sessions of 500 messages and more take longer with security than without is 11 to 14 % of them",
    )
}

pub(in crate::study) fn privacy_alone(evidence: &Evidence<'_>) -> Verdict {
    let ratio = |name: &str| {
        let ratio = evidence.ratio("table-1", (name, SAME_WITH_AES), (name, INTEGRITY));
        (format!("{name} with privacy by without"), ratio)
    };
    Verdict::of_claimed_ratios(
        [("get", 1.02..=1.07), ("walk", 1.07..=1.21)].map(|(name, claimed)| {
            let (what, ratio) = ratio(name);
            (what, ratio, claimed)
        }),
        "sessions over TLS with ECDHE-ECDSA-AES128-SHA by those with ECDHE-ECDSA-NULL-SHA, which has integrity alone",
    )
}

pub(in crate::study) fn set_up_constant(evidence: &Evidence<'_>) -> Verdict {
    let times = ("table-2", "secure TLS, set-up");
    Verdict::of_ratios(
        [50, 500, 2000].map(|long| by_length(evidence, times, long, LENGTHS[0])),
        &(0.9..=1.1),
        "connection and handshake of sessions of one length by those of sessions of 5 messages",
    )
}

pub(in crate::study) fn model(evidence: &Evidence<'_>) -> Verdict {
    let (few, many) = (LENGTHS[0], LENGTHS[LENGTHS.len() - 1]);
    let middle = LENGTHS[3];
    let cell = |series: &str, at: u32| evidence.cell("table-2", series, at);
    let cells: Option<Vec<&Cell>> = [few, many, middle]
        .into_iter()
        .flat_map(|length| [cell("secure TLS", length), cell("UDP", length)])
        .collect();
    let agreement = evidence.of_rounds(&cells.unwrap_or_default(), |values| {
        let [tls_few, udp_few, tls_many, udp_many, tls, udp] = values else {
            return None;
        };
        // Two lengths give S and P1 - P2, a third one tests them.
        let (short, long) = (tls_few - udp_few, tls_many - udp_many);
        let for_each = (long - short) / f64::from(many - few);
        let set_up = short - for_each * f64::from(few);
        Some((set_up + for_each * f64::from(middle)) / (tls - udp))
    });
    Verdict::of_ratios(
        [("model by measurement".to_owned(), agreement)],
        &(0.8..=1.25),
        "the difference at 100 messages as the model tells it from those at 5 and 2000, by the one that was measured",
    )
}

/// The first message by the median of the later ones, with the cells of a transport in Table 5.
fn first_by_later(evidence: &Evidence<'_>, transport: &str) -> Option<Estimate> {
    evidence.of_rounds(&messages(evidence, &[transport])?, |values| {
        let (first, later) = values.split_first()?;
        Some(first / median(later)?)
    })
}

/// The cells of all messages of these transports.
fn messages<'a>(evidence: &Evidence<'a>, transports: &[&str]) -> Option<Vec<&'a Cell>> {
    let all = transports.iter().flat_map(|transport| {
        (1..=MESSAGES).map(|number| evidence.cell("table-5", transport, number))
    });
    all.collect()
}

pub(in crate::study) fn first_message(evidence: &Evidence<'_>) -> Verdict {
    let ratios = [("TLS", 10.0..=15.0), ("UDP", 1.3..=2.2)];
    Verdict::of_claimed_ratios(
        ratios.map(|(transport, claimed)| {
            let ratio = first_by_later(evidence, transport);
            (
                format!("first by later messages over {transport}"),
                ratio,
                claimed,
            )
        }),
        "the time of the first message by the median of the 33 that follow in the same session",
    )
}

pub(in crate::study) fn each_message(evidence: &Evidence<'_>) -> Verdict {
    let cells = messages(evidence, &["TLS", "UDP"]).unwrap_or_default();
    let ratio = evidence.of_rounds(&cells, |values| {
        let (tls, udp) = values.split_at_checked(MESSAGES as usize)?;
        Some(median(tls.get(1..)?)? / median(udp.get(1..)?)?)
    });
    Verdict::of_ratios(
        [("TLS by UDP, each message".to_owned(), ratio)],
        &MORE,
        "the median of the messages after the first over TLS, with all its security, by that over UDP",
    )
}

pub(in crate::study) fn heavy_is_faster(evidence: &Evidence<'_>) -> Verdict {
    let ratio = |transport: &str| {
        let ratio = evidence.ratio("table-3", (transport, "light"), (transport, "heavy"));
        (format!("light by heavy, {transport}"), ratio)
    };
    Verdict::of_ratios(
        ["TLS", "UDP"].map(ratio),
        &MORE,
        "sessions after a long pause by those after a short one; theirs were 5 minutes and 1 second, 1.53 over TLS and 1.35 over UDP",
    )
}
