/// The number of content octets of the minimal form of a signed INTEGER (X.690 section 8.3.2).
#[inline]
pub(crate) const fn signed_length(value: i64) -> usize {
    let magnitude = if value < 0 { !value } else { value };
    // One more bit than the magnitude needs, for the sign.
    let bits = 65 - magnitude.leading_zeros() as usize;
    bits.div_ceil(8)
}

/// The number of content octets of the minimal form of an unsigned value: a zero octet comes first where the top
/// bit is set.
#[inline]
pub(crate) const fn unsigned_length(value: u64) -> usize {
    let bits = 65 - value.leading_zeros() as usize;
    bits.div_ceil(8)
}

/// The number of octets that the minimal form of `length` takes (X.690 section 8.1.3).
#[inline]
pub(crate) const fn length_octets(length: usize) -> usize {
    match length {
        0..=0x7f => 1,
        0x80..=0xff => 2,
        0x100..=0xffff => 3,
        0x1_0000..=0xff_ffff => 4,
        _ => 1 + (usize::BITS - length.leading_zeros()).div_ceil(8) as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_at_the_edges() {
        for (value, length) in [
            (0, 1),
            (127, 1),
            (128, 2),
            (-128, 1),
            (-129, 2),
            (32767, 2),
            (32768, 3),
            (i64::from(i32::MAX), 4),
            (i64::from(i32::MIN), 4),
            (i64::MAX, 8),
            (i64::MIN, 8),
        ] {
            assert_eq!(signed_length(value), length, "{value}");
        }
        for (value, length) in [
            (0, 1),
            (127, 1),
            (128, 2),
            (u64::from(u32::MAX), 5),
            (u64::MAX, 9),
        ] {
            assert_eq!(unsigned_length(value), length, "{value}");
        }
    }
}
