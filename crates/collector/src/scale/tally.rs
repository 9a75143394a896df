//! When each target was polled.

use std::time::Duration;

use crate::cluster::Shard;

/// All targets, and when each was polled.
#[derive(Debug)]
pub(super) struct Tally {
    begin: Duration,
    /// When the last fault was.
    fault: u32,
    targets: Vec<Polls>,
    by_shard: Vec<Vec<u32>>,
    /// Polls with the slot of a former one.
    pub(super) repeated: u64,
    /// Polls that count.
    pub(super) polls: u64,
    /// Polls without a response.
    pub(super) silent: u64,
}

/// Milliseconds since the beginning.
#[derive(Clone, Copy, Debug, Default)]
struct Polls {
    last: u32,
    longest_gap: u32,
    /// From a fault to the next poll.
    longest_wait: u32,
}

/// The name of a target.
pub(super) fn name(target: u32) -> String {
    let [_, a, b, c] = target.to_be_bytes();
    format!("10.{a}.{b}.{c}")
}

impl Tally {
    pub(super) fn new(targets: u32, begin: Duration) -> Self {
        let mut by_shard: Vec<_> = Shard::all().map(|_| Vec::new()).collect();
        for target in 0..targets {
            let shard = Shard::of(&name(target));
            if let Some(shard) = by_shard.get_mut(usize::from(shard.number())) {
                shard.push(target);
            }
        }
        Self {
            begin,
            fault: 0,
            targets: vec![Polls::default(); targets as usize],
            by_shard,
            repeated: 0,
            polls: 0,
            silent: 0,
        }
    }

    pub(super) fn members(&self, shard: Shard) -> &[u32] {
        let members = self.by_shard.get(usize::from(shard.number()));
        members.map_or(&[], Vec::as_slice)
    }

    /// A poll in a slot is delivered.
    pub(super) fn record(&mut self, target: u32, slot: Duration, has_response: bool) {
        let slot = self.milliseconds(slot);
        let Some(polls) = self.targets.get_mut(target as usize) else {
            return;
        };
        // A collector takes a target over in a later slot, or repeats one of a collector that went on.
        if slot <= polls.last {
            self.repeated += 1;
            return;
        }
        polls.observe(slot, self.fault);
        polls.last = slot;
        self.polls += 1;
        self.silent += u64::from(!has_response);
    }

    /// Something fails now: targets must be polled again.
    pub(super) fn fail(&mut self, now: Duration) {
        self.fault = self.milliseconds(now);
    }

    /// The longest times of chosen targets: without a poll, and from a fault to the next poll.
    pub(super) fn longest(
        &self,
        end: Duration,
        is_chosen: impl Fn(u32) -> bool,
    ) -> (Duration, Duration) {
        let end = self.milliseconds(end);
        let chosen = (0..)
            .zip(&self.targets)
            .filter(|(target, _)| is_chosen(*target));
        let (gap, wait) = chosen.fold((0, 0), |(gap, wait), (_, polls)| {
            let mut polls = *polls;
            polls.observe(end, self.fault);
            (gap.max(polls.longest_gap), wait.max(polls.longest_wait))
        });
        (
            Duration::from_millis(gap.into()),
            Duration::from_millis(wait.into()),
        )
    }

    fn milliseconds(&self, time: Duration) -> u32 {
        let time = time.saturating_sub(self.begin).as_millis();
        u32::try_from(time).unwrap_or(u32::MAX)
    }
}

impl Polls {
    fn observe(&mut self, slot: u32, fault: u32) {
        self.longest_gap = self.longest_gap.max(slot.saturating_sub(self.last));
        if self.last <= fault && fault < slot {
            self.longest_wait = self.longest_wait.max(slot - fault);
        }
    }
}
