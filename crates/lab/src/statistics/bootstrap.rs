use super::Random;
use crate::measurement::Estimate;

/// Resamples drawn for every interval.
pub(super) const RESAMPLES: usize = 1000;

/// The median; the mean of the middle two for an even number. `None` for no values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted.get((sorted.len() - 1) / 2)?;
    Some(f64::midpoint(*lower, *upper))
}

/// The median of independent values with its 95 % percentile bootstrap interval. `None` for no values.
#[must_use]
pub fn bootstrap_median(values: &[f64], seed: u64) -> Option<Estimate> {
    let value = median(values)?;
    let mut random = Random::new(seed);
    let mut resample = vec![0.0; values.len()];
    let mut medians = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        for slot in &mut resample {
            *slot = values
                .get(random.below(values.len()))
                .copied()
                .unwrap_or(value);
        }
        medians.extend(median(&resample));
    }
    Some(with_interval(value, medians))
}

/// The median of `numerator[i] / denominator[i]`, with its interval: the runs of a pair were made one soon after the
/// other, so that what disturbs the machine disturbs both. Pairs with a denominator of 0 are left out.
#[must_use]
pub fn ratio_of_pairs(numerator: &[f64], denominator: &[f64], seed: u64) -> Option<Estimate> {
    let ratios: Vec<f64> = numerator
        .iter()
        .zip(denominator)
        .filter(|(_, below)| **below > 0.0)
        .map(|(above, below)| above / below)
        .collect();
    bootstrap_median(&ratios, seed)
}

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
    fn the_median_of_even_and_odd_numbers_of_values() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    /// Of 200 experiments with a known median, the interval must hold it in about 95 of 100.
    #[test]
    fn the_interval_covers_the_true_median_as_often_as_it_says() {
        let mut random = Random::new(42);
        let mut covered = 0;
        for experiment in 0..200 {
            let values: Vec<f64> = (0..30).map(|_| random.below(1001) as f64).collect();
            let estimate = bootstrap_median(&values, experiment).unwrap();
            covered += u32::from(estimate.low <= 500.0 && 500.0 <= estimate.high);
        }
        assert!((175..=199).contains(&covered), "{covered} of 200");
    }

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

    #[test]
    fn a_ratio_survives_a_disturbance_common_to_both() {
        let below = [10.0, 10.0, 50.0, 10.0];
        let above = [20.0, 20.0, 100.0, 20.0];
        let ratio = ratio_of_pairs(&above, &below, 1).unwrap();
        assert_eq!((ratio.low, ratio.value, ratio.high), (2.0, 2.0, 2.0));
    }
}
