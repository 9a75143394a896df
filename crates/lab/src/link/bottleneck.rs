use super::DirectionModel;
use super::channel::{Purpose, hash};
use super::model::uniform;

/// Other traffic that is sent at the same place: packets of 1500 octets, with a Poisson process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossTraffic {
    /// How much it offers, as a part of the rate; above 1 the queue is full most of the time, and more than [`Self::MOST`]
    /// counts as that.
    pub load: f64,
    /// Whether packets of the channel go ahead of it, and have a queue of their own. They wait for the packet that is
    /// being sent, at most.
    pub has_priority: bool,
}

impl CrossTraffic {
    /// The greatest load.
    pub const MOST: f64 = 10.0;
}

/// Octets of a packet of cross traffic.
const CROSS_PACKET: u64 = 1500;
/// Of cross traffic that came earlier than so many times the full queue takes to be sent, nothing is left to tell.
const MEMORY: u64 = 20;
/// Nor of that which came before so many packets could be sent, however long the queue is.
const MOST_MEMORY: u64 = 100_000;
const NANOSECONDS: u64 = 1_000_000_000;

/// Where packets of a channel wait until they are sent.
#[derive(Debug)]
pub(super) struct Bottleneck {
    /// Bits a second.
    rate: u64,
    /// Octets that may wait.
    queue: u64,
    cross: Option<CrossTraffic>,
    seed: u64,
    /// When all that waits will have been sent, and all that waits of the channel's own. As all times here, it is later by
    /// [`Self::memory`] than outside: cross traffic was there before the first packet.
    free_at: u64,
    own_free_at: u64,
    /// When the next packet of cross traffic comes, and its number.
    next: u64,
    number: u64,
}

impl Bottleneck {
    /// `None` where everything is sent at once.
    pub(super) fn of(model: &DirectionModel, seed: u64) -> Option<Self> {
        Some(Self {
            rate: model.rate.filter(|rate| *rate > 0)?,
            queue: model.queue as u64,
            cross: model.cross.filter(|cross| cross.load > 0.0),
            seed,
            free_at: 0,
            own_free_at: 0,
            next: 0,
            number: 0,
        })
    }

    /// When a packet that is offered at `now` has been sent; `None` if it finds no room in the queue.
    pub(super) fn send(&mut self, now: u64, octets: u64) -> Option<u64> {
        let memory = self.memory();
        let now = now.saturating_add(memory);
        self.let_cross_traffic_in(now, memory);
        let time = self.time(octets);
        let begins = match self.cross {
            Some(cross) if cross.has_priority => {
                self.has_room(self.own_free_at, now, octets).then_some(())?;
                // Cross traffic is sent without a gap until all is sent, and its packets are alike.
                let being_sent = match self.own_free_at > now {
                    true => 0,
                    false => self.free_at.saturating_sub(now) % self.time(CROSS_PACKET),
                };
                self.free_at = self.free_at.max(now).saturating_add(time);
                self.own_free_at.max(now + being_sent)
            }
            shared => {
                // A queue that is shared counts packets, as those of routers do: a small one needs the room of a large one.
                let room = match shared {
                    Some(_) => octets.max(CROSS_PACKET),
                    None => octets,
                };
                self.has_room(self.free_at, now, room).then_some(())?;
                let begins = self.free_at.max(now);
                self.free_at = begins.saturating_add(time);
                begins
            }
        };
        self.own_free_at = begins.saturating_add(time);
        Some(self.own_free_at.saturating_sub(memory))
    }

    /// Whether a packet finds room behind what waits until then.
    fn has_room(&self, free_at: u64, now: u64, octets: u64) -> bool {
        let waits = u128::from(free_at.saturating_sub(now));
        let waiting = waits * u128::from(self.rate) / u128::from(8 * NANOSECONDS);
        waiting + u128::from(octets) <= u128::from(self.queue)
    }

    /// How long it takes to send so many octets.
    fn time(&self, octets: u64) -> u64 {
        let time = u128::from(octets) * u128::from(8 * NANOSECONDS) / u128::from(self.rate);
        u64::try_from(time).unwrap_or(u64::MAX).max(1)
    }

    fn memory(&self) -> u64 {
        match self.cross {
            Some(_) => {
                let most = self.time(CROSS_PACKET).saturating_mul(MOST_MEMORY);
                self.time(self.queue).saturating_mul(MEMORY).min(most)
            }
            None => 0,
        }
    }

