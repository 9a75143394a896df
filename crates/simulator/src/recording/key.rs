//! Names as octets whose order is that of the names.

use varbind_codec::smi::{MAX_SUB_IDENTIFIERS, OidScratch};

/// The most octets that a name takes.
const LONGEST: usize = 5 * MAX_SUB_IDENTIFIERS;

/// The sub-identifiers of a name, each in the fewest octets of this form. The count of leading one bits in the first octet
/// is the number of octets that follow, so that larger numbers compare as larger, octet by octet, whatever their lengths: a
/// look-up compares memory and decodes nothing.
#[derive(Clone)]
pub(crate) struct NameKey {
    octets: [u8; LONGEST],
    length: usize,
}

impl NameKey {
    /// Room without a name.
    pub(crate) const fn new() -> Self {
        Self {
            octets: [0; LONGEST],
            length: 0,
        }
    }

    /// The key of a name.
    pub(crate) fn of(arcs: &[u32]) -> Self {
        let mut key = Self::new();
        key.set(arcs);
        key
    }

    /// Takes another name; what is beyond 128 sub-identifiers is cut off.
    pub(crate) fn set(&mut self, arcs: &[u32]) {
        self.length = 0;
        for &arc in arcs.iter().take(MAX_SUB_IDENTIFIERS) {
            self.push(arc);
        }
    }

    fn push(&mut self, arc: u32) {
        let [a, b, c, d] = arc.to_be_bytes();
        let (octets, count) = match arc {
            0..=0x7f => ([d, 0, 0, 0, 0], 1),
            0x80..=0x3fff => ([0x80 | c, d, 0, 0, 0], 2),
            0x4000..=0x1f_ffff => ([0xc0 | b, c, d, 0, 0], 3),
            0x20_0000..=0x0fff_ffff => ([0xe0 | a, b, c, d, 0], 4),
            _ => ([0xf0, a, b, c, d], 5),
        };
        let end = self.length + count;
        if let (Some(room), Some(octets)) =
            (self.octets.get_mut(self.length..end), octets.get(..count))
        {
            room.copy_from_slice(octets);
            self.length = end;
        }
    }

    /// The octets.
    pub(crate) fn octets(&self) -> &[u8] {
        self.octets.get(..self.length).unwrap_or(&[])
    }
}

/// Writes the name of a key into `name`.
pub(crate) fn decode(mut key: &[u8], name: &mut OidScratch) {
    name.set(&[]);
    while let Some((&first, rest)) = key.split_first() {
        let following = first.leading_ones().min(4) as usize;
        let mut value = match following {
            0 => u32::from(first),
            4 => 0,
            count => u32::from(first) & (0x7f >> count),
        };
        let Some((octets, rest)) = rest.split_at_checked(following) else {
            return;
        };
        for &octet in octets {
            value = value << 8 | u32::from(octet);
        }
        name.push(value);
        key = rest;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn arc() -> impl Strategy<Value = u32> {
        (any::<u32>(), 0_u32..32).prop_map(|(arc, shift)| arc >> shift)
    }

    proptest! {
        #[test]
        fn a_key_is_decoded_to_its_name(arcs in prop::collection::vec(arc(), 0..=128)) {
            let mut name = OidScratch::new();
            decode(NameKey::of(&arcs).octets(), &mut name);
            prop_assert_eq!(name.arcs(), &arcs[..]);
        }

        #[test]
        fn keys_have_the_order_of_their_names(
            one in prop::collection::vec(arc(), 0..6),
            other in prop::collection::vec(arc(), 0..6),
        ) {
            let keys = (NameKey::of(&one), NameKey::of(&other));
            prop_assert_eq!(one.cmp(&other), keys.0.octets().cmp(keys.1.octets()));
        }
    }

    #[test]
    fn numbers_at_the_borders_of_lengths_keep_their_order() {
        let borders = [
            0,
            0x7f,
            0x80,
            0x3fff,
            0x4000,
            0x1f_ffff,
            0x20_0000,
            0x0fff_ffff,
            0x1000_0000,
            u32::MAX,
        ];
        for pair in borders.windows(2) {
            let [less, more] = [pair[0], pair[1]].map(|arc| NameKey::of(&[1, 3, arc, 9]));
            assert!(less.octets() < more.octets(), "{pair:?}");
        }
    }
}
