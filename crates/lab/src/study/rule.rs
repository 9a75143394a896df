//! The rule by which claims become ranges and figures become verdicts: `studies/rules.toml`.

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// The rule that holds for all studies.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Fewer values give no verdict.
    pub repetitions: u32,
    /// How many of a hundred runs may have a wrong verdict.
    pub percent_wrong: f64,
    /// How many of a hundred values may be those of a busy machine.
    pub percent_disturbed: f64,
    /// How far from 1 ratios are that are alike.
    pub percent_alike: f64,
    /// How far beyond 1 a ratio is that is reversed.
    pub percent_reversed: f64,
    /// The factors within which a published size is met.
    pub size: [f64; 2],
}

#[expect(
    clippy::expect_used,
    reason = "the file is a part of the program, and a test reads it"
)]
static RULES: LazyLock<Rules> = LazyLock::new(|| {
    toml::from_str(include_str!("../../studies/rules.toml")).expect("rules.toml is TOML")
});

/// The rule.
#[must_use]
pub fn rules() -> &'static Rules {
    &RULES
}

/// What the file of a study says that a figure is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum ClaimEntryRange {
    Word(Word),
    Size { size: f64 },
    Sizes { sizes: [f64; 2] },
    PercentMore { percent_more: f64 },
    Least { least: f64 },
    Most { most: f64 },
}

/// Claims without a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Word {
    More,
    Less,
    Alike,
    NoMore,
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
    /// A direction: more than the other.
    pub(super) const MORE: Self = Self::least(1.0_f64.next_up());
    /// A direction: less than the other.
    pub(super) const LESS: Self = Self::most(1.0_f64.next_down());

    pub(super) const fn least(least: f64) -> Self {
        Self {
            least: Some(least),
            most: None,
        }
    }

    pub(super) const fn most(most: f64) -> Self {
        Self {
            least: None,
            most: Some(most),
        }
    }

    pub(super) const fn between(least: f64, most: f64) -> Self {
        Self {
            least: Some(least),
            most: Some(most),
        }
    }

    /// A published size, which is never met on the other side of 1.
    pub(super) fn size(size: f64) -> Self {
        let [least, most] = RULES.size.map(|factor| size * factor);
        match size {
            _ if size > 1.0 && least <= 1.0 => Self::between(1.0_f64.next_up(), most),
            _ if size < 1.0 && most >= 1.0 => Self::between(least, 1.0_f64.next_down()),
            _ => Self::between(least, most),
        }
    }

    /// The same range in a unit that is `factor` times smaller.
    pub(super) fn scaled(self, factor: f64) -> Self {
        Self {
            least: self.least.map(|least| least * factor),
            most: self.most.map(|most| most * factor),
        }
    }

    /// `None` if no value is in it.
    pub(super) fn read(entry: &ClaimEntryRange) -> Option<Self> {
        let alike = RULES.percent_alike / 100.0;
        let claimed = match *entry {
            ClaimEntryRange::Word(Word::More) => Self::MORE,
            ClaimEntryRange::Word(Word::Less) => Self::LESS,
            ClaimEntryRange::Word(Word::Alike) => Self::between(1.0 - alike, 1.0 + alike),
            ClaimEntryRange::Word(Word::NoMore) => Self::most(1.0 + alike),
            ClaimEntryRange::Size { size } => Self::size(size),
            ClaimEntryRange::Sizes {
                sizes: [least, most],
            } => Self::between(least, most),
            ClaimEntryRange::PercentMore { percent_more } => {
                let [least, most] = RULES.size.map(|factor| 1.0 + percent_more / 100.0 * factor);
                Self::between(least, most)
            }
            ClaimEntryRange::Least { least } => Self::least(least),
            ClaimEntryRange::Most { most } => Self::most(most),
        };
        let ends = [claimed.least, claimed.most];
        let is_number = ends.into_iter().flatten().all(f64::is_finite);
        let is_ordered = match claimed {
            Self {
                least: Some(least),
                most: Some(most),
            } => least <= most,
            _ => true,
        };
        (is_number && is_ordered).then_some(claimed)
    }
}

impl fmt::Display for Claimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |bound: f64| (bound * 1000.0).round() / 1000.0;
        let is_more = self.least == Self::MORE.least;
        let is_less = self.most == Self::LESS.most;
        match (self.least.map(short), self.most.map(short)) {
            (Some(_), Some(most)) if is_more => write!(f, "more than 1, up to {most}"),
            (Some(least), Some(_)) if is_less => write!(f, "{least} or more, less than 1"),
            (Some(_), None) if is_more => f.write_str("more than 1"),
            (None, Some(_)) if is_less => f.write_str("less than 1"),
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

    fn read(text: &str) -> Option<Claimed> {
        #[derive(Deserialize)]
        struct Entry {
            claimed: ClaimEntryRange,
        }
        let entry: Entry = toml::from_str(&format!("claimed = {text}")).unwrap();
        Claimed::read(&entry.claimed)
    }

    #[test]
    fn claims_become_ranges_by_the_rule() {
        for (text, range) in [
            ("'more'", "more than 1"),
            ("'less'", "less than 1"),
            ("'alike'", "0.9 to 1.1"),
            ("'no-more'", "1.1 or less"),
            ("{ size = 5 }", "4 to 6.25"),
            ("{ size = 1.2 }", "more than 1, up to 1.5"),
            ("{ size = 0.9 }", "0.72 or more, less than 1"),
            ("{ size = 1 }", "0.8 to 1.25"),
            ("{ sizes = [1.35, 1.74] }", "1.35 to 1.74"),
            ("{ percent_more = 20 }", "1.16 to 1.25"),
            ("{ least = 8 }", "8 or more"),
            ("{ most = 0.1 }", "0.1 or less"),
        ] {
            assert_eq!(
                read(text).map(|one| one.to_string()).as_deref(),
                Some(range)
            );
        }
        assert_eq!(read("{ sizes = [2, 1] }"), None);
        assert_eq!(read("{ least = nan }"), None);
    }

    #[test]
    fn the_rule_can_be_read() {
        assert_eq!(rules().repetitions, 6);
    }
}
