use super::arithmetic::Arithmetic;
use super::{At, Cell, Claimed, Evidence, Figure, Finding, SubjectName, Task, Unit, Verdict};

/// What is claimed of agents, and how to tell whether it holds for one.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Its name within the study.
    pub id: &'static str,
    /// The claim, in our words.
    pub text: &'static str,
    /// Where the paper makes it, or what it is about there.
    pub source: &'static str,
    /// How it is judged.
    pub judge: Judge,
}

impl Claim {
    /// Judges it by what was measured with one agent, as if it were the only claim.
    #[must_use]
    pub fn judge(&self, evidence: &Evidence<'_>) -> Verdict {
        match self.judge {
            Judge::Arithmetic { judge, claimed } => judge(evidence, claimed),
            Judge::NotTestable { because, figures } => {
                let mut verdict = Verdict::not_testable(because);
                verdict.findings = figures
                    .iter()
                    .filter_map(|one| one.find(evidence))
                    .collect();
                verdict
            }
            Judge::Figures { first, otherwise } => match (first.judge(evidence), otherwise) {
                (verdict, Some(others)) if !verdict.is_testable() => others.judge(evidence),
                (verdict, _) => verdict,
            },
        }
    }

    /// The figures that are to be within a range.
    pub(super) fn claimed_figures(&self) -> impl Iterator<Item = &'static ClaimedFigure> + use<> {
        let figures: [&'static [ClaimedFigure]; 2] = match self.judge {
            Judge::Figures { first, otherwise } => {
                let others = otherwise.map(|others| others.figures);
                [first.figures, others.unwrap_or_default()]
            }
            Judge::Arithmetic { .. } | Judge::NotTestable { .. } => [&[], &[]],
        };
        let figures = figures.into_iter().flatten();
        figures.filter(|one| one.claimed.is_some())
    }
}

/// How a claim is judged.
#[derive(Clone, Copy, Debug)]
pub enum Judge {
    /// Figures that are each claimed to be within a range.
    Figures {
        /// Which.
        first: ClaimedFigures,
        /// Those in their place if one of them was not measured.
        otherwise: Option<ClaimedFigures>,
    },
    /// Arithmetic of its own, with the ranges that it is held against.
    Arithmetic {
        /// The function.
        judge: Arithmetic,
        /// As many ranges as it wants.
        claimed: &'static [Claimed],
    },
    /// It cannot be judged here.
    NotTestable {
        /// Why.
        because: &'static str,
        /// What is shown all the same.
        figures: &'static [ClaimedFigure],
    },
}

/// Figures of a claim, all of which count.
#[derive(Clone, Copy, Debug)]
pub struct ClaimedFigures {
    /// What is compared, in a sentence.
    pub because: &'static str,
    /// The figures.
    pub figures: &'static [ClaimedFigure],
}

impl ClaimedFigures {
    /// There is no verdict without the first figure that counts. The verdict names the others that were not measured.
    fn judge(&self, evidence: &Evidence<'_>) -> Verdict {
        let mut findings: Vec<Finding> = Vec::new();
        let mut missing = Vec::new();
        for one in self.figures {
            match one.find(evidence) {
                Some(finding) => findings.push(finding),
                None if one.claimed.is_none() => {}
                None if findings.iter().all(|found| found.claimed.is_none()) => {
                    return Verdict::not_testable(format!("{} was not measured", one.what));
                }
                None => missing.push(one.what.as_str()),
            }
        }
        Verdict::of(findings, self.because_without(&missing))
    }

    fn because_without(&self, missing: &[&str]) -> String {
        match missing {
            [] => self.because.to_owned(),
            _ => format!("{}. Not measured: {}", self.because, missing.join(", ")),
        }
    }
}

/// A ratio of two cells of an experiment, or one cell, and what is claimed of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimedFigure {
    /// Its name.
    pub what: String,
    /// The experiment of the cells.
    pub experiment: String,
    /// The series and the place of the dividend.
    pub over: (String, At),
    /// With whose agent the dividend is measured, if not with the one that is judged.
    pub over_agent: Option<SubjectName>,
    /// Those of the divisor; `None` for a cell by itself.
    pub under: Option<(String, At)>,
    /// The unit.
    pub unit: Unit,
    /// The range in this unit; `None` if it is shown and does not count.
    pub claimed: Option<Claimed>,
}

