use serde::{Deserialize, Serialize};

use super::rule::rules;
use super::{Claimed, Unit};
use crate::measurement::Estimate;
use crate::statistics::{count_needed, p_value};

/// A median, and how many values it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The median with its interval.
    pub estimate: Estimate,
    /// How many values.
    pub repetitions: u32,
    /// How many of them were measured while the machine had other things to do.
    pub disturbed: u32,
}

impl Figure {
    /// The same quantity in a unit that is `factor` times smaller.
    #[must_use]
    pub const fn scaled(self, factor: f64) -> Self {
        Self {
            estimate: self.estimate.scaled(factor),
            ..self
        }
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
    /// How many values it is made of.
    #[serde(default)]
    pub repetitions: u32,
    /// How many of them were measured while the machine had other things to do.
    #[serde(default, skip_serializing_if = "is_none")]
    pub disturbed: u32,
    /// What the claim wants it to be, in that unit, if it wants something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<Claimed>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_none(count: &u32) -> bool {
    *count == 0
}

impl Finding {
    /// One that decides nothing.
    pub fn new(what: impl Into<String>, unit: Unit, figure: Figure) -> Self {
        Self {
            what: what.into(),
            unit,
            value: figure.estimate,
            repetitions: figure.repetitions,
            disturbed: figure.disturbed,
            claimed: None,
        }
    }

    /// The same, claimed to be within a range, in its unit.
    #[must_use]
    pub const fn claimed(mut self, claimed: Claimed) -> Self {
        self.claimed = Some(claimed);
        self
    }

    pub(super) fn is_of_few(&self) -> bool {
        self.repetitions < rules().repetitions
    }

    pub(super) fn is_disturbed(&self) -> bool {
        f64::from(self.disturbed) > f64::from(self.repetitions) * rules().percent_disturbed / 100.0
    }

    /// The p-values of its being within the range, outside, and on the other side of 1.
    pub(super) fn p_values(&self, claimed: &Claimed) -> (f64, f64, f64) {
        if self.is_of_few() || self.is_disturbed() {
            return (1.0, 1.0, 1.0);
        }
        let p = |bound| self.p_of(bound);
        let Estimate { value, .. } = self.value;
        let contrary = match self.contrary(claimed) {
            Some(Contrary::Below(margin)) if value < margin => p(margin),
            Some(Contrary::Above(margin)) if value > margin => p(margin),
            _ => 1.0,
        };
        match claimed.end_before(value) {
            Some(bound) => (1.0, p(bound), contrary),
            None => (claimed.ends().map(p).fold(0.0, f64::max), 1.0, 1.0),
        }
    }

    /// From where on a ratio is on the other side than claimed.
    fn contrary(&self, claimed: &Claimed) -> Option<Contrary> {
        let margin = rules().percent_reversed / 100.0;
        if self.unit != Unit::Ratio {
            return None;
        }
        match claimed {
            Claimed {
                least: Some(least), ..
            } if *least > 1.0 => Some(Contrary::Below(1.0 - margin)),
            Claimed {
                most: Some(most), ..
            } if *most < 1.0 => Some(Contrary::Above(1.0 + margin)),
            _ => None,
        }
    }

    fn p_of(&self, bound: f64) -> f64 {
        match self.half_widths_to(bound) {
            // Without any spread there is no chance.
            None => 0.0,
            Some(distance) => p_value(distance, self.repetitions as usize),
        }
    }

    /// How many half-widths of its interval a bound is away; `None` if it has no width. Of what is positive, by factors.
    fn half_widths_to(&self, bound: f64) -> Option<f64> {
        let Estimate { value, low, high } = self.value;
        let end = if bound < value { low } else { high };
        if (end - value).abs() <= 0.0 {
            return None;
        }
        let are_positive = [value, low, bound].into_iter().all(|one| one > 0.0);
        Some(match are_positive {
            true => (bound / value).ln() / (end / value).ln(),
            false => (bound - value) / (end - value),
        })
    }

    pub(super) fn needed(&self, claimed: &Claimed, level: f64) -> f64 {
        let ends: Vec<f64> = match claimed.end_before(self.value.value) {
            Some(end) => vec![end],
            None => claimed.ends().collect(),
        };
        let needed = ends.into_iter().map(|end| {
            let distance = self.half_widths_to(end);
            distance.map_or(0.0, |distance| {
                count_needed(distance, self.repetitions as usize, level)
            })
        });
        needed.fold(0.0, f64::max)
    }
}

/// The values of a ratio that contradict its claim: those below a bound, or those above one.
enum Contrary {
    Below(f64),
    Above(f64),
}

impl Claimed {
    /// The end of the range that lies between it and a value outside.
    pub(super) fn end_before(&self, value: f64) -> Option<f64> {
        let below = self.least.filter(|least| value < *least);
        below.or(self.most.filter(|most| value > *most))
    }

    fn ends(&self) -> impl Iterator<Item = f64> {
        [self.least, self.most].into_iter().flatten()
    }
}
