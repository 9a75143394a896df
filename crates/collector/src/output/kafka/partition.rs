//! The partition of a key: as Kafka's own producers choose it, so that streams of both can be joined.

/// The hash of Kafka's producers: MurmurHash 2 with a seed of theirs.
fn hash(key: &[u8]) -> u32 {
    const FACTOR: u32 = 0x5bd1_e995;
    const SEED: u32 = 0x9747_b28c;
    // Keys are far shorter than 4 GiB.
    let length = u32::try_from(key.len()).unwrap_or(u32::MAX);
    let mut hash = SEED ^ length;
    let (words, rest) = key.as_chunks::<4>();
    for word in words {
        let word = u32::from_le_bytes(*word).wrapping_mul(FACTOR);
        let word = (word ^ (word >> 24)).wrapping_mul(FACTOR);
        hash = hash.wrapping_mul(FACTOR) ^ word;
    }
    if !rest.is_empty() {
        let mut last = [0; 4];
        last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        hash = (hash ^ u32::from_le_bytes(last)).wrapping_mul(FACTOR);
    }
    hash = (hash ^ (hash >> 13)).wrapping_mul(FACTOR);
    hash ^ (hash >> 15)
}

/// The place of a key among so many partitions.
pub(super) fn of_key(key: &[u8], partitions: usize) -> usize {
    let positive = (hash(key) & 0x7fff_ffff) as usize;
    positive.checked_rem(partitions).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the test of Kafka's own function.
    #[test]
    fn hash_is_that_of_kafka() {
        for (key, expected) in [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            (
                "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8",
                -58_897_971,
            ),
            ("abc", 479_470_107),
        ] {
            assert_eq!(hash(key.as_bytes()).cast_signed(), expected, "{key}");
        }
        assert_eq!(of_key(b"abc", 0), 0);
        assert_eq!(
            of_key(b"21", 7),
            usize::try_from((-973_932_308_i32).cast_unsigned() & 0x7fff_ffff).unwrap() % 7
        );
    }
}
