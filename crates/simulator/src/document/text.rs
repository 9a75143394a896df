//! Durations and chances as they are written.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

/// The units of durations.
const UNITS: &[(&str, f64)] = &[
    ("us", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
];

/// A duration as `20ms`, `1.5s` or `10min`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WrittenDuration(pub(super) Duration);

impl WrittenDuration {
    fn parse(text: &str) -> Option<Self> {
        let at = text.find(|character: char| character.is_ascii_alphabetic())?;
        let (number, unit) = text.split_at_checked(at)?;
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let number: f64 = number.trim().parse().ok()?;
        Duration::try_from_secs_f64(number * factor).ok().map(Self)
    }
}

impl<'de> Deserialize<'de> for WrittenDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(DurationVisitor)
    }
}

struct DurationVisitor;

impl de::Visitor<'_> for DurationVisitor {
    type Value = WrittenDuration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration, as \"20ms\", \"1.5s\", \"10min\", \"1h\" or \"1d\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<WrittenDuration, E> {
        let duration = WrittenDuration::parse(text);
        duration.ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}

/// A fraction from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Chance(pub(super) f64);

impl<'de> Deserialize<'de> for Chance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        match (0.0..=1.0).contains(&number) {
            true => Ok(Self(number)),
            false => Err(de::Error::custom(format!(
                "{number} is not a fraction from 0 to 1: write 0.05 for 5 %"
            ))),
        }
    }
}
