use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::arithmetic::Arithmetic;
use super::{At, Evidence, Unit};
use crate::measurement::Estimate;

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
    /// Judges it by what was measured with one agent.
    #[must_use]
    pub fn judge(&self, evidence: &Evidence<'_>) -> Verdict {
        match self.judge {
            Judge::Arithmetic(judge) => judge(evidence),
            Judge::Ratios { because, ratios } => {
                let measured = ratios.iter().map(|ratio| {
                    let value = ratio.measured(evidence);
                    (ratio.what.clone(), value, ratio.claimed.clone())
                });
                Verdict::of_claimed_ratios(measured, because)
            }
        }
    }
}

/// How a claim is judged.
#[derive(Clone, Copy, Debug)]
pub enum Judge {
    /// Ratios of cells that are each claimed to be within a range.
    Ratios {
        /// What is compared, in a sentence.
        because: &'static str,
        /// The ratios.
        ratios: &'static [ClaimedRatio],
    },
    /// Arithmetic of its own.
    Arithmetic(Arithmetic),
}

/// A ratio of two cells of an experiment, and the range that it is claimed to be in.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimedRatio {
    /// Its name.
    pub what: String,
    /// The experiment of both cells.
    pub experiment: String,
    /// The series and the place of the dividend.
    pub over: (String, At),
    /// Those of the divisor.
    pub under: (String, At),
    /// The range.
    pub claimed: RangeInclusive<f64>,
}

impl ClaimedRatio {
    fn measured(&self, evidence: &Evidence<'_>) -> Option<Estimate> {
        let [over, under] =
            [&self.over, &self.under].map(|(series, at)| (series.as_str(), at.clone()));
        evidence.ratio(&self.experiment, over, under)
    }
}

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
    /// The interval reaches from what is claimed to what is not: more repetitions would tell.
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

    /// Whether what was measured tells something of the claim.
    #[must_use]
    pub const fn is_decided(self) -> bool {
        matches!(self, Self::Holds | Self::Changed | Self::Reversed)
    }

    /// What becomes of a claim that some figure is within a range. It holds if the whole interval is within the range, has
    /// changed if the whole interval is outside, and is undecided if the interval reaches across an end of the range: what was
    /// measured too coarsely neither holds nor has changed.
    #[must_use]
    pub fn of_figure(figure: Estimate, claimed: &RangeInclusive<f64>) -> Self {
        let is_within = figure.low >= *claimed.start() && figure.high <= *claimed.end();
        let is_outside = figure.high < *claimed.start() || figure.low > *claimed.end();
        match (is_within, is_outside) {
            (true, _) => Self::Holds,
            (_, true) => Self::Changed,
            (false, false) => Self::Undecided,
        }
    }

    /// The same of a ratio, where 1 has the range on one side: the claim is reversed if the whole interval is on the other.
    #[must_use]
    pub fn of_ratio(ratio: Estimate, claimed: &RangeInclusive<f64>) -> Self {
        let is_contrary = (*claimed.start() > 1.0 && ratio.high < 1.0)
            || (*claimed.end() < 1.0 && ratio.low > 1.0);
        match Self::of_figure(ratio, claimed) {
            Self::Changed if is_contrary => Self::Reversed,
            outcome => outcome,
        }
    }

    /// What becomes of a claim that is made of several, of those that can be tested. It holds if each of them does, and is
    /// reversed if some are and none holds or has changed. Otherwise one that has changed or is reversed tells that it is not so
    /// any more.
    #[must_use]
    pub fn of_all(outcomes: &[Self]) -> Self {
        let any = |outcome| outcomes.contains(&outcome);
        match (any(Self::Holds), any(Self::Changed), any(Self::Reversed)) {
            (false, false, true) => Self::Reversed,
            (_, false, false) if any(Self::Undecided) => Self::Undecided,
            (true, false, false) => Self::Holds,
            (false, false, false) => Self::NotTestable,
            _ => Self::Changed,
        }
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

/// What became of a claim, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// In a word.
    pub outcome: Outcome,
    /// In a sentence or two.
    pub because: String,
    /// The figures that it rests on.
    pub findings: Vec<Finding>,
}

impl Verdict {
    /// A verdict.
    pub fn new(outcome: Outcome, because: impl Into<String>) -> Self {
        Self {
            outcome,
            because: because.into(),
            findings: Vec::new(),
        }
    }

    /// What it needs was not measured.
    pub fn not_testable(because: impl Into<String>) -> Self {
        Self::new(Outcome::NotTestable, because)
    }

    /// A verdict on ratios, each of which has a name, that are all claimed to be within a range; not testable if one was not
    /// measured.
    pub fn of_ratios(
        ratios: impl IntoIterator<Item = (String, Option<Estimate>)>,
        claimed: &RangeInclusive<f64>,
        because: &str,
    ) -> Self {
        let ratios = ratios.into_iter();
        Self::of_claimed_ratios(
            ratios.map(|(what, ratio)| (what, ratio, claimed.clone())),
            because,
        )
    }

