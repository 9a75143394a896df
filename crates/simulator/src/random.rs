//! Reproducible random numbers: functions of the seed, a device, an object and a time.

/// Hashes these numbers; each bit of the result depends on all their bits (the finalizer of SplitMix64).
pub(crate) fn draw(parts: &[u64]) -> u64 {
    parts.iter().fold(0x9e37_79b9_7f4a_7c15, |state, &part| {
        let mut mixed = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

/// Hashes octets (FNV-1a) to a number for [`draw`].
pub(crate) fn of_octets(octets: &[u8]) -> u64 {
    octets.iter().fold(0xcbf2_9ce4_8422_2325, |state, &octet| {
        (state ^ u64::from(octet)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A random number as a fraction from 0 up to, but without, 1.
#[allow(
    clippy::cast_precision_loss,
    reason = "53 bits are what the number has"
)]
pub(crate) fn unit(draw: u64) -> f64 {
    (draw >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_spread_evenly_and_repeatable() {
        let below = |bound: f64| {
            let draws = (0..10_000).map(|number| unit(draw(&[7, number])));
            draws.filter(|draw| *draw < bound).count()
        };
        for (bound, expected) in [(0.01, 100), (0.5, 5_000), (0.9, 9_000)] {
            assert!(
                below(bound).abs_diff(expected) < 300,
                "{bound}: {}",
                below(bound)
            );
        }
        assert_eq!(draw(&[1, 2, 3]), draw(&[1, 2, 3]));
        assert_ne!(draw(&[1, 2, 3]), draw(&[1, 3, 2]));
    }
}
