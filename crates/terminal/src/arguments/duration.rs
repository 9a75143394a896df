use std::time::Duration;

/// Reads seconds, as `1` or `0.25`.
///
/// # Errors
/// If the text is not a duration: how to write one.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| "write seconds, as 1 or 0.25".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("the time must be above 0".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_may_have_a_fraction() {
        assert_eq!(seconds("1"), Ok(Duration::from_secs(1)));
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for wrong in ["0", "-1", "x", "1s", "nan", "inf"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
