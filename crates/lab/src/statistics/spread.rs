use super::Random;
use super::bootstrap::with_interval;
use crate::measurement::Estimate;

const RESAMPLES: usize = 1000;

/// The fewest values with quartiles.
const LEAST: usize = 4;

/// How much values differ: the distance of their quartiles by their median, with its 95 % interval by the bootstrap. `None`
/// of fewer than four values.
#[must_use]
pub fn spread(values: &[f64], seed: u64) -> Option<Estimate> {
    if values.len() < LEAST {
        return None;
    }
    let mut random = Random::new(seed);
    let resampled = (0..RESAMPLES).map(|_| {
        let drawn = (0..values.len()).filter_map(|_| values.get(random.below(values.len())));
        of_values(drawn.copied().collect())
    });
    let resampled = resampled.collect();
    Some(with_interval(of_values(values.to_vec()), resampled))
}

fn of_values(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let quantile = |part: f64| {
        let at = values.len().saturating_sub(1) as f64 * part;
        values.get(at.round() as usize).copied().unwrap_or(f64::NAN)
    };
    (quantile(0.75) - quantile(0.25)) / quantile(0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_differ_have_a_spread_and_those_that_do_not_have_none() {
        assert_eq!(spread(&[1.0, 1.0, 1.0], 1), None);
        let alike = spread(&[2.0; 8], 1).unwrap();
        assert_eq!((alike.low, alike.value, alike.high), (0.0, 0.0, 0.0));
        let different = spread(&[1.0, 2.0, 3.0, 4.0, 5.0], 1).unwrap();
        assert!((different.value - 2.0 / 3.0).abs() < 1e-12);
        assert!(different.low <= different.value && different.value <= different.high);
    }
}
