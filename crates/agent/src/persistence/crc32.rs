/// The reflected polynomial of CRC-32 (ISO 3309, as in Ethernet and zip).
const POLYNOMIAL: u32 = 0xedb8_8320;

/// The CRC-32 of `octets`. Bit by bit: records are short and rare.
pub(crate) fn crc32(octets: &[u8]) -> u32 {
    let remainder = octets.iter().fold(u32::MAX, |remainder, &octet| {
        (0..8).fold(remainder ^ u32::from(octet), |remainder, _| {
            let is_odd = remainder & 1 == 1;
            remainder >> 1 ^ if is_odd { POLYNOMIAL } else { 0 }
        })
    });
    !remainder
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_check_value_is_that_of_the_standard() {
        assert_eq!(super::crc32(b"123456789"), 0xcbf4_3926);
    }
}
