/// Half of the memory is dropped when it holds this many attempts.
const MEMORY: f64 = 128.0;
/// Before anything is known, as if this many attempts had been seen,
const PRIOR_ATTEMPTS: f64 = 8.0;
/// and this many of them lost.
const PRIOR_LOST: f64 = 0.16;
/// A series of losses that is rarer than this is no longer taken for chance.
const CHANCE: f64 = 0.002;
/// The longest series of losses that is taken for chance.
const MAX_SERIES: u32 = 16;

/// Estimates which share of the attempts gets lost on the way there or back.
#[derive(Clone, Copy, Debug)]
pub(super) struct LossEstimate {
    attempts: f64,
    lost: f64,
    series: u32,
}

impl LossEstimate {
    pub(super) fn new() -> Self {
        let mut estimate = Self {
            attempts: PRIOR_ATTEMPTS,
            lost: PRIOR_LOST,
            series: 1,
        };
        estimate.update();
        estimate
    }

    /// Takes in a request that was answered: how many of its attempts came to an answer, and how many to none.
    pub(super) fn add(&mut self, answered: u32, lost: u32) {
        self.attempts += f64::from(answered + lost);
        self.lost += f64::from(lost);
        if self.attempts > MEMORY {
            self.attempts /= 2.0;
            self.lost /= 2.0;
        }
        self.update();
    }

    /// An attempt that was counted as lost was answered after all.
    pub(super) fn take_back(&mut self) {
        self.lost = (self.lost - 1.0).max(0.0);
        self.update();
    }

    fn update(&mut self) {
        let mut probability = self.rate();
        self.series = 1;
        while probability > CHANCE && self.series < MAX_SERIES {
            probability *= self.rate();
            self.series += 1;
        }
    }

    /// The share of attempts that gets lost.
    pub(super) fn rate(&self) -> f64 {
        self.lost / self.attempts
    }

    /// How many losses one after the other are still plausible; at least 1.
    pub(super) const fn plausible_series(&self) -> u32 {
        self.series
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plausible_series_grows_with_the_loss() {
        let mut estimate = LossEstimate::new();
        for _ in 0..100 {
            estimate.add(1, 0);
        }
        assert_eq!(estimate.plausible_series(), 1);
        for _ in 0..200 {
            estimate.add(7, 3);
        }
        assert!((0.25..0.35).contains(&estimate.rate()));
        assert_eq!(estimate.plausible_series(), 6);
    }
}
