use std::time::Duration;

use super::Probability;
use super::model::uniform;

/// Which packets are lost.
#[derive(Clone, Debug, PartialEq)]
pub enum Loss {
    /// Each by itself.
    Independent(Probability),
    /// In bursts.
    GilbertElliott(GilbertElliott),
    /// Each by itself, with a probability that changes; nothing is lost before the first change.
    Schedule(Vec<LossChange>),
}

impl Default for Loss {
    fn default() -> Self {
        Self::Independent(Probability::ZERO)
    }
}

/// A link that is good or bad for some time (Gilbert 1960, Elliott 1963).
///
/// The states are left after times of exponential distribution, not after packets: otherwise whoever sends copies would
/// use up a burst, and whoever waits would always meet it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliott {
    /// How long it is good, on average.
    pub good: Duration,
    /// How long it is bad, on average.
    pub bad: Duration,
    /// The loss while it is good.
    pub good_loss: Probability,
    /// The loss while it is bad.
    pub bad_loss: Probability,
}

impl GilbertElliott {
    /// The part of packets that is lost in the long run.
    #[must_use]
    pub fn mean_loss(&self) -> f64 {
        let (good, bad) = (self.good.as_secs_f64(), self.bad.as_secs_f64());
        (good * self.good_loss.value() + bad * self.bad_loss.value()) / (good + bad)
    }
}

/// From when on which part of the packets is lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossChange {
    /// Since the first packet.
    pub after: Duration,
    /// The loss from then on.
    pub loss: Probability,
}

/// The state of a link in the course of time.
#[derive(Debug)]
pub(super) struct LossState {
    loss: Loss,
    is_bad: bool,
    /// When the state is left, in nanoseconds; where states are left at all.
    until: u64,
    /// How many states there were.
    states: u64,
}

impl LossState {
    pub(super) const fn new(loss: Loss) -> Self {
        Self {
            loss,
            // The first state that is entered is a good one.
            is_bad: true,
            until: 0,
            states: 0,
        }
    }

    /// The probability that a packet is lost at `now`, in nanoseconds since the first one; `draw` gives the bits of state number n.
    pub(super) fn probability(&mut self, now: u64, draw: impl Fn(u64) -> u64) -> Probability {
        match &self.loss {
            Loss::Independent(probability) => *probability,
            Loss::Schedule(changes) => changes
                .iter()
                .take_while(|change| change.after.as_nanos() <= u128::from(now))
                .last()
                .map_or(Probability::ZERO, |change| change.loss),
            Loss::GilbertElliott(model) => {
                while self.until <= now {
                    self.is_bad = !self.is_bad;
                    let mean = if self.is_bad { model.bad } else { model.good };
                    let holding = -libm::log(1.0 - uniform(draw(self.states)));
                    let holding = (mean.as_nanos() as f64 * holding) as u64;
                    self.until = self.until.saturating_add(holding.max(1));
                    self.states += 1;
                }
                if self.is_bad {
                    model.bad_loss
                } else {
                    model.good_loss
                }
            }
        }
    }
}
