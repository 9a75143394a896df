//! From intervals to tests: how sure it is that a bound lies outside, over many claims, and with how many repetitions it would be.

use std::f64::consts::FRAC_2_PI;

/// The level of the intervals.
const LEVEL: f64 = 0.05;

/// How often a difference that is there is to be found.
const POWER: f64 = 0.8;

/// The probability that a bound is missed by chance which lies so many half-widths of the 95 % interval from the median of `count`
/// values: 5 % for one. The interval gives the standard error (J. W. McKean and R. M. Schrader, "A comparison of methods for
/// studentizing the sample median", Communications in Statistics B 13, 1984), and Student's distribution the rest.
#[must_use]
pub fn p_value(half_widths: f64, count: usize) -> f64 {
    if count < 2 || half_widths.is_nan() {
        return 1.0;
    }
    two_sided(half_widths.abs() * quantile(LEVEL, count - 1), count - 1)
}

/// How many values it takes for a bound to be told from the median at `level` in four of five runs, when with `count` values it lies
/// so many half-widths of the 95 % interval away. Infinite if it lies on the median.
#[must_use]
pub fn count_needed(half_widths: f64, count: usize, level: f64) -> f64 {
    let Some(freedom) = count.checked_sub(1).filter(|freedom| *freedom > 0) else {
        return f64::INFINITY;
    };
    let wanted = quantile(level, freedom) + quantile(2.0 * (1.0 - POWER), freedom);
    let factor = wanted / (quantile(LEVEL, freedom) * half_widths.abs());
    count as f64 * factor * factor
}

/// Which of the hypotheses with these p-values can be rejected, so that none is wrongly in 95 of 100 runs (S. Holm, "A simple
/// sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979): the level that each was held
/// against, `None` for those that cannot, and the level at which it ended.
#[must_use]
pub fn holm(p_values: &[f64]) -> (Vec<Option<f64>>, f64) {
    let mut order: Vec<(usize, f64)> = p_values.iter().copied().enumerate().collect();
    order.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut levels = vec![None; p_values.len()];
    for (done, (place, p)) in order.into_iter().enumerate() {
        let level = LEVEL / (p_values.len() - done) as f64;
        if p > level {
            return (levels, level);
        }
        if let Some(slot) = levels.get_mut(place) {
            *slot = Some(level);
        }
    }
    (levels, LEVEL)
}

/// The probability that Student's t with so many degrees of freedom is farther from 0 (Abramowitz and Stegun, 26.7.3 and 26.7.4).
fn two_sided(t: f64, freedom: usize) -> f64 {
    let angle = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let is_odd = freedom % 2 == 1;
    // Terms of the sum: cosines of every second power.
    let mut term = if is_odd { cosine } else { 1.0 };
    let mut sum = 0.0;
    for step in 1..=freedom / 2 {
        sum += term;
        let at = 2.0 * step as f64;
        let factor = if is_odd {
            at / (at + 1.0)
        } else {
            (at - 1.0) / at
        };
        term *= factor * cosine * cosine;
    }
    let inside = if is_odd {
        FRAC_2_PI * (angle + sine * sum)
    } else {
        sine * sum
    };
    (1.0 - inside).clamp(0.0, 1.0)
}

/// The t that is exceeded, on either side together, with this probability.
fn quantile(probability: f64, freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, 1e6);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if two_sided(middle, freedom) > probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_is_as_in_the_tables() {
        for (probability, freedom, t) in [
            (0.05, 1, 12.706),
            (0.05, 2, 4.303),
            (0.05, 5, 2.571),
            (0.05, 29, 2.045),
            (0.01, 10, 3.169),
            (0.001, 5, 6.869),
            (0.4, 29, 0.854),
        ] {
            let found = quantile(probability, freedom);
            assert!((found - t).abs() < 1e-3, "{probability} {freedom}: {found}");
        }
    }

    #[test]
    fn the_end_of_the_interval_is_where_chance_is_one_in_twenty() {
        for count in [6, 30] {
            assert!((p_value(1.0, count) - 0.05).abs() < 1e-9);
            assert!(p_value(0.5, count) > 0.2);
            assert!(p_value(4.0, count) < 1e-3);
        }
        assert_eq!(p_value(9.0, 1), 1.0);
        assert!(p_value(f64::INFINITY, 6) < 1e-12);
    }

    #[test]
    fn four_times_the_values_find_half_the_distance() {
        let near = count_needed(0.5, 30, 0.05);
        let far = count_needed(1.0, 30, 0.05);
        assert!((near / far - 4.0).abs() < 1e-9);
        // Half of all runs find what lies at the end of the interval; four of five need twice as many values.
        assert!((58.0..63.0).contains(&far), "{far}");
        assert!(count_needed(1.0, 30, 0.001) > far);
        assert_eq!(count_needed(0.0, 30, 0.05), f64::INFINITY);
    }

    #[test]
    fn holm_rejects_in_order_until_one_is_too_likely() {
        let (levels, end) = holm(&[0.04, 0.001, 0.9, 0.012]);
        assert_eq!(levels, [None, Some(0.0125), None, Some(0.05 / 3.0)]);
        assert_eq!(end, 0.025);
        let (levels, end) = holm(&[0.01]);
        assert_eq!((levels, end), (vec![Some(0.05)], 0.05));
        assert_eq!(holm(&[]), (vec![], 0.05));
    }
}
