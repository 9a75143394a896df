use super::DirectionModel;
use super::bottleneck::Bottleneck;
use super::loss::LossState;
use super::model::uniform;

/// What becomes of a packet. Times are nanoseconds since the link began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It does not arrive.
    Lost(LossCause),
    /// It arrives then.
    Arrives(u64),
    /// It arrives twice then.
    ArrivesTwice(u64),
}

/// Why a packet does not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// By the model of loss.
    OnTheWay,
    /// The queue was full.
    QueueFull,
}

/// How many packets there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelStatistics {
    /// Packets that were offered.
    pub packets: u64,
    /// Octets of them.
    pub octets: u64,
    /// Lost by the model of loss.
    pub lost: u64,
    /// Lost because the queue was full.
    pub dropped: u64,
    /// Arrived twice.
    pub duplicated: u64,
    /// Overtook others.
    pub reordered: u64,
}

/// One direction of a lane.
///
/// Invariant: what becomes of packet number k depends on the seed, on k, and on when it and those before it were
/// offered, on nothing else.
#[derive(Debug)]
pub struct Channel {
    model: DirectionModel,
    seed: u64,
    loss: LossState,
    /// When the first packet was offered.
    first: Option<u64>,
    /// Where packets wait, if there is a rate.
    bottleneck: Option<Bottleneck>,
    /// When the packet arrives after which the next one in order may.
    last_arrival: u64,
    statistics: ChannelStatistics,
}

/// What bits are drawn for. Each has a sequence of its own, so that one setting does not shift the draws of another.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Loss,
    Jitter,
    Reorder,
    Duplicate,
    State,
    CrossTraffic,
}

impl Channel {
    /// A channel; those of one link have different seeds.
    #[must_use]
    pub fn new(model: DirectionModel, seed: u64) -> Self {
        Self {
            loss: LossState::new(model.loss.clone()),
            bottleneck: Bottleneck::of(&model, seed),
            model,
            seed,
            first: None,
            last_arrival: 0,
            statistics: ChannelStatistics::default(),
        }
    }

    /// How many packets there were.
    #[must_use]
    pub const fn statistics(&self) -> &ChannelStatistics {
        &self.statistics
    }

    /// Decides on a packet that is offered at `now`, which must not be before earlier calls.
    pub fn offer(&mut self, now: u64, octets: usize) -> Fate {
        let number = self.statistics.packets;
        self.statistics.packets += 1;
        self.statistics.octets += octets as u64;
        let seed = self.seed;
        let begun = now - *self.first.get_or_insert(now);
        let loss = self
            .loss
            .probability(begun, |state| hash(seed, Purpose::State, state));
        let Some(sent) = self.send(now, octets) else {
            self.statistics.dropped += 1;
            return Fate::Lost(LossCause::QueueFull);
        };
        if loss.happens(self.draw(Purpose::Loss, number)) {
            self.statistics.lost += 1;
            return Fate::Lost(LossCause::OnTheWay);
        }
        let arrival = self.arrival(sent, number);
        if self
            .model
            .duplicate
            .happens(self.draw(Purpose::Duplicate, number))
        {
            self.statistics.duplicated += 1;
            return Fate::ArrivesTwice(arrival);
        }
        Fate::Arrives(arrival)
    }

    /// When the packet has been sent; `None` if it finds no room in the queue.
    fn send(&mut self, now: u64, octets: usize) -> Option<u64> {
        match &mut self.bottleneck {
            Some(bottleneck) => bottleneck.send(now, octets as u64),
            None => Some(now),
        }
    }

    fn arrival(&mut self, sent: u64, number: u64) -> u64 {
        if self
            .model
            .reorder
            .happens(self.draw(Purpose::Reorder, number))
        {
            self.statistics.reordered += 1;
            return sent;
        }
        let delay = self.model.delay.as_nanos() as f64;
        let jitter = self.model.jitter.as_nanos() as f64;
        let aside = uniform(self.draw(Purpose::Jitter, number)).mul_add(2.0, -1.0);
        let delay = jitter.mul_add(aside, delay).max(0.0) as u64;
        self.last_arrival = self.last_arrival.max(sent.saturating_add(delay));
        self.last_arrival
    }

    fn draw(&self, purpose: Purpose, number: u64) -> u64 {
        hash(self.seed, purpose, number)
    }
}

