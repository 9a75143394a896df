use super::arithmetic::Arithmetic;
use super::{At, Claimed, Evidence, Figure, Finding, SubjectName, Unit, Verdict};

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
    fn judge(&self, evidence: &Evidence<'_>) -> Verdict {
        let mut findings = Vec::new();
        for one in self.figures {
            match one.find(evidence) {
                Some(finding) => findings.push(finding),
                None if one.claimed.is_none() => {}
                None => return Verdict::not_testable(format!("{} was not measured", one.what)),
            }
        }
        Verdict::of(findings, self.because)
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
        let subject = evidence.subject();
        let (series, at) = &self.over;
        let over = evidence.cell(&self.experiment, series, at.clone())?;
        let over = (over, self.over_agent.unwrap_or(subject));
        let Some((series, at)) = &self.under else {
            return evidence.of(over.1).figure_of_cell(over.0);
        };
        let under = evidence.cell(&self.experiment, series, at.clone())?;
        evidence.ratio_across(over, (under, subject))
    }
}
