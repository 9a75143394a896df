/// The Theil-Sen slope: the median of the slopes between all pairs of points, which a few odd points do not move. `None` for
/// fewer than two different places.
#[must_use]
pub fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let mut slopes = Vec::new();
    for (at, one) in points.iter().enumerate() {
        for other in points.iter().skip(at + 1) {
            let run = other.0 - one.0;
            if run != 0.0 {
                slopes.push((other.1 - one.1) / run);
            }
        }
    }
    super::median(&slopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_is_not_moved_by_an_odd_point() {
        let mut points: Vec<(f64, f64)> =
            (0..20).map(|at| (at.into(), 3.0 * f64::from(at))).collect();
        points[7].1 = 1000.0;
        assert_eq!(slope(&points), Some(3.0));
        assert_eq!(slope(&points[..1]), None);
        assert_eq!(slope(&[(1.0, 2.0), (1.0, 5.0)]), None);
    }
}
