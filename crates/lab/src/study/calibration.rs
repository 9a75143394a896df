//! The A/A test: two copies of one agent, whose ratios are 1 in truth. How often intervals miss that is how far verdicts can be trusted.

use super::{Claimed, Evidence, Figure, Finding, Unit, Verdict};
use crate::measurement::Estimate;
use crate::statistics::median_interval;

/// What both copies are asked.
const KINDS: [&str; 5] = [
    "v2c over UDP",
    "v2c over TCP",
    "v3 USM over UDP",
    "v3 over TLS",
    "v3 over DTLS",
];

const COPIES: [&str; 2] = ["first copy", "second copy"];

/// Ratios in an interval: as many as tasks have repetitions, in a look and in a full run.
const FEW: usize = 6;
const MANY: usize = 30;

/// How many of the intervals of groups of ratios have 1.
pub(super) fn coverage(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let mut counts = Vec::new();
    for kind in KINDS {
        let of_copy = |copy| {
            evidence
                .cell("copies", copy, kind)
                .map(|cell| evidence.of_cell(cell))
        };
        let [Some(first), Some(second)] = COPIES.map(of_copy) else {
            continue;
        };
        let ratios: Vec<f64> = first
            .iter()
            .filter_map(|(round, value)| {
                let mut others = second.iter();
                let (_, other) = others.find(|(other, _)| other == round)?;
                Some(value / other)
            })
            .collect();
        if let Some(count) = count(&ratios) {
            counts.push((kind, count));
        }
    }
    let sum = |pick: fn(&(&str, (u32, u32))) -> u32| counts.iter().map(pick).sum::<u32>();
    let all = (sum(|one| one.1.0), sum(|one| one.1.1));
    if all.1 == 0 {
        return Verdict::not_testable("two copies were not measured");
    }
    let mut findings = vec![judged(all, claimed), finding("all", all)];
    findings.extend(counts.into_iter().map(|(kind, count)| finding(kind, count)));
    Verdict::of(
        findings,
        "the part of the intervals that have 1.00: its value is judged, and stands below with its own interval (Wilson, 1927)",
    )
}

/// The share itself is claimed to be within the range, whatever its interval.
fn judged(all: (u32, u32), claimed: &[Claimed]) -> Finding {
    let mut whole = finding("all, the value", all);
    let Estimate { value, .. } = whole.value;
    whole.value = Estimate {
        value,
        low: value,
        high: value,
    };
    whole.claimed = claimed.first().map(|claimed| claimed.scaled(100.0));
    whole
}

/// How many groups of ratios there are whose interval has 1, and how many in all.
fn count(ratios: &[f64]) -> Option<(u32, u32)> {
    let size = match ratios.len() {
        0..FEW => return None,
        few if few < 10 * MANY => FEW,
        _ => MANY,
    };
    let groups = ratios.chunks_exact(size).filter_map(median_interval);
    let covers = |one: &Estimate| one.low <= 1.0 && 1.0 <= one.high;
    let all: Vec<bool> = groups.map(|one| covers(&one)).collect();
    let covered = all.iter().filter(|covers| **covers).count();
    Some((covered as u32, all.len() as u32))
}

fn finding(what: &str, (covered, all): (u32, u32)) -> Finding {
    let figure = Figure {
        estimate: wilson(covered, all),
        sign_test: None,
        repetitions: all,
        disturbed: 0,
        cut: 0,
    };
    Finding::new(
        format!("{what}, {covered} of {all} intervals"),
        Unit::Percent,
        figure.scaled(100.0),
    )
}

/// A share with its 95 % score interval.
fn wilson(covered: u32, all: u32) -> Estimate {
    const Z: f64 = 1.96;
    let n = f64::from(all);
    let share = f64::from(covered) / n;
    let middle = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let variance = share * (1.0 - share) / n + Z * Z / (4.0 * n * n);
    let reach = Z * variance.sqrt() / (1.0 + Z * Z / n);
    Estimate {
        value: share,
        low: (middle - reach).max(0.0),
        high: (middle + reach).min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Measure, Observation, Outcome, Record, Scope, SubjectName, find};
    use super::*;
    use crate::statistics::Random;

    #[test]
    fn shares_have_their_score_intervals() {
        let share = wilson(950, 1000);
        assert!((share.low - 0.9347).abs() < 1e-4 && (share.high - 0.9619).abs() < 1e-4);
        assert_eq!(wilson(10, 10).high, 1.0);
    }

    /// Of two copies that differ by noise alone, or by this factor besides.
    fn verdicts(factor: f64) -> Vec<Verdict> {
        let study = find("calibration").unwrap();
        let experiments = study.experiments(Scope::Full);
        let mut random = Random::new(3);
        let mut records = Vec::new();
        for cell in &experiments[0].cells {
            let is_second = cell.series == COPIES[1];
            for round in 0..1800 {
                let noise = 1.0 + random.below(1000) as f64 * 1e-4;
                let value = 20.0 * noise * if is_second { factor } else { 1.0 };
                let mut observation = Observation::default();
                observation.note(Measure::ResponseTime, value);
                records.push(Record {
                    task: cell.task.clone(),
                    subject: SubjectName::Varbind,
                    round,
                    at: 0.0,
                    observation,
                });
            }
        }
        let evidence = Evidence::new(&experiments, &records, SubjectName::Varbind, 1);
        study
            .all_claims()
            .map(|claim| claim.judge(&evidence))
            .collect()
    }

    #[test]
    fn the_share_is_judged_by_its_value() {
        let range = [Claimed::between(0.94, 0.96)];
        let outcome = |covered| Verdict::of(vec![judged((covered, 100), &range)], "so").outcome;
        for covered in 94..=96 {
            assert_eq!(outcome(covered), Outcome::Holds, "{covered}");
        }
        for covered in [90, 93, 97, 100] {
            assert_eq!(outcome(covered), Outcome::Changed, "{covered}");
        }
    }

    #[test]
    fn copies_that_differ_by_noise_are_alike_and_others_are_found_out() {
        let [coverage, alike] = verdicts(1.0).try_into().unwrap();
        let share = coverage.findings[0].value.value;
        assert!((92.0..=98.0).contains(&share), "{share}");
        let interval = coverage.findings[1].value;
        assert!(interval.low < share && share < interval.high);
        assert_eq!(alike.outcome, Outcome::Holds);
        let [coverage, alike] = verdicts(1.05).try_into().unwrap();
        assert_eq!(coverage.outcome, Outcome::Changed);
        assert!(coverage.findings[0].what.ends_with("of 300 intervals"));
        assert_eq!(alike.outcome, Outcome::Changed);
    }
}
