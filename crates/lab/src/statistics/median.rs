use std::f64::consts::LN_2;

use crate::measurement::Estimate;

/// What an interval is to cover.
const CONFIDENCE: f64 = 0.95;

/// How often the interval of [`sign_test_interval`] misses the median on one side, at most.
const SIGN_TEST_LEVEL: f64 = 1e-4;

/// From so many values on a sign test can reject at its level: 2^-14 is less than 1 in 10,000.
pub const SIGN_TEST_COUNT: u32 = 14;

/// Values of this size stand for what was not reached: nothing lies between them and a smaller one.
const UNREACHED: f64 = f64::MAX * 1e-9;

/// The median; the mean of the middle two for an even number. `None` for no values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    of_sorted(&sorted)
}

fn of_sorted(sorted: &[f64]) -> Option<f64> {
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted.get(sorted.len().checked_sub(1)? / 2)?;
    Some(f64::midpoint(*lower, *upper))
}

/// The median of independent values with its 95 % interval, which lies between order statistics and needs no assumption about
/// how the values are distributed (T. P. Hettmansperger and S. J. Sheather, "Confidence intervals based on interpolated order
/// statistics", Statistics & Probability Letters 4, 1986). Of fewer than six values no two order statistics cover as much: the
/// interval is their whole range. `None` for no values.
#[must_use]
pub fn median_interval(values: &[f64]) -> Option<Estimate> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let value = of_sorted(&sorted)?;
    let (rank, share) = place(sorted.len());
    let last = sorted.len() - 1;
    // From the outermost value inside towards the middle.
    let end = |outer: usize, inner: usize| {
        let [outer, inner] = [outer, inner].map(|at| sorted.get(at).copied().unwrap_or(value));
        between(outer, inner, share)
    };
    Some(Estimate {
        value,
        low: end(rank, rank + 1).min(value),
        high: end(last - rank, last.saturating_sub(rank + 1)).max(value),
    })
}

/// Where the interval of so many values ends: how many values lie outside on each side, and how far it is from the outermost one
/// inside to the next.
fn place(count: usize) -> (usize, f64) {
    let n = count as f64;
    // The chance that so many of the values lie below the median.
    // As a logarithm, since 2^-n is 0 for more than a thousand values.
    let mut chance = -n * LN_2;
    let mut below = chance.exp();
    let mut rank = 0;
    while rank < count / 2 {
        let next = chance + ((n - rank as f64) / (rank as f64 + 1.0)).ln();
        let [outer, inner] = [below, below + next.exp()].map(|outside| 1.0 - 2.0 * outside);
        if outer < CONFIDENCE {
            break;
        }
        if inner < CONFIDENCE {
            let missing = (outer - CONFIDENCE) / (outer - inner);
            let k = rank as f64 + 1.0;
            return (rank, (n - k) * missing / (k + (n - 2.0 * k) * missing));
        }
        chance = next;
        below += next.exp();
        rank += 1;
    }
    (rank, 0.0)
}

/// The interval outside which a sign test rejects the median at 1 in 10,000 on each side, however the values are distributed. The
/// whole range of fewer than [`SIGN_TEST_COUNT`] values, which such a test cannot reject. `None` for no values.
#[must_use]
pub fn sign_test_interval(values: &[f64]) -> Option<Estimate> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let rank = sign_test_rank(sorted.len());
    Some(Estimate {
        value: of_sorted(&sorted)?,
        low: *sorted.get(rank)?,
        high: *sorted.iter().nth_back(rank)?,
    })
}

/// How many of so many values lie outside the interval on each side.
fn sign_test_rank(count: usize) -> usize {
    let n = count as f64;
    let mut chance = -n * LN_2;
    let mut below = chance.exp();
    for rank in 0..count / 2 {
        chance += ((n - rank as f64) / (rank as f64 + 1.0)).ln();
        below += chance.exp();
        if below > SIGN_TEST_LEVEL {
            return rank;
        }
    }
    0
}

fn between(outer: f64, inner: f64, share: f64) -> f64 {
    if outer.abs() > UNREACHED || inner.abs() > UNREACHED {
        return outer;
    }
    outer + share * (inner - outer)
}

/// The median of `numerator[i] / denominator[i]`, with its interval: the runs of a pair were made one soon after the
/// other, so that what disturbs the machine disturbs both. Pairs with a denominator of 0 are left out.
#[must_use]
pub fn ratio_of_pairs(numerator: &[f64], denominator: &[f64]) -> Option<Estimate> {
    let ratios: Vec<f64> = numerator
        .iter()
        .zip(denominator)
        .filter(|(_, below)| **below > 0.0)
        .map(|(above, below)| above / below)
        .collect();
    median_interval(&ratios)
}

#[cfg(test)]
mod tests {
    use super::super::Random;
    use super::*;

