use crate::measurement::Estimate;
use crate::study::is_beyond;

/// What was not reached before runs were cut.
const BEYOND_LIMIT: &str = "> limit";

/// A number with three significant digits and a thin grouping of thousands.
pub(crate) fn number(value: f64) -> String {
    if is_beyond(value) {
        return BEYOND_LIMIT.to_owned();
    }
    let digits = match value.abs() {
        magnitude if magnitude >= 100.0 || magnitude == 0.0 => 0,
        magnitude if magnitude >= 10.0 => 1,
        magnitude if magnitude >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    let (whole, fraction) = text
        .split_once('.')
        .map_or((text.as_str(), None), |(whole, fraction)| {
            (whole, Some(fraction))
        });
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        let left = whole.len() - at;
        if at > 0 && left % 3 == 0 && digit.is_ascii_digit() && !grouped.ends_with('-') {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    match fraction {
        Some(fraction) => format!("{grouped}.{fraction}"),
        None => grouped,
    }
}

/// A value with its interval: `12.3 [11.9, 12.8]`.
pub(crate) fn with_interval(estimate: &Estimate) -> String {
    format!(
        "{} [{}, {}]",
        number(estimate.value),
        number(estimate.low),
        number(estimate.high)
    )
}

/// Octets in the unit that suits them.
pub(crate) fn octets(count: f64) -> String {
    match count {
        count if count >= 1e6 => format!("{} MB", number(count / 1e6)),
        count if count >= 1e4 => format!("{} kB", number(count / 1e3)),
        count => format!("{} B", number(count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        let shown: Vec<String> = [
            0.0,
            0.01234,
            1.0,
            45.678,
            999.4,
            1234.5,
            12_345_678.0,
            -1234.0,
        ]
        .into_iter()
        .map(number)
        .collect();
        assert_eq!(
            shown,
            [
                "0",
                "0.012",
                "1.00",
                "45.7",
                "999",
                "1 234",
                "12 345 678",
                "-1 234"
            ]
        );
    }
}
