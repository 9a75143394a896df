//! Du, Shayman and Rozenblit (2001), SNMP over TLS over TCP: the claims whose arithmetic is their own. All else is in the file of the study.

use super::{Cell, Claimed, Evidence, Figure, Finding, Unit, Verdict};
use crate::statistics::median;

/// The lengths of Table 2.
const LENGTHS: [u32; 8] = [5, 20, 50, 100, 500, 1000, 1500, 2000];
/// Messages of the sessions of Table 5.
const MESSAGES: u32 = 34;

const NOT_MEASURED: &str = "the sessions that it compares were not measured";

/// What TLS adds to each exchange, as a part of a session of this length.
fn security_share(
    evidence: &Evidence<'_>,
    length: u32,
    claimed: &[Claimed],
    because: &str,
) -> Verdict {
    let (shortest, longest) = (LENGTHS[0], LENGTHS[LENGTHS.len() - 1]);
    let cell = |series: &str, at: u32| evidence.cell("table-2", series, at);
    let cells = [
        cell("secure TLS", longest),
        cell("secure TLS", shortest),
        cell("TCP", longest),
        cell("TCP", shortest),
        cell("secure TLS", length),
    ];
    let share = evidence.of_all(cells, |values| {
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
    let what = format!("share of a session of {length} messages");
    let mut finding = Finding::new(what, Unit::Percent, share.scaled(100.0));
    finding.claimed = claimed.first().map(|claimed| claimed.scaled(100.0));
    Verdict::of(vec![finding], because)
}

pub(super) fn security_share_short(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    security_share(
        evidence,
        LENGTHS[0],
        claimed,
        "what each message costs more over TLS than over TCP, without the handshake, by the time of a session of 5 messages. \
         In their Table 2 it is 5 %; the 8.53 % of a get are by the time of a session without security",
    )
}

pub(super) fn security_share_long(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    security_share(
        evidence,
        LENGTHS[LENGTHS.len() - 1],
        claimed,
        "what each message costs more over TLS than over TCP, without the handshake, by the time of a session of 2000 messages. \
         In their Table 2, what sessions of 500 messages and more take longer with security than without is 11 to 14 % of them",
    )
}

pub(super) fn model(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let (few, many) = (LENGTHS[0], LENGTHS[LENGTHS.len() - 1]);
    let middle = LENGTHS[3];
    let cell = |series: &str, at: u32| evidence.cell("table-2", series, at);
    let cells = [few, many, middle]
        .into_iter()
        .flat_map(|length| [cell("secure TLS", length), cell("UDP", length)]);
    let agreement = evidence.of_all(cells, |values| {
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
        [("model / measurement".to_owned(), agreement)],
        claimed,
        "the difference at 100 messages as the model tells it from those at 5 and 2000, by the one that was measured",
    )
}

/// The first message by the median of the later ones, with the cells of a transport in Table 5.
fn first_by_later(evidence: &Evidence<'_>, transport: &str) -> Option<Figure> {
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

/// The ranges are for TLS and for UDP.
pub(super) fn first_message(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let mut findings = Vec::new();
    for (transport, claimed) in ["TLS", "UDP"].into_iter().zip(claimed) {
        let Some(ratio) = first_by_later(evidence, transport) else {
            return Verdict::not_testable(NOT_MEASURED);
        };
        let what = format!("first / later messages over {transport}");
        findings.push(Finding::new(what, Unit::Ratio, ratio).claimed(*claimed));
    }
    Verdict::of(
        findings,
        "the time of the first message by the median of the 33 that follow in the same session",
    )
}

pub(super) fn each_message(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let cells = messages(evidence, &["TLS", "UDP"]).unwrap_or_default();
    let ratio = evidence.of_rounds(&cells, |values| {
        let (tls, udp) = values.split_at_checked(MESSAGES as usize)?;
        Some(median(tls.get(1..)?)? / median(udp.get(1..)?)?)
    });
    Verdict::of_ratios(
        [("TLS / UDP, each message".to_owned(), ratio)],
        claimed,
        "the median of the messages after the first over TLS, with all its security, by that over UDP",
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Outcome, Scope, SubjectName, Task, find, made_up};
    use super::*;
    use crate::measurement::TransportKind;

    #[test]
    fn claims_are_judged_by_tls_with_integrity_alone_where_it_was_measured() {
        let study = find("du2001").unwrap();
        let experiments = study.experiments(Scope::Quick);
        let told = |left_out: Option<TransportKind>| {
            let mut records = made_up::records(&experiments);
            records.retain(|record| match &record.task {
                Task::Sessions(task) => Some(task.transport) != left_out,
                _ => true,
            });
            let evidence = Evidence::new(&experiments, &records, SubjectName::Varbind, 1);
            let judged = study.all_claims().map(|claim| {
                let verdict = claim.judge(&evidence);
                (claim.id, verdict.outcome, verdict.because)
            });
            judged.collect::<Vec<_>>()
        };
        let of_least = [
            "set-up-amortised",
            "ratio-falls",
            "ratio-levels-off",
            "usm-costs-more",
            "usm-without-security-is-fast",
            "usm-over-tcp-is-alike",
        ];
        for (id, outcome, because) in told(None) {
            assert_ne!(outcome, Outcome::NotTestable, "{id}: {because}");
            if of_least.contains(&id) {
                assert!(because.contains("with integrity alone"), "{id}: {because}");
                assert!(!because.contains("was not measured"), "{id}: {because}");
            }
        }
        for (id, outcome, because) in told(Some(TransportKind::IntegrityOnlyTls)) {
            assert_eq!(
                outcome == Outcome::NotTestable,
                id == "privacy-alone",
                "{id}: {because}"
            );
            let tells = because.contains("integrity alone was not measured");
            assert_eq!(tells, of_least.contains(&id), "{id}: {because}");
        }
    }
}
