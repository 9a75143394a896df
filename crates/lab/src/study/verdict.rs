use std::fmt;

use serde::{Deserialize, Serialize};

use super::rule::rules;
use super::{Claimed, Figure, Finding, Unit};

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is so today.
    Holds,
    /// It is not so today, and it is not the other way round either.
    Changed,
    /// It is the other way round.
    Reversed,
    /// What was measured does not tell.
    Undecided,
    /// What it needs was not measured, or cannot be measured here.
    NotTestable,
}

impl Outcome {
    /// All of them, the best first.
    pub const ALL: [Self; 5] = [
        Self::Holds,
        Self::Changed,
        Self::Reversed,
        Self::Undecided,
        Self::NotTestable,
    ];

    /// Whether the measurement decides the claim.
    #[must_use]
    pub const fn is_decided(self) -> bool {
        matches!(self, Self::Holds | Self::Changed | Self::Reversed)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Holds => "holds",
            Self::Changed => "changed",
            Self::Reversed => "reversed",
            Self::Undecided => "undecided",
            Self::NotTestable => "not testable here",
        })
    }
}

/// Why a verdict is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// There are too few values.
    FewValues,
    /// Too many of the values are those of a busy machine.
    BusyMachine,
    /// An interval reaches across an end of what is claimed.
    WideInterval,
    /// It would be decided if it were the only claim, but not among so many.
    ManyClaims,
}

/// What became of a claim, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// In a word.
    pub outcome: Outcome,
    /// In a sentence or two.
    pub because: String,
    /// The figures that it rests on.
    pub findings: Vec<Finding>,
    /// Why it is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// How many repetitions it would take to decide it in four of five runs, if it is undecided; `None` for more than
    /// [`MOST_REPETITIONS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetitions_needed: Option<u32>,
}

/// A claim that needs more repetitions than this cannot be decided here: a figure lies at an end of the claimed range.
pub const MOST_REPETITIONS: u32 = 10_000;

impl Verdict {
    /// What it needs was not measured.
    pub fn not_testable(because: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::NotTestable,
            because: because.into(),
            findings: Vec::new(),
            doubt: None,
            repetitions_needed: None,
        }
    }

    /// A verdict on figures, of which those with a range are each claimed to be within it. As if it were the only claim: see
    /// [`Self::judge_at`].
    pub fn of(findings: Vec<Finding>, because: impl Into<String>) -> Self {
        let mut verdict = Self {
            findings,
            ..Self::not_testable(because)
        };
        verdict.judge_at(rules().percent_wrong / 100.0);
        verdict
    }

    /// A verdict on ratios, each of which has a name, that are all claimed to be within the first of these ranges; not testable if one
    /// was not measured.
    pub(super) fn of_ratios(
        ratios: impl IntoIterator<Item = (String, Option<Figure>)>,
        claimed: &[Claimed],
        because: &str,
    ) -> Self {
        let mut findings = Vec::new();
        for (what, ratio) in ratios {
            let Some(ratio) = ratio else {
                return Self::not_testable(format!("{what} was not measured"));
            };
            let mut finding = Finding::new(what, Unit::Ratio, ratio);
            finding.claimed = claimed.first().copied();
            findings.push(finding);
        }
        Self::of(findings, because)
    }

    /// Whether there is something to judge.
    #[must_use]
    pub fn is_testable(&self) -> bool {
        self.outcome != Outcome::NotTestable
    }

    /// The least level of significance at which it is decided.
    #[must_use]
    pub fn p_value(&self) -> f64 {
        let parts = Parts::of(&self.findings);
        parts.reversed.min(parts.changed).min(parts.holds)
    }

    /// Decides it again, with at most this probability of error.
    pub fn judge_at(&mut self, level: f64) {
        let parts = Parts::of(&self.findings);
        self.outcome = match parts {
            Parts { count: 0, .. } => Outcome::NotTestable,
            _ if parts.reversed <= level => Outcome::Reversed,
            _ if parts.changed <= level => Outcome::Changed,
            _ if parts.holds <= level => Outcome::Holds,
            _ => Outcome::Undecided,
        };
        (self.doubt, self.repetitions_needed) = match self.outcome {
            Outcome::Undecided => (Some(self.doubt_at(level)), self.needed(level)),
            _ => (None, None),
        };
    }

    /// Why it is undecided, and what it takes to decide it, in a few words.
    #[must_use]
    pub fn doubt_in_words(&self) -> Option<String> {
        let needed = self.repetitions_needed.map_or_else(
            || format!("more than {MOST_REPETITIONS} repetitions: a figure lies at an end of the claimed range"),
            |needed| format!("about {needed} repetitions"),
        );
        Some(match self.doubt? {
            Doubt::FewValues => format!("fewer than {} repetitions", rules().repetitions),
            Doubt::BusyMachine => "the machine was busy".to_owned(),
            Doubt::WideInterval => format!("needs {needed}"),
            Doubt::ManyClaims => {
                format!("needs {needed}: decided by itself, not among so many claims")
            }
        })
    }

    fn doubt_at(&self, level: f64) -> Doubt {
        let mut judged = self.findings.iter().filter(|one| one.claimed.is_some());
        if judged.clone().any(Finding::is_of_few) {
            return Doubt::FewValues;
        }
        if judged.any(Finding::is_disturbed) {
            return Doubt::BusyMachine;
        }
        match self.p_value() <= rules().percent_wrong / 100.0 && level < self.p_value() {
            true => Doubt::ManyClaims,
            false => Doubt::WideInterval,
        }
    }

    /// The repetitions that it takes: of figures that are all where they are claimed to be, those of the least certain; else
    /// those of the most certain one that is not.
    fn needed(&self, level: f64) -> Option<u32> {
        let judged = self.findings.iter();
        let judged = judged.filter_map(|one| Some((one, one.claimed?)));
        let (inside, outside): (Vec<_>, Vec<_>) =
            judged.partition(|(one, claimed)| claimed.end_before(one.value.value).is_none());
        let count = (inside.len() + outside.len()) as f64;
        let least = f64::from(rules().repetitions);
        let of =
            |(one, claimed): &(&Finding, Claimed), level| one.needed(claimed, level).max(least);
        let needed = match outside.as_slice() {
            [] => inside
                .iter()
                .map(|one| of(one, level))
                .fold(least, f64::max),
            _ => {
                let needed = outside.iter().map(|one| of(one, level / count));
                needed.fold(f64::INFINITY, f64::min)
            }
        };
        (needed <= f64::from(MOST_REPETITIONS)).then(|| needed.ceil() as u32)
    }
}