/// 64 bits that depend on all three alone.
pub(super) fn hash(seed: u64, purpose: Purpose, number: u64) -> u64 {
    let place = number.wrapping_mul(8).wrapping_add(purpose as u64);
    crate::statistics::mix(seed ^ crate::statistics::mix(place))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{GilbertElliott, Loss as LossModel, LossChange, Probability};
    use super::*;

    const MS: u64 = 1_000_000;

    fn probability(value: f64) -> Probability {
        Probability::new(value).expect("a probability")
    }

    fn lossy(loss: LossModel) -> DirectionModel {
        DirectionModel {
            loss,
            ..DirectionModel::default()
        }
    }

    fn fates(model: &DirectionModel, seed: u64, packets: u64, every: u64) -> Vec<Fate> {
        let mut channel = Channel::new(model.clone(), seed);
        (0..packets)
            .map(|k| channel.offer(k * every, 100))
            .collect()
    }

    fn lost(fates: &[Fate]) -> usize {
        fates
            .iter()
            .filter(|fate| matches!(fate, Fate::Lost(_)))
            .count()
    }

    #[test]
    fn the_same_seed_has_the_same_fates_and_another_one_has_others() {
        let model = lossy(LossModel::Independent(probability(0.3)));
        assert_eq!(fates(&model, 7, 1000, MS), fates(&model, 7, 1000, MS));
        assert_ne!(fates(&model, 7, 1000, MS), fates(&model, 8, 1000, MS));
    }

    /// Of 100,000 packets at 30 %, four standard deviations are 580.
    #[test]
    fn as_many_packets_are_lost_as_asked() {
        let model = lossy(LossModel::Independent(probability(0.3)));
        let lost = lost(&fates(&model, 1, 100_000, 1));
        assert!(lost.abs_diff(30_000) < 580, "{lost}");
    }

    #[test]
    fn other_settings_do_not_change_which_packets_are_lost() {
        let plain = lossy(LossModel::Independent(probability(0.3)));
        let other = DirectionModel {
            delay: Duration::from_millis(5),
            jitter: Duration::from_millis(3),
            reorder: probability(0.1),
            duplicate: probability(0.1),
            ..plain.clone()
        };
        let pattern = |model| -> Vec<bool> {
            let fates = fates(model, 3, 1000, MS);
            fates
                .iter()
                .map(|fate| matches!(fate, Fate::Lost(_)))
                .collect()
        };
        assert_eq!(pattern(&plain), pattern(&other));
    }

    #[test]
    fn delay_and_jitter_keep_the_order() {
        let model = DirectionModel {
            delay: Duration::from_millis(5),
            jitter: Duration::from_millis(4),
            ..DirectionModel::default()
        };
        let mut last = 0;
        for (k, fate) in fates(&model, 1, 1000, MS / 10).into_iter().enumerate() {
            let Fate::Arrives(at) = fate else {
                panic!("lost");
            };
            let sent = k as u64 * MS / 10;
            assert!(at >= last && at >= sent + MS && at <= sent + 9 * MS + 4 * MS);
            last = at;
        }
    }

    #[test]
    fn a_rate_takes_the_time_of_the_bits_and_a_full_queue_drops() {
        // 100 octets at 800 kbit/s take one millisecond; three wait.
        let model = DirectionModel {
            rate: Some(800_000),
            queue: 300,
            ..DirectionModel::default()
        };
        assert_eq!(
            fates(&model, 1, 5, 0),
            [
                Fate::Arrives(MS),
                Fate::Arrives(2 * MS),
                Fate::Arrives(3 * MS),
                Fate::Lost(LossCause::QueueFull),
                Fate::Lost(LossCause::QueueFull),
            ]
        );
    }

    #[test]
    fn bursts_last_their_time_however_many_packets_are_sent() {
        let model = GilbertElliott {
            good: Duration::from_millis(80),
            bad: Duration::from_millis(20),
            good_loss: Probability::ZERO,
            bad_loss: probability(1.0),
        };
        for every in [MS / 10, MS] {
            let packets = 200_000 * MS / every / 10;
            let fates = fates(&lossy(LossModel::GilbertElliott(model)), 1, packets, every);
            let part = lost(&fates) as f64 / packets as f64;
            assert!((part - model.mean_loss()).abs() < 0.04, "{part}");
            let bursts = fates
                .windows(2)
                .filter(|pair| matches!(pair, [Fate::Arrives(_), Fate::Lost(_)]))
                .count();
            let mean = lost(&fates) as f64 * every as f64 / MS as f64 / bursts as f64;
            assert!((mean - 20.0).abs() < 3.0, "{mean} ms");
        }
    }

    #[test]
    fn loss_changes_when_it_is_to() {
        let change = |ms, loss| LossChange {
            after: Duration::from_millis(ms),
            loss: probability(loss),
        };
        let schedule = LossModel::Schedule(vec![change(10, 1.0), change(20, 0.0)]);
        let fates = fates(&lossy(schedule), 1, 30, MS);
        let lost: Vec<usize> = (0..30)
            .filter(|k| matches!(fates[*k], Fate::Lost(_)))
            .collect();
        assert_eq!(lost, (10..20).collect::<Vec<_>>());
    }

    #[test]
    fn what_overtakes_has_no_delay_and_what_is_doubled_arrives_twice() {
        let model = DirectionModel {
            delay: Duration::from_millis(5),
            reorder: probability(0.5),
            duplicate: probability(0.5),
            ..DirectionModel::default()
        };
        let mut channel = Channel::new(model, 9);
        let mut twice = 0;
        for k in 0..1000 {
            match channel.offer(k * MS, 100) {
                Fate::Arrives(at) => assert!(at == k * MS || at == (k + 5) * MS),
                Fate::ArrivesTwice(_) => twice += 1,
                Fate::Lost(_) => panic!("lost"),
            }
        }
        assert_eq!(channel.statistics().duplicated, twice);
        assert!((400..600).contains(&channel.statistics().reordered));
        assert!((400..600).contains(&twice));
    }
}