    /// The same where each ratio has a range of its own.
    pub fn of_claimed_ratios(
        ratios: impl IntoIterator<Item = (String, Option<Estimate>, RangeInclusive<f64>)>,
        because: &str,
    ) -> Self {
        let mut verdict = Self::new(Outcome::NotTestable, because);
        let mut outcomes = Vec::new();
        for (what, ratio, claimed) in ratios {
            let Some(ratio) = ratio else {
                return Self::not_testable(format!("{what} was not measured"));
            };
            outcomes.push(Outcome::of_ratio(ratio, &claimed));
            verdict = verdict.with_claimed(what, Unit::Ratio, ratio, &claimed);
        }
        verdict.outcome = Outcome::of_all(&outcomes);
        verdict
    }

    /// With a figure.
    #[must_use]
    pub fn with(self, what: impl Into<String>, unit: Unit, value: Estimate) -> Self {
        self.with_claimed(what, unit, value, &(f64::NEG_INFINITY..=f64::INFINITY))
    }

    /// With a figure that the claim wants to be within a range, in the same unit.
    #[must_use]
    pub fn with_claimed(
        mut self,
        what: impl Into<String>,
        unit: Unit,
        value: Estimate,
        claimed: &RangeInclusive<f64>,
    ) -> Self {
        self.findings.push(Finding {
            what: what.into(),
            unit,
            value,
            claimed: Claimed::of(claimed),
        });
        self
    }
}

/// A figure that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is.
    pub what: String,
    /// Its unit.
    pub unit: Unit,
    /// Its value, in that unit.
    pub value: Estimate,
    /// What the claim wants it to be, in that unit, if it wants something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<Claimed>,
}

/// The range that a claim wants a figure to be in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claimed {
    /// At least this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// At most this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
}

impl Claimed {
    /// `None` if the range leaves nothing out. Figures are not negative: a range from 0 has an upper end only.
    fn of(range: &RangeInclusive<f64>) -> Option<Self> {
        let least = Some(*range.start()).filter(|least| least.is_finite() && *least > 0.0);
        let most = Some(*range.end()).filter(|most| most.is_finite());
        (least.is_some() || most.is_some()).then_some(Self { least, most })
    }
}

impl fmt::Display for Claimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |bound: f64| (bound * 1000.0).round() / 1000.0;
        match (self.least.map(short), self.most.map(short)) {
            (Some(least), Some(most)) => write!(f, "{least} to {most}"),
            (Some(least), None) => write!(f, "{least} or more"),
            (None, Some(most)) => write!(f, "{most} or less"),
            (None, None) => f.write_str("anything"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_holds_changes_or_turns_round() {
        let ratio = |low, high| Estimate {
            value: f64::midpoint(low, high),
            low,
            high,
        };
        let claimed = 1.6..=4.3;
        for (low, high, outcome) in [
            (2.0, 2.1, Outcome::Holds),
            (1.6, 4.3, Outcome::Holds),
            (1.5, 1.7, Outcome::Undecided),
            (0.9, 1.7, Outcome::Undecided),
            (0.9, 9.0, Outcome::Undecided),
            (1.1, 1.2, Outcome::Changed),
            (5.0, 6.0, Outcome::Changed),
            (0.9, 1.1, Outcome::Changed),
            (0.4, 0.5, Outcome::Reversed),
        ] {
            assert_eq!(Outcome::of_ratio(ratio(low, high), &claimed), outcome);
        }
        let alike = 0.9..=1.1;
        for (low, high, outcome) in [
            (0.95, 1.0, Outcome::Holds),
            (0.5, 1.0, Outcome::Undecided),
            (0.95, 1.5, Outcome::Undecided),
            (1.2, 1.3, Outcome::Changed),
        ] {
            assert_eq!(Outcome::of_ratio(ratio(low, high), &alike), outcome);
        }
        let below = 0.5..=0.8;
        assert_eq!(
            Outcome::of_ratio(ratio(1.2, 1.3), &below),
            Outcome::Reversed
        );
        assert_eq!(
            Outcome::of_figure(ratio(1.2, 1.3), &below),
            Outcome::Changed
        );
    }

    #[test]
    fn the_parts_decide_together() {
        use Outcome::{Changed, Holds, NotTestable, Reversed, Undecided};
        for (parts, whole) in [
            (&[Holds, NotTestable][..], Holds),
            (&[Holds, Undecided], Undecided),
            (&[Undecided, Changed], Changed),
            (&[Reversed, Undecided], Reversed),
            (&[Reversed, Reversed], Reversed),
            (&[Holds, Reversed], Changed),
            (&[Changed, Reversed], Changed),
            (&[NotTestable], NotTestable),
            (&[], NotTestable),
        ] {
            assert_eq!(Outcome::of_all(parts), whole, "{parts:?}");
        }
    }

    #[test]
    fn figures_tell_what_is_claimed_of_them() {
        let told = |range| Claimed::of(&range).map(|claimed| claimed.to_string());
        assert_eq!(told(1.1..=1.4).as_deref(), Some("1.1 to 1.4"));
        assert_eq!(told(2.0..=f64::INFINITY).as_deref(), Some("2 or more"));
        assert_eq!(told(1.0..=8.0 / 7.0).as_deref(), Some("1 to 1.143"));
        assert_eq!(told(0.0..=1.2).as_deref(), Some("1.2 or less"));
        assert_eq!(told(f64::NEG_INFINITY..=f64::INFINITY), None);
    }
}