    #[test]
    fn the_median_of_even_and_odd_numbers_of_values() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn intervals_end_between_order_statistics() {
        let interval = |count: u32| {
            let values: Vec<f64> = (1..=count).map(f64::from).collect();
            median_interval(&values).map(|one| (one.low, one.value, one.high))
        };
        assert_eq!(interval(0), None);
        assert_eq!(interval(1), Some((1.0, 1.0, 1.0)));
        assert_eq!(interval(5), Some((1.0, 3.0, 5.0)));
        // 96.9 % from the first to the last of six, 78.1 % without these.
        let (low, _, high) = interval(6).unwrap();
        assert!((low - 1.357).abs() < 1e-3, "{low}");
        assert!((high - 5.643).abs() < 1e-3, "{high}");
        // 97.9 % from the 9th to the 22nd of thirty, 95.7 % from the 10th on, 90.1 % from the 11th on.
        let (low, _, _) = interval(30).unwrap();
        assert!((10.0..10.5).contains(&low), "{low}");
    }

    #[test]
    fn sign_tests_leave_few_values_outside() {
        let interval = |count: u32| {
            let values: Vec<f64> = (1..=count).map(f64::from).collect();
            sign_test_interval(&values).map(|one| (one.low, one.high))
        };
        assert_eq!(interval(0), None);
        assert_eq!(interval(1), Some((1.0, 1.0)));
        assert_eq!(interval(6), Some((1.0, 6.0)));
        assert_eq!(interval(SIGN_TEST_COUNT), Some((1.0, 14.0)));
        // At most four of thirty lie below the median in 3 of 100,000 runs, at most five in 16.
        assert_eq!(interval(30), Some((5.0, 26.0)));
    }

    #[test]
    fn intervals_of_thousands_of_values_are_no_points() {
        let values: Vec<f64> = (1..=1800).map(f64::from).collect();
        let interval = median_interval(&values).unwrap();
        assert!((855.0..865.0).contains(&interval.low), "{}", interval.low);
        let sign_test = sign_test_interval(&values).unwrap();
        assert!((815.0..830.0).contains(&sign_test.low), "{}", sign_test.low);
    }

    #[test]
    fn values_that_were_not_reached_are_no_neighbours() {
        let interval = median_interval(&[1.0, 1.0, 2.0, f64::MAX, f64::MAX, f64::MAX]).unwrap();
        assert_eq!((interval.low, interval.high), (1.0, f64::MAX));
        let all = median_interval(&[f64::MAX; 7]).unwrap();
        assert_eq!((all.low, all.high), (f64::MAX, f64::MAX));
    }

    /// How often the interval of so many draws has the true median, of 6000 experiments.
    fn coverage(count: usize, true_median: f64, draw: impl Fn(&mut Random) -> f64) -> f64 {
        const EXPERIMENTS: u32 = 6000;
        let mut random = Random::new(42);
        let covered = (0..EXPERIMENTS).filter(|_| {
            let values: Vec<f64> = (0..count).map(|_| draw(&mut random)).collect();
            let interval = median_interval(&values).unwrap();
            interval.low <= true_median && true_median <= interval.high
        });
        covered.count() as f64 / f64::from(EXPERIMENTS)
    }

    fn unit(random: &mut Random) -> f64 {
        (random.below(1 << 30) as f64 + 0.5) / f64::from(1 << 30)
    }

    #[test]
    fn intervals_have_the_true_median_in_94_to_96_of_100() {
        let exponential = |random: &mut Random| -unit(random).ln();
        // What a machine with now and then something else to do gives.
        let with_outliers = |random: &mut Random| match random.below(10) {
            0 => 3.0 + 10.0 * unit(random),
            _ => 1.0 + 0.1 * unit(random) * unit(random),
        };
        let many: f64 = {
            let mut random = Random::new(7);
            let values: Vec<f64> = (0..200_000).map(|_| with_outliers(&mut random)).collect();
            median(&values).unwrap()
        };
        for count in [6, 10, 15, 30] {
            for (name, covered) in [
                ("uniform", coverage(count, 0.5, unit)),
                ("exponential", coverage(count, 2.0_f64.ln(), exponential)),
                ("outliers", coverage(count, many, with_outliers)),
            ] {
                // 6000 experiments tell it to within 0.9 of 100.
                let expected = 0.94 - 0.006..=0.96 + 0.009;
                assert!(expected.contains(&covered), "{count} {name}: {covered}");
            }
        }
    }

    #[test]
    fn a_ratio_survives_a_disturbance_common_to_both() {
        let below = [10.0, 10.0, 50.0, 10.0];
        let above = [20.0, 20.0, 100.0, 20.0];
        let ratio = ratio_of_pairs(&above, &below).unwrap();
        assert_eq!((ratio.low, ratio.value, ratio.high), (2.0, 2.0, 2.0));
    }
}