/// The levels of significance at which a claim of several figures holds, has changed and is reversed. It holds if each figure is
/// within its range, and is reversed if each is on the other side: both are tests of an intersection, so that the worst p-value
/// counts. It has changed if any figure is outside: of several, the chance is several times as large.
struct Parts {
    count: usize,
    holds: f64,
    changed: f64,
    reversed: f64,
}

impl Parts {
    fn of(findings: &[Finding]) -> Self {
        let mut parts = Self {
            count: 0,
            holds: 0.0,
            changed: 1.0,
            reversed: 0.0,
        };
        for (finding, claimed) in findings.iter().filter_map(|one| Some((one, one.claimed?))) {
            parts.count += 1;
            let (within, outside, contrary) = finding.p_values(&claimed);
            parts.holds = parts.holds.max(within);
            parts.changed = parts.changed.min(outside);
            parts.reversed = parts.reversed.max(contrary);
        }
        parts.changed = (parts.changed * parts.count as f64).min(1.0);
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Estimate;

    fn ratio(low: f64, high: f64, repetitions: u32) -> Finding {
        let estimate = Estimate {
            value: (low * high).sqrt(),
            low,
            high,
        };
        let figure = Figure {
            estimate,
            sign_test: None,
            repetitions,
            disturbed: 0,
            cut: 0,
        };
        Finding::new("a ratio", Unit::Ratio, figure)
    }

    fn outcome(parts: &[(f64, f64)], claimed: Claimed) -> Outcome {
        let findings = parts.iter();
        let findings = findings.map(|(low, high)| ratio(*low, *high, 30).claimed(claimed));
        Verdict::of(findings.collect(), "so").outcome
    }

    #[test]
    fn a_ratio_holds_changes_or_turns_round() {
        use Outcome::{Changed, Holds, Reversed, Undecided};
        let size = Claimed::between(1.6, 4.3);
        let alike = Claimed::between(0.9, 1.1);
        for (claimed, low, high, expected) in [
            (size, 2.0, 2.1, Holds),
            (size, 1.7, 4.2, Holds),
            (size, 1.5, 1.7, Undecided),
            (size, 0.9, 9.0, Undecided),
            (size, 1.1, 1.2, Changed),
            (size, 5.0, 6.0, Changed),
            (size, 0.4, 0.5, Reversed),
            (alike, 0.95, 1.0, Holds),
            (alike, 0.5, 1.0, Undecided),
            (alike, 1.2, 1.3, Changed),
            (Claimed::MORE, 1.001, 1.002, Holds),
            // On the other side, and not by much.
            (Claimed::MORE, 0.96, 0.98, Changed),
            (Claimed::MORE, 0.9, 0.94, Reversed),
            (Claimed::LESS, 1.06, 1.3, Reversed),
            (Claimed::LESS, 1.04, 1.3, Changed),
            (Claimed::LESS, 0.98, 1.02, Undecided),
            // What has no spread: octets.
            (Claimed::MORE, 1.0, 1.0, Changed),
            (alike, 1.0, 1.0, Holds),
        ] {
            assert_eq!(outcome(&[(low, high)], claimed), expected, "{low} {high}");
        }
        let difference = Finding {
            unit: Unit::Octets,
            ..ratio(0.5, 0.6, 30)
        };
        let verdict = Verdict::of(vec![difference.claimed(Claimed::MORE)], "so");
        assert_eq!(verdict.outcome, Changed);
    }

    #[test]
    fn the_parts_decide_together() {
        use Outcome::{Changed, Holds, NotTestable, Reversed, Undecided};
        let (more, alike, less) = ((1.5, 1.6), (0.95, 1.1), (0.5, 0.6));
        for (parts, expected) in [
            (&[more, more][..], Holds),
            (&[more, alike], Undecided),
            (&[more, less], Changed),
            (&[less, less], Reversed),
            (&[less, alike], Changed),
            (&[], NotTestable),
        ] {
            assert_eq!(outcome(parts, Claimed::MORE), expected, "{parts:?}");
        }
    }

    #[test]
    fn few_values_and_those_of_a_busy_machine_give_no_verdict() {
        let few = Verdict::of(vec![ratio(2.0, 2.0, 5).claimed(Claimed::MORE)], "so");
        assert_eq!(few.outcome, Outcome::Undecided);
        assert_eq!(
            (few.doubt, few.repetitions_needed),
            (Some(Doubt::FewValues), Some(6))
        );
        let disturbed = |disturbed| {
            let finding = Finding {
                disturbed,
                ..ratio(2.0, 2.1, 10)
            };
            Verdict::of(vec![finding.claimed(Claimed::MORE)], "so")
        };
        assert_eq!(disturbed(2).outcome, Outcome::Holds);
        assert_eq!(disturbed(3).doubt, Some(Doubt::BusyMachine));
    }

    #[test]
    fn undecided_verdicts_tell_the_repetitions_that_they_need() {
        let of = |low, high| {
            let verdict = Verdict::of(vec![ratio(low, high, 30).claimed(Claimed::MORE)], "so");
            assert_eq!(verdict.doubt, Some(Doubt::WideInterval));
            verdict.repetitions_needed
        };
        assert!(of(0.99, 1.2).is_some_and(|needed| (60..120).contains(&needed)));
        assert!(of(0.9, 1.2) > of(0.99, 1.2));
        assert_eq!(of(0.95, 1.0 / 0.95), None);
        // That it is more would be decided soon, that it is alike would not.
        let both = Verdict::of(
            vec![
                ratio(0.99, 1.2, 30).claimed(Claimed::MORE),
                ratio(1.0, 1.19, 30).claimed(Claimed::between(0.9, 1.1)),
            ],
            "so",
        );
        assert!(both.repetitions_needed.is_none_or(|needed| needed > 1000));
    }

    #[test]
    fn many_claims_take_more_certainty() {
        let mut verdict = Verdict::of(vec![ratio(1.01, 1.5, 30).claimed(Claimed::MORE)], "so");
        assert_eq!(verdict.outcome, Outcome::Holds);
        verdict.judge_at(0.0003);
        assert_eq!(verdict.outcome, Outcome::Undecided);
        assert_eq!(verdict.doubt, Some(Doubt::ManyClaims));
        assert!(verdict.repetitions_needed.is_some_and(|needed| needed > 60));
        let mut clear = Verdict::of(vec![ratio(2.0, 2.1, 30).claimed(Claimed::MORE)], "so");
        clear.judge_at(0.0003);
        assert_eq!(clear.outcome, Outcome::Holds);
    }
}
