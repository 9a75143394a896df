use std::time::Duration;

/// The times at which a task is due: once in each interval, at a phase that its name decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slots {
    /// In milliseconds.
    interval: u64,
    phase: u64,
}

impl Slots {
    pub(super) fn new(name: &str, interval: Duration) -> Self {
        let interval = milliseconds(interval).max(1);
        let phase = hash(name) % interval;
        Self { interval, phase }
    }

    pub(super) const fn interval(self) -> Duration {
        Duration::from_millis(self.interval)
    }

    /// The first slot after a time.
    pub(super) fn next(self, time: Duration) -> Duration {
        let Self { interval, phase } = self;
        let time = milliseconds(time);
        // Without a phase, slots are the multiples of the interval.
        let number = (time + interval - phase) / interval;
        Duration::from_millis((number * interval).saturating_add(phase))
    }

    /// How many slots are between two.
    pub(super) fn between(self, first: Duration, second: Duration) -> u64 {
        let distance = milliseconds(second.saturating_sub(first));
        (distance / self.interval).saturating_sub(1)
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX / 4)
}

/// A number that is the same on each machine (FNV-1a, with the finish of MurmurHash3).
fn hash(text: &str) -> u64 {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, octet| {
            (hash ^ u64::from(octet)).wrapping_mul(0x0100_0000_01b3)
        });
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_slot_in_each_interval() {
        let minute = Duration::from_secs(60);
        for name in ["router1/if_mib", "router1/system", ""] {
            let slots = Slots::new(name, minute);
            let first = slots.next(Duration::from_secs(1_000_000));
            assert!(first > Duration::from_secs(1_000_000), "{name}");
            assert!(first <= Duration::from_secs(1_000_060), "{name}");
            assert_eq!(slots.next(first), first + minute, "{name}");
            assert_eq!(slots.next(first - Duration::from_millis(1)), first);
            assert_eq!(slots.between(first, first + minute), 0);
            assert_eq!(slots.between(first, first + 3 * minute), 2);
        }
    }

    #[test]
    fn names_are_spread_over_the_interval() {
        let mut counts = [0_u32; 10];
        for number in 0..10_000 {
            let slots = Slots::new(&format!("router{number}/if_mib"), Duration::from_secs(10));
            counts[usize::try_from(slots.phase / 1000).unwrap()] += 1;
        }
        assert!(
            counts.iter().all(|count| (900..1100).contains(count)),
            "{counts:?}"
        );
    }
}
