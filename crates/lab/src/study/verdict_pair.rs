//! The verdicts of two runs beside each other.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Outcome, Results, SubjectName};

/// The verdicts that two runs have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ComparedVerdicts {
    /// How many verdicts both have.
    pub count: usize,
    /// How many of them contradict each other: a claim holds in one run, and has changed or is reversed in the other.
    pub contradicting: usize,
    /// How many of them are decided in one run only.
    pub decided_once: usize,
    /// Those that differ.
    pub differing: Vec<VerdictPair>,
}

/// Two verdicts on a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerdictPair {
    /// The study.
    pub study: String,
    /// The claim.
    pub claim: String,
    /// Whose agent.
    pub subject: SubjectName,
    /// In the first run.
    pub first: Outcome,
    /// In the second.
    pub second: Outcome,
}

impl VerdictPair {
    /// Whether the claim holds in one run, and has changed or is reversed in the other.
    #[must_use]
    pub const fn contradicts(&self) -> bool {
        use Outcome::{Changed, Holds, Reversed};
        matches!(
            (self.first, self.second),
            (Holds, Changed | Reversed) | (Changed | Reversed, Holds)
        )
    }

    /// Whether the claim is decided in one run only.
    #[must_use]
    pub const fn is_decided_once(&self) -> bool {
        self.first.is_decided() != self.second.is_decided()
    }
}

impl ComparedVerdicts {
    pub(super) fn of(first: &Results, second: &Results) -> Self {
        let others: BTreeMap<_, _> = outcomes(second).into_iter().collect();
        let mut compared = Self::default();
        for (verdict, outcome) in outcomes(first) {
            if let Some(&other) = others.get(&verdict) {
                compared.add(verdict, outcome, other);
            }
        }
        compared
    }

    fn add(&mut self, (study, claim, subject): Named<'_>, first: Outcome, second: Outcome) {
        self.count += 1;
        if first == second {
            return;
        }
        let pair = VerdictPair {
            study: study.to_owned(),
            claim: claim.to_owned(),
            subject,
            first,
            second,
        };
        self.contradicting += usize::from(pair.contradicts());
        self.decided_once += usize::from(pair.is_decided_once());
        self.differing.push(pair);
    }
}

/// The study and the claim of a verdict, and its agent.
type Named<'a> = (&'a str, &'a str, SubjectName);

fn outcomes(results: &Results) -> Vec<(Named<'_>, Outcome)> {
    let mut outcomes = Vec::new();
    for study in &results.studies {
        for claim in study.all_claims() {
            let verdicts = claim.verdicts.iter();
            outcomes.extend(verdicts.map(|one| {
                let named = (study.name.as_str(), claim.id.as_str(), one.subject);
                (named, one.verdict.outcome)
            }));
        }
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::super::{Manifest, Notes, Scope, find};
    use super::*;
    use crate::environment::environment;
    use crate::process::Cores;

    /// The results of a run that measured nothing, with these outcomes of the first claims.
    fn results(outcomes: &[Outcome]) -> Results {
        let environment = environment(&Cores::available().unwrap(), 1);
        let (studies, subjects) = ([find("du2001").unwrap()], [SubjectName::Varbind]);
        let manifest = Manifest::of_studies(&studies, Scope::Quick, &subjects, environment);
        let mut results = Results::of_notes(&Notes::of_manifest(manifest));
        for (claim, outcome) in results.studies[0].claims.iter_mut().zip(outcomes) {
            claim.verdicts[0].verdict.outcome = *outcome;
        }
        results
    }

    #[test]
    fn verdicts_that_differ_are_counted_by_what_they_say() {
        use Outcome::{Changed, Holds, Reversed, Undecided};
        let first = results(&[Holds, Reversed, Holds, Undecided, Changed, Holds]);
        let second = results(&[Changed, Holds, Undecided, Reversed, Reversed, Holds]);
        let compared = ComparedVerdicts::of(&first, &second);
        assert_eq!(compared.count, first.studies[0].all_claims().count());
        assert_eq!((compared.contradicting, compared.decided_once), (2, 2));
        assert_eq!(compared.differing.len(), 5);
        let pair = &compared.differing[0];
        assert_eq!(pair.claim, first.studies[0].claims[0].id);
        assert_eq!((pair.first, pair.second), (Holds, Changed));
        let same = ComparedVerdicts::of(&first, &first);
        assert!(same.differing.is_empty());
        let written = serde_json::to_value(&compared).unwrap();
        assert_eq!(written["differing"][3]["second"], "reversed");
    }

    #[test]
    fn verdicts_of_one_run_only_are_not_compared() {
        let first = results(&[Outcome::Holds]);
        let mut second = first.clone();
        second.studies[0].claims.remove(0);
        let compared = ComparedVerdicts::of(&first, &second);
        assert_eq!(compared.count, second.studies[0].all_claims().count());
        second.studies.clear();
        let compared = ComparedVerdicts::of(&first, &second);
        assert_eq!(compared, ComparedVerdicts::default());
    }
}
