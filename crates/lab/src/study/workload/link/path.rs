use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::link::{
    CrossTraffic, DirectionModel, GilbertElliott, LaneModel, Loss, LossChange, Probability,
};

/// What the way between manager and agent does to packets, the same in both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// The part of exchanges of one packet each way that is lost: what each direction loses is less.
    pub loss: f64,
    /// Delay of both directions together, in milliseconds.
    pub round_trip: f64,
    /// How much the round trip differs from that at most, to either side, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub jitter: f64,
    /// How long all packets are lost when any is, on average, in milliseconds; each packet is lost by itself where there is
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<f64>,
    /// How the loss changes later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// A rate that other traffic shares, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedRate>,
}

/// A rate that other traffic shares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedRate {
    /// Bits a second.
    pub rate: u64,
    /// Octets that may wait.
    pub queue: usize,
    /// Other traffic, as a part of the rate.
    pub load: f64,
    /// Whether packets go ahead of that.
    #[serde(default)]
    pub has_priority: bool,
}

/// Another loss from some time on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Seconds since the beginning.
    pub after: f64,
    /// The part of exchanges that is lost from then on.
    pub loss: f64,
}

impl Path {
    /// A way with this loss of exchanges, and this round trip in milliseconds.
    #[must_use]
    pub const fn new(loss: f64, round_trip: f64) -> Self {
        Self {
            loss,
            round_trip,
            jitter: 0.0,
            burst: None,
            changes: Vec::new(),
            shared: None,
        }
    }

    /// The time for an exchange of whoever sends one copy at a time, loses no time in noticing what is lost, and knows of it
    /// no sooner than after a round trip; in milliseconds.
    #[must_use]
    pub fn least_time(&self) -> f64 {
        self.round_trip / (1.0 - self.loss)
    }

    /// Settings of a link.
    pub(super) fn lane(&self) -> LaneModel {
        LaneModel::symmetric(DirectionModel {
            loss: self.lost(),
            delay: milliseconds(self.round_trip / 2.0),
            jitter: milliseconds(self.jitter / 2.0),
            rate: self.shared.map(|one| one.rate),
            queue: self.shared.map_or(0, |one| one.queue),
            cross: self.shared.map(|one| CrossTraffic {
                load: one.load,
                has_priority: one.has_priority,
            }),
            ..DirectionModel::default()
        })
    }

    fn lost(&self) -> Loss {
        let each = one_way(self.loss);
        if !self.changes.is_empty() {
            let first = LossChange {
                after: Duration::ZERO,
                loss: each,
            };
            let later = self.changes.iter().map(|change| LossChange {
                after: milliseconds(change.after * 1e3),
                loss: one_way(change.loss),
            });
            return Loss::Schedule(std::iter::once(first).chain(later).collect());
        }
        match self.burst.zip(Probability::new(1.0)) {
            Some((burst, all)) if each.value() > 0.0 => Loss::GilbertElliott(GilbertElliott {
                good: milliseconds(burst * (1.0 - each.value()) / each.value()),
                bad: milliseconds(burst),
                good_loss: Probability::ZERO,
                bad_loss: all,
            }),
            _ => Loss::Independent(each),
        }
    }
}

/// The loss of one direction where both together lose this.
fn one_way(exchanges: f64) -> Probability {
    Probability::new(exchanges.clamp(0.0, 1.0)).map_or(Probability::ZERO, Probability::one_way)
}

fn milliseconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value / 1e3).unwrap_or_default()
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_lose_as_much_as_single_losses() {
        let path = Path {
            burst: Some(50.0),
            ..Path::new(0.294, 10.0)
        };
        let Loss::GilbertElliott(model) = path.lane().forward.loss else {
            panic!("bursts");
        };
        let each = Probability::new(0.294).unwrap().one_way();
        assert!((model.mean_loss() - each.value()).abs() < 1e-6);
        assert_eq!(model.bad, Duration::from_millis(50));
    }

    #[test]
    fn a_loss_that_changes_begins_with_the_first_one() {
        let path = Path {
            changes: vec![Change {
                after: 2.5,
                loss: 1.0,
            }],
            ..Path::new(0.0, 10.0)
        };
        let Loss::Schedule(changes) = path.lane().backward.loss else {
            panic!("a schedule");
        };
        assert_eq!(changes.len(), 2);
        assert_eq!(changes[1].after, Duration::from_millis(2500));
        assert!((changes[1].loss.value() - 1.0).abs() < 1e-12);
    }
}
