//! Shards of targets, and which collector each shard prefers.

/// How many shards there are.
pub const SHARDS: usize = 256;

/// A part of the targets, which one collector polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard(u8);

impl Shard {
    /// The shard of a target, by its name. All collectors of all versions agree on it.
    #[must_use]
    pub fn of(target: &str) -> Self {
        let [shard, ..] = hash(&[target.as_bytes()]).to_be_bytes();
        Self(shard)
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=u8::MAX).map(Self)
    }

    /// The shard with this number.
    #[must_use]
    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// How much the shard prefers a collector: the live one with the largest figure should have it. When a collector comes or goes, the other
    /// shards stay where they are (rendezvous hashing).
    pub(super) fn preference(self, collector: &str) -> u64 {
        hash(&[&[self.0], collector.as_bytes()])
    }
}

/// FNV-1a of 64 bits, with the last mixing steps of `MurmurHash3`: short names differ in all bits.
fn hash(parts: &[&[u8]]) -> u64 {
    let octets = parts.iter().flat_map(|part| part.iter());
    let hash = octets.fold(0xcbf2_9ce4_8422_2325_u64, |hash, octet| {
        (hash ^ u64::from(*octet)).wrapping_mul(0x0100_0000_01b3)
    });
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_stay_in_their_shards() {
        // Another version with other shards would poll twice what runs beside it.
        let shards = ["router1", "router2", "10.0.0.1", ""].map(|name| Shard::of(name).number());
        assert_eq!(shards, [28, 217, 200, 239]);
    }

    #[test]
    fn targets_are_spread_evenly() {
        let mut counts = [0; SHARDS];
        for target in 0..25_600 {
            let name = format!(
                "10.{}.{}.{}",
                target / 65536,
                target / 256 % 256,
                target % 256
            );
            counts[usize::from(Shard::of(&name).number())] += 1;
        }
        assert!(
            counts.iter().all(|count| (50..150).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn a_collector_that_goes_moves_its_own_shards_alone() {
        let preferred = |collectors: &[&'static str]| -> Vec<&'static str> {
            let best = |shard: Shard| {
                *collectors
                    .iter()
                    .max_by_key(|collector| shard.preference(collector))
                    .unwrap()
            };
            Shard::all().map(best).collect()
        };
        let before = preferred(&["a", "b", "c"]);
        let after = preferred(&["a", "b"]);
        for (before, after) in before.iter().zip(&after) {
            assert!(*before == "c" || before == after);
        }
        for collector in ["a", "b", "c"] {
            let count = before.iter().filter(|name| **name == collector).count();
            assert!((60..110).contains(&count), "{collector}: {count}");
        }
    }
}
