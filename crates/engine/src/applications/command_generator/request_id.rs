/// Draws request-ids that cannot be guessed without the seed.
///
/// All are positive and take four octets, so that every attempt of a request has the same size.
#[derive(Clone, Debug)]
pub(super) struct RequestIds {
    state: u64,
}

const SMALLEST: u32 = 1 << 23;

impl RequestIds {
    pub(super) const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next id (SplitMix64); the caller rejects one that is in use.
    pub(super) fn draw(&mut self) -> i32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let [.., a, b, c, d] = (mixed ^ (mixed >> 31)).to_be_bytes();
        let id = (u32::from_be_bytes([a, b, c, d]) & i32::MAX.cast_unsigned()) | SMALLEST;
        id.cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_positive_take_four_octets_and_follow_the_seed() {
        let mut ids = RequestIds::new(1);
        let mut again = RequestIds::new(1);
        for _ in 0..1000 {
            let id = ids.draw();
            assert!(id >= 1 << 23);
            assert_eq!(id, again.draw());
        }
        assert_ne!(RequestIds::new(1).draw(), RequestIds::new(2).draw());
    }
}
