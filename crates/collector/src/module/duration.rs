//! Durations in Go's notation, as `5s`, `1m30s` or `1.5h`.

use std::fmt;
use std::time::Duration;

use serde::de::{Deserializer, Error, Unexpected, Visitor};

/// Units in nanoseconds. A name comes before its own prefixes.
const UNITS: [(&str, f64); 8] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("\u{b5}s", 1e3),
    ("\u{3bc}s", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 6e10),
    ("h", 3.6e12),
];

/// Parses a duration. As in snmp_exporter, a number without a unit counts nanoseconds.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    if let Ok(nanoseconds) = text.parse() {
        return Some(Duration::from_nanos(nanoseconds));
    }
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest.is_empty() {
        return None;
    }
    let mut nanoseconds = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, behind) = rest.split_at_checked(end)?;
        let number: f64 = number.parse().ok()?;
        let (unit, behind) = UNITS
            .iter()
            .find_map(|(name, unit)| Some((unit, behind.strip_prefix(name)?)))?;
        nanoseconds += number * unit;
        rest = behind;
    }
    Duration::try_from_secs_f64(nanoseconds / 1e9).ok()
}

/// Reads a duration that has a unit, such as `10s`.
pub(crate) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Duration, D::Error> {
    deserializer.deserialize_str(WithUnit)
}

struct WithUnit;

impl Visitor<'_> for WithUnit {
    type Value = Duration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration, as in \"10s\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Duration, E> {
        if let Ok(number) = text.parse::<u64>() {
            return self.visit_u64(number);
        }
        parse(text).ok_or_else(|| {
            E::custom(format!(
                "{text:?} is no duration: write a number and a unit, as in \"10s\""
            ))
        })
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Duration, E> {
        Err(E::custom(format!(
            "{number} is no duration: write \"{number}s\""
        )))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Duration, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_go_are_read() {
        for (text, milliseconds) in [
            ("5s", 5000),
            ("1m30s", 90_000),
            ("1.5h", 5_400_000),
            ("250ms", 250),
            ("1000us", 1),
            ("2000000", 2),
            ("0", 0),
        ] {
            assert_eq!(
                parse(text),
                Some(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
        for wrong in ["", "5 s", "s", "5x", "-5s", "5s3", "1..5s"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
