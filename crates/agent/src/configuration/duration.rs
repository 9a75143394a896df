use std::time::Duration;

const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1000), ("min", 60_000), ("h", 3_600_000)];

/// Reads a number with a unit, as `100ms`, `30s`, `5min` or `1h`.
///
/// # Errors
/// When it is something else.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default();
    let unit = UNITS.iter().find(|(name, _)| *name == unit);
    let number: Option<u64> = digits.trim_end().parse().ok();
    number
        .zip(unit)
        .and_then(|(number, (_, milliseconds))| number.checked_mul(*milliseconds))
        .map(Duration::from_millis)
        .ok_or_else(|| {
            format!("{text:?}: expected a number with a unit, as 100ms, 30s, 5min or 1h")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_number_and_a_unit() {
        for (text, milliseconds) in [
            ("100ms", 100),
            ("30s", 30_000),
            ("5min", 300_000),
            ("1 h", 3_600_000),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_millis(milliseconds))
            );
        }
        for text in ["", "5", "s", "-1s", "1.5s", "99999999999999999h", "5m"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
