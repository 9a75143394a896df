use super::Random;
use super::median::median;
use crate::measurement::Estimate;

/// Resamples drawn for every interval.
pub(super) const RESAMPLES: usize = 1000;

/// The median of `numerator` over that of `denominator`, with its interval: for values that are no pairs, so that both are
/// resampled by themselves. `None` without values, or if the denominator is 0.
#[must_use]
pub fn ratio_of_medians(numerator: &[f64], denominator: &[f64], seed: u64) -> Option<Estimate> {
    of_medians(numerator, denominator, seed, |above, below| {
        (below > 0.0).then(|| above / below)
    })
}

/// The median of `minuend` less that of `subtrahend`, with its interval; both are resampled by themselves. `None` without
/// values.
#[must_use]
pub fn difference_of_medians(minuend: &[f64], subtrahend: &[f64], seed: u64) -> Option<Estimate> {
    of_medians(minuend, subtrahend, seed, |from, less| Some(from - less))
}

fn of_medians(
    first: &[f64],
    second: &[f64],
    seed: u64,
    combine: impl Fn(f64, f64) -> Option<f64>,
) -> Option<Estimate> {
    let combined = |first: &[f64], second: &[f64]| combine(median(first)?, median(second)?);
    let value = combined(first, second)?;
    let mut random = Random::new(seed);
    let mut resample = |values: &[f64]| -> Vec<f64> {
        let drawn = (0..values.len()).map(|_| values.get(random.below(values.len())));
        drawn.flatten().copied().collect()
    };
    let resampled = (0..RESAMPLES).filter_map(|_| combined(&resample(first), &resample(second)));
    Some(with_interval(value, resampled.collect()))
}

/// `value` with the 2.5th and 97.5th percentile of what the resamples gave.
pub(super) fn with_interval(value: f64, mut resampled: Vec<f64>) -> Estimate {
    resampled.sort_unstable_by(f64::total_cmp);
    let cut = resampled.len() / 40;
    let low = resampled.get(cut).copied().unwrap_or(value);
    let high = resampled.iter().rev().nth(cut).copied().unwrap_or(value);
    Estimate { value, low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_of_medians_needs_no_pairs() {
        let ratio = ratio_of_medians(&[4.0, 4.0, 4.0], &[2.0, 2.0], 1).unwrap();
        assert_eq!((ratio.low, ratio.value, ratio.high), (2.0, 2.0, 2.0));
        assert!(ratio_of_medians(&[1.0], &[0.0], 1).is_none());
        assert!(ratio_of_medians(&[], &[1.0], 1).is_none());
        let wide = ratio_of_medians(&[1.0, 2.0, 9.0], &[1.0, 3.0], 1).unwrap();
        assert!(wide.low < wide.value && wide.value < wide.high);
    }

    #[test]
    fn medians_of_any_sign_have_a_difference() {
        let difference = difference_of_medians(&[-1.0, -1.0, -1.0], &[0.0, 0.0], 1).unwrap();
        assert_eq!(
            (difference.low, difference.value, difference.high),
            (-1.0, -1.0, -1.0)
        );
        assert!(difference_of_medians(&[], &[1.0], 1).is_none());
    }
}