impl ClaimedFigure {
    fn find(&self, evidence: &Evidence<'_>) -> Option<Finding> {
        let figure = self.measured(evidence)?.scaled(self.unit.factor());
        let mut finding = Finding::new(self.what.clone(), self.unit, figure);
        finding.claimed = self.claimed;
        Some(finding)
    }

    pub(super) fn measured(&self, evidence: &Evidence<'_>) -> Option<Figure> {
        let over = self.dividend(evidence)?;
        if self.under.is_none() {
            return evidence.of(over.1).figure_of_cell(over.0);
        }
        evidence.ratio_across(over, self.divisor(evidence)?)
    }

    /// The cell of the dividend, or the only one, with the agent that it is measured with.
    pub(super) fn dividend<'a>(&self, evidence: &Evidence<'a>) -> Option<(&'a Cell, SubjectName)> {
        let (series, at) = &self.over;
        let cell = evidence.cell(&self.experiment, series, at.clone())?;
        let agent = self.over_agent;
        Some((
            cell,
            agent.unwrap_or_else(|| subject_of(cell, evidence.subject())),
        ))
    }

    /// The cell of the divisor, if there is one.
    pub(super) fn divisor<'a>(&self, evidence: &Evidence<'a>) -> Option<(&'a Cell, SubjectName)> {
        let (series, at) = self.under.as_ref()?;
        let cell = evidence.cell(&self.experiment, series, at.clone())?;
        Some((cell, subject_of(cell, evidence.subject())))
    }
}

/// Virtual time has no agent: its figures count for each of them, under whose name they are recorded.
fn subject_of(cell: &Cell, judged: SubjectName) -> SubjectName {
    match cell.task {
        Task::Twin(_) => cell.subject.unwrap_or(judged),
        _ => judged,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Outcome, Scope, find, made_up};
    use super::*;

    fn claim(study: &str, id: &str) -> Claim {
        let mut claims = find(study).unwrap().all_claims();
        *claims.find(|claim| claim.id == id).unwrap()
    }

    /// The verdict where only some of the cells were measured with this agent.
    fn judged(
        (study, id): (&str, &str),
        subject: SubjectName,
        is_measured: impl Fn(&Cell) -> bool,
    ) -> Verdict {
        let experiments = find(study).unwrap().experiments(Scope::Quick);
        let mut measured = experiments.clone();
        for experiment in &mut measured {
            experiment.cells.retain(&is_measured);
        }
        let mut records = made_up::records(&measured);
        for record in &mut records {
            if !matches!(record.task, Task::Twin(_)) {
                record.subject = subject;
            }
        }
        let evidence = Evidence::new(&experiments, &records, subject, 1);
        claim(study, id).judge(&evidence)
    }

    #[test]
    fn a_claim_is_judged_by_the_figures_that_were_measured() {
        let named = ("gamess2021", "rsa-costs");
        let agent = SubjectName::NetSnmp;
        let all = judged(named, agent, |_| true);
        assert!(!all.because.contains("Not measured"), "{}", all.because);
        let without = |series: &str| judged(named, agent, |cell| !cell.series.starts_with(series));
        let partial = without("v3/TLS");
        assert_eq!((all.findings.len(), partial.findings.len()), (2, 1));
        assert!(partial.is_testable(), "{}", partial.because);
        let missing = ". Not measured: v3/TLS, RSA / v3/TLS, GetRequest";
        assert!(partial.because.ends_with(missing), "{}", partial.because);
        let none = without("v3/DTLS");
        assert_eq!(none.outcome, Outcome::NotTestable);
        assert!(none.because.ends_with("was not measured"));
    }

    #[test]
    fn figures_in_virtual_time_count_for_every_agent() {
        let named = ("hardaker2008", "timeout-decides");
        let verdict = judged(named, SubjectName::NetSnmp, |_| true);
        assert!(verdict.is_testable(), "{}", verdict.because);
        assert_eq!(verdict.findings.len(), 4, "{}", verdict.because);
    }
}