    /// Queues what came until now.
    fn let_cross_traffic_in(&mut self, now: u64, memory: u64) {
        let Some(cross) = self.cross else {
            return;
        };
        let time = self.time(CROSS_PACKET);
        let mean_gap = time as f64 / cross.load.min(CrossTraffic::MOST);
        self.next = self.next.max(now.saturating_sub(memory));
        while self.next <= now {
            if self.has_room(self.free_at, self.next, CROSS_PACKET) {
                self.free_at = self.free_at.max(self.next).saturating_add(time);
            }
            let bits = hash(self.seed, Purpose::CrossTraffic, self.number);
            let gap = -(1.0 - uniform(bits)).ln() * mean_gap;
            self.next = self.next.saturating_add((gap as u64).max(1));
            self.number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// 1500 octets take 12 ms, and ten of them may wait.
    fn bottleneck(load: f64, has_priority: bool) -> Bottleneck {
        let model = DirectionModel {
            rate: Some(1_000_000),
            queue: 15_000,
            cross: Some(CrossTraffic { load, has_priority }),
            ..DirectionModel::default()
        };
        Bottleneck::of(&model, 7).unwrap()
    }

    /// How long packets of 125 octets (1 ms) take, about one each second: no multiple of what packets take. What is lost is
    /// missing.
    fn times(mut of: Bottleneck, packets: u64) -> Vec<u64> {
        let sent = (0..packets).filter_map(|k| {
            let now = k * 1_001_234_567;
            Some(of.send(now, 125)? - now)
        });
        sent.collect()
    }

    fn mean(times: &[u64]) -> f64 {
        times.iter().sum::<u64>() as f64 / times.len() as f64 / MS as f64
    }

    /// The mean wait in a queue of packets that take equally long is half a packet by load / (1 - load).
    #[test]
    fn cross_traffic_makes_packets_wait_as_queueing_theory_says() {
        for load in [0.2, 0.5] {
            let expected = 6.0 * load / (1.0 - load) + 1.0;
            let found = mean(&times(bottleneck(load, false), 20_000));
            assert!(
                (found - expected).abs() < 0.05 * expected,
                "{load}: {found} {expected}"
            );
        }
    }

    #[test]
    fn more_traffic_than_the_rate_fills_the_queue_and_packets_are_lost() {
        let arrived = times(bottleneck(2.0, false), 2000);
        // As much of it as of the other traffic: half.
        assert!((800..1200).contains(&arrived.len()), "{}", arrived.len());
        assert!(mean(&arrived) > 95.0);
    }

    /// What is being sent is half sent on average, and at load 1 and more there always is something.
    #[test]
    fn packets_that_go_ahead_wait_for_one_packet_at_most_and_none_is_lost() {
        let arrived = times(bottleneck(2.0, true), 2000);
        assert_eq!(arrived.len(), 2000);
        assert!(arrived.iter().all(|time| *time <= 13 * MS));
        let found = mean(&arrived);
        assert!((found - 7.0).abs() < 0.5, "{found}");
    }

    #[test]
    fn packets_that_go_ahead_of_others_wait_for_each_other() {
        let mut of = bottleneck(2.0, true);
        let first = of.send(0, 125).unwrap();
        assert_eq!(of.send(0, 125), Some(first + MS));
        // 15,000 octets are 120 of them.
        let more = (0..200).filter_map(|_| of.send(0, 125)).count();
        assert!((100..120).contains(&more), "{more}");
    }

    #[test]
    fn extreme_settings_end_in_time() {
        for (rate, queue, load) in [
            (u64::MAX, 64_000, 1.0),
            (1, 64_000, f64::INFINITY),
            (1_000_000_000, usize::MAX, 1e9),
        ] {
            for has_priority in [false, true] {
                let model = DirectionModel {
                    rate: Some(rate),
                    queue,
                    cross: Some(CrossTraffic { load, has_priority }),
                    ..DirectionModel::default()
                };
                let mut of = Bottleneck::of(&model, 1).unwrap();
                of.send(0, 125);
                of.send(1000 * MS, 125);
                assert!(
                    of.number < 5_000_000,
                    "{rate} {queue} {load}: {}",
                    of.number
                );
            }
        }
    }

    #[test]
    fn time_without_packets_costs_nothing() {
        let mut of = bottleneck(0.9, false);
        of.send(0, 125).unwrap();
        let year = 365 * 24 * 3600 * 1000 * MS;
        assert!(of.send(year, 125).is_some());
        assert!(of.number < 10_000);
    }
}
