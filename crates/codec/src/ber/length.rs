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
