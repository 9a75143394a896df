use super::Random;
use super::bootstrap::RESAMPLES;
use super::median::median;
use crate::measurement::{BreakEven, Estimate};

/// What sessions of one run cost, in one unit: once, and for each exchange.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunCost {
    /// Once: what a session costs that exchanges nothing.
    pub fixed: f64,
    /// For each exchange.
    pub marginal: f64,
}

impl RunCost {
    /// The number of exchanges from which on a session costs less than one of `reference`; infinite if there is none.
    fn break_even(self, reference: Self) -> f64 {
        let saved = reference.marginal - self.marginal;
        if saved > 0.0 {
            ((self.fixed - reference.fixed) / saved).max(1.0)
        } else {
            f64::INFINITY
        }
    }
}

/// From how many exchanges on sessions cost less than those of `reference`. The runs of both are neighbours in time, and
/// are resampled together: what disturbs the machine disturbs both. `None` for no runs.
#[must_use]
pub fn break_even(runs: &[RunCost], reference: &[RunCost], seed: u64) -> Option<BreakEven> {
    let pairs: Vec<(RunCost, RunCost)> = runs
        .iter()
        .copied()
        .zip(reference.iter().copied())
        .collect();
    let of = |pairs: &mut dyn Iterator<Item = (RunCost, RunCost)>| {
        let (runs, reference): (Vec<_>, Vec<_>) = pairs.unzip();
        Some(typical(runs.into_iter())?.break_even(typical(reference.into_iter())?))
    };
    let value = of(&mut pairs.iter().copied())?;
    let mut resampled = Vec::with_capacity(RESAMPLES);
    resample(pairs.len(), seed, |at| {
        resampled.extend(of(&mut at.iter().filter_map(|&at| pairs.get(at).copied())));
    });
    let reached = resampled.iter().filter(|value| value.is_finite()).count();
    let share = reached as f64 / resampled.len().max(1) as f64;
    let interval = estimate(value, resampled);
    let finite = |value: f64| value.is_finite().then_some(value);
    Some(BreakEven {
        exchanges: finite(value),
        low: finite(interval.low),
        high: finite(interval.high),
        share,
    })
}

fn typical(runs: impl Iterator<Item = RunCost>) -> Option<RunCost> {
    let (fixed, marginal): (Vec<f64>, Vec<f64>) = runs.map(|run| (run.fixed, run.marginal)).unzip();
    Some(RunCost {
        fixed: median(&fixed)?,
        marginal: median(&marginal)?,
    })
}

/// Calls with the places of every resample.
fn resample(length: usize, seed: u64, mut each: impl FnMut(&[usize])) {
    let mut random = Random::new(seed);
    let mut places = vec![0; length];
    for _ in 0..RESAMPLES {
        for place in &mut places {
            *place = random.below(length);
        }
        each(&places);
    }
}

fn estimate(value: f64, resampled: Vec<f64>) -> Estimate {
    super::bootstrap::with_interval(value, resampled)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn cost(fixed: f64, marginal: f64) -> RunCost {
        RunCost { fixed, marginal }
    }

    /// Runs around a cost, with noise of at most a tenth in either direction.
    fn noisy(center: RunCost, runs: usize, seed: u64) -> Vec<RunCost> {
        let mut random = Random::new(seed);
        let mut factor = || 0.9 + 0.2 * random.below(1001) as f64 / 1000.0;
        (0..runs)
            .map(|_| cost(center.fixed * factor(), center.marginal * factor()))
            .collect()
    }

    #[test]
    fn a_dear_session_with_cheap_exchanges_breaks_even() {
        let even = break_even(&[cost(1100.0, 15.0)], &[cost(100.0, 20.0)], 1).unwrap();
        let all = [even.exchanges, even.low, even.high];
        assert_eq!((all, even.share), ([Some(200.0); 3], 1.0));
    }

    #[test]
    fn what_is_cheaper_from_the_beginning_breaks_even_with_the_first_exchange() {
        let even = break_even(&[cost(50.0, 15.0)], &[cost(100.0, 20.0)], 1).unwrap();
        assert_eq!((even.exchanges, even.share), (Some(1.0), 1.0));
    }

    #[test]
    fn what_costs_more_for_each_exchange_never_breaks_even() {
        for runs in [cost(1100.0, 20.0), cost(50.0, 25.0)] {
            let even = break_even(&[runs], &[cost(100.0, 20.0)], 1).unwrap();
            assert_eq!((even.exchanges, even.high, even.share), (None, None, 0.0));
        }
        assert_eq!(break_even(&[], &[], 1), None);
    }

    /// Where noise decides which side costs more, the interval is open at its upper end.
    #[test]
    fn an_uncertain_break_even_has_no_upper_end() {
        let reference = noisy(cost(100.0, 20.0), 15, 1);
        let even = break_even(&noisy(cost(1000.0, 19.8), 15, 2), &reference, 3).unwrap();
        assert_eq!(even.high, None);
        assert!(even.low.is_some_and(|low| low > 100.0), "{even:?}");
        assert!(0.05 < even.share && even.share < 0.999, "{even:?}");
    }

    /// Of 200 experiments with a known break-even, the interval must hold it in about 95 of 100.
    #[test]
    fn the_interval_covers_the_true_break_even_as_often_as_it_says() {
        let (of, reference) = (cost(1000.0, 10.0), cost(100.0, 19.0));
        let mut covered = 0;
        for experiment in 0..200 {
            let runs = noisy(of, 15, 2 * experiment);
            let even = break_even(&runs, &noisy(reference, 15, 2 * experiment + 1), experiment);
            let even = even.unwrap();
            assert_eq!(even.share, 1.0);
            covered += u32::from(even.low <= Some(100.0) && Some(100.0) <= even.high);
        }
        assert!((175..=200).contains(&covered), "{covered} of 200");
    }
}
