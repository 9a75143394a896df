/// Maps values to positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Scale {
    /// From 0 to `high`, or a little more.
    pub(super) fn linear(high: f64, from: f64, to: f64) -> Self {
        let high = if high > 0.0 { high * 1.05 } else { 1.0 };
        Self {
            low: 0.0,
            high,
            from,
            to,
            logarithmic: false,
        }
    }

    /// Of all `values` that are positive, with some room at both ends.
    pub(super) fn logarithmic(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values.filter(|value| *value > 0.0) {
            low = low.min(value);
            high = high.max(value);
        }
        if high <= 0.0 {
            (low, high) = (1.0, 10.0);
        }
        Self {
            low: (low * 0.85).log10(),
            high: (high * 1.15).log10(),
            from,
            to,
            logarithmic: true,
        }
    }

    pub(super) fn at(&self, value: f64) -> f64 {
        let value = if self.logarithmic {
            value.max(1e-9).log10()
        } else {
            value
        };
        let share = (value - self.low) / (self.high - self.low);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Round values to mark, few enough for their labels not to touch.
    pub(super) fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            self.logarithmic_ticks()
        } else {
            self.linear_ticks()
        }
    }

    fn logarithmic_ticks(&self) -> Vec<f64> {
        let decades = self.high - self.low;
        let steps: &[f64] = match decades {
            decades if decades > 3.0 => &[1.0],
            decades if decades > 1.2 => &[1.0, 3.0],
            decades if decades > 0.5 => &[1.0, 2.0, 3.0, 5.0],
            _ => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0],
        };
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        (first..=last)
            .flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)))
            .filter(|tick| (self.low..=self.high).contains(&tick.log10()))
            .collect()
    }

    fn linear_ticks(&self) -> Vec<f64> {
        let rough = self.high / 5.0;
        let unit = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * unit)
            .find(|step| *step >= rough)
            .unwrap_or(rough);
        let count = (self.high / step).floor() as u32;
        (0..=count).map(|at| f64::from(at) * step).collect()
    }
}

/// Microseconds in the unit that suits them.
pub(in crate::report) fn time(microseconds: f64) -> String {
    let (value, unit) = match microseconds {
        time if time >= 1e6 => (time / 1e6, "s"),
        time if time >= 1e3 => (time / 1e3, "ms"),
        time => (time, "us"),
    };
    format!("{} {unit}", plain(value))
}

/// Three significant digits, none of them needless.
pub(super) fn plain(value: f64) -> String {
    let digits = match value.abs() {
        magnitude if magnitude >= 100.0 => 0,
        magnitude if magnitude >= 10.0 => 1,
        _ => 2,
    };
    let text = format!("{value:.digits$}");
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let linear = Scale::linear(17.0, 0.0, 100.0);
        assert_eq!(linear.ticks(), [0.0, 5.0, 10.0, 15.0]);
        let wide = Scale::logarithmic([3.0, 90_000.0].into_iter(), 0.0, 100.0);
        assert_eq!(wide.ticks(), [10.0, 100.0, 1000.0, 10_000.0, 100_000.0]);
        for high in [1.0, 1.3, 2.0, 4.0, 15.0, 80.0, 2e3, 1e6] {
            let ticks = Scale::logarithmic([1.0, high].into_iter(), 0.0, 1.0).ticks();
            assert!((1..=12).contains(&ticks.len()), "{high}: {ticks:?}");
        }
    }

    #[test]
    fn positions_stay_inside() {
        let scale = Scale::logarithmic([10.0, 1000.0].into_iter(), 50.0, 150.0);
        assert_eq!(scale.at(0.0), 50.0);
        assert_eq!(scale.at(1e9), 150.0);
        assert!((scale.at(100.0) - 100.0).abs() < 1.0);
        assert_eq!(time(1500.0), "1.5 ms");
        assert_eq!(time(20.0), "20 us");
    }
}
