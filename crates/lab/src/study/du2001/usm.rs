//! What the study claims of the user-based security model beside TLS.

use super::super::{Evidence, Verdict};
use super::claims::LESS;
use super::levels::LEVELS;
use crate::measurement::Estimate;

/// The sessions of Table 6.
const REQUESTS: [&str; 2] = ["get", "walk"];

/// The levels of Table 6.
const NONE: &str = LEVELS[0];
const AUTHENTICATED: &str = LEVELS[1];
const ENCRYPTED: &str = LEVELS[2];

/// Sessions of Table 6 with USM by those over TLS at a level of its own, in the same version and in SNMPv1.
fn usm_by_tls(
    evidence: &Evidence<'_>,
    (usm, level): (&'static str, &'static str),
    level_of_tls: &'static str,
) -> impl Iterator<Item = (String, Option<Estimate>)> {
    let pairs = REQUESTS.map(|name| ["v1/TLS", "v3/TLS"].map(|tls| (name, tls)));
    pairs.into_iter().flatten().map(move |(name, tls)| {
        let (over, under) = (format!("{name} {usm}"), format!("{name} {tls}"));
        let ratio = evidence.ratio("table-6", (&over, level), (&under, level_of_tls));
        (format!("{over} ({level}) by {tls} ({level_of_tls})"), ratio)
    })
}

/// The least level at which TLS was measured, and what is told of it.
fn least_level(evidence: &Evidence<'_>) -> (&'static str, &'static str) {
    let mut ratios = usm_by_tls(evidence, ("v3/UDP USM", AUTHENTICATED), AUTHENTICATED);
    if ratios.all(|(_, ratio)| ratio.is_some()) {
        (
            AUTHENTICATED,
            "TLS with integrity alone, which is the least that it has",
        )
    } else {
        let told = "TLS with integrity and privacy, as TLS with integrity alone was not measured";
        (ENCRYPTED, told)
    }
}

pub(in crate::study) fn usm_costs_more(evidence: &Evidence<'_>) -> Verdict {
    let (least, _) = least_level(evidence);
    let levels = LEVELS
        .into_iter()
        .filter(|level| *level == least || *level == ENCRYPTED);
    let ratios = levels.flat_map(|level| {
        ["v3/UDP USM", "v3/TCP USM"].map(|usm| usm_by_tls(evidence, (usm, level), level))
    });
    let because = if least == ENCRYPTED {
        "sessions with USM, authenticated and encrypted, keys made of passwords in each, by sessions over TLS with integrity and \
         privacy; TLS with integrity alone was not measured"
    } else {
        "sessions with USM, authenticated, and authenticated and encrypted, keys made of passwords in each, by sessions over TLS \
         with integrity alone, and with integrity and privacy"
    };
    Verdict::of_ratios(ratios.flatten(), &(1.63..=4.33), because)
}

pub(in crate::study) fn usm_is_structural(evidence: &Evidence<'_>) -> Verdict {
    let usm = ["v3/UDP USM, keys at hand", "v3/TCP USM, keys at hand"];
    Verdict::of_ratios(
        usm.map(|usm| usm_by_tls(evidence, (usm, ENCRYPTED), ENCRYPTED))
            .into_iter()
            .flatten(),
        &(1.63..=4.33),
        "sessions with USM, authenticated and encrypted, whose keys were made before, as in a manager that runs longer than one \
         command, by sessions over TLS with their handshake; what making keys takes is among the phases (Table 4)",
    )
}

pub(in crate::study) fn usm_without_security(evidence: &Evidence<'_>) -> Verdict {
    let (level, tls) = least_level(evidence);
    Verdict::of_ratios(
        usm_by_tls(evidence, ("v3/UDP USM", NONE), level),
        &LESS,
        &format!("sessions with USM without authentication and privacy by sessions over {tls}"),
    )
}

pub(in crate::study) fn usm_over_tcp_without_security(evidence: &Evidence<'_>) -> Verdict {
    let (level, tls) = least_level(evidence);
    Verdict::of_ratios(
        usm_by_tls(evidence, ("v3/TCP USM", NONE), level),
        &(0.89..=1.14),
        &format!("sessions with USM without authentication and privacy by sessions over {tls}"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::{
        Experiment, Observation, Outcome, Record, Scope, SubjectName, Task, find,
    };
    use super::*;
    use crate::measurement::TransportKind;

    /// Every task takes a while that grows with its exchanges; those over `left_out` were not done.
    fn records(experiments: &[Experiment], left_out: Option<TransportKind>) -> Vec<Record> {
        let cells = experiments.iter().flat_map(|one| &one.cells);
        let measured = cells.flat_map(|cell| {
            let over = cell.over.iter().map(|(task, measure)| (task, *measure));
            std::iter::once((&cell.task, cell.measure)).chain(over)
        });
        let records = measured.filter_map(|(task, measure)| {
            let Task::Sessions(sessions) = task else {
                return None;
            };
            let mut observation = Observation::default();
            observation.note(measure, 1000.0 + f64::from(sessions.exchanges));
            (Some(sessions.transport) != left_out).then(|| Record {
                task: task.clone(),
                subject: SubjectName::Varbind,
                round: 0,
                at: 0.0,
                observation,
            })
        });
        records.collect()
    }

    #[test]
    fn claims_are_judged_by_tls_with_integrity_alone_where_it_was_measured() {
        let study = find("du2001").unwrap();
        let experiments = (study.experiments)(Scope::Quick);
        let told = |left_out| {
            let records = records(&experiments, left_out);
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
