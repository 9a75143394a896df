//! Numbers, names and octets in the text of recordings.

use varbind_codec::smi::{MAX_SUB_IDENTIFIERS, OidScratch};

use super::report::LineError;

/// Reads dotted numbers, with or without a dot in front.
pub(super) fn read_name(text: &[u8], name: &mut OidScratch) -> Result<(), LineError> {
    let text = text.strip_prefix(b".").unwrap_or(text);
    name.set(&[]);
    let mut count = 0;
    for part in text.split(|&octet| octet == b'.') {
        let arc = unsigned(part).and_then(|arc| u32::try_from(arc).ok());
        name.push(arc.ok_or(LineError::Name)?);
        count += 1;
    }
    match name.arcs() {
        [0..=1, 0..=39, ..] | [2, _, ..] if count <= MAX_SUB_IDENTIFIERS => Ok(()),
        _ => Err(LineError::Name),
    }
}

/// Reads a decimal number that is not negative.
pub(super) fn unsigned(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |number, &octet| {
        let digit = octet.wrapping_sub(b'0');
        (digit <= 9).then_some(())?;
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Reads a decimal number.
pub(super) fn signed(text: &[u8]) -> Option<i64> {
    match text.strip_prefix(b"-") {
        Some(digits) => 0_i64.checked_sub_unsigned(unsigned(digits)?),
        None => i64::try_from(unsigned(text)?).ok(),
    }
}

/// Appends the octets of hexadecimal digits; spaces, and what `is_separator` says, may stand between octets.
pub(super) fn append_hexadecimal(
    text: &[u8],
    is_separator: impl Fn(u8) -> bool,
    octets: &mut Vec<u8>,
) -> Option<()> {
    let mut high = None;
    for &character in text {
        match (hexadecimal_digit(character), high) {
            (Some(digit), None) => high = Some(digit),
            (Some(digit), Some(first)) => {
                octets.push(first << 4 | digit);
                high = None;
            }
            (None, _) if character == b' ' || is_separator(character) => {
                // `0:1a` stands for two octets where colons separate.
                if let Some(digit) = high.take() {
                    octets.push(digit);
                }
            }
            (None, _) => return None,
        }
    }
    match high {
        Some(digit) if text.iter().any(|&octet| is_separator(octet)) => octets.push(digit),
        Some(_) => return None,
        None => {}
    }
    Some(())
}

pub(super) const fn hexadecimal_digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        b'A'..=b'F' => Some(character - b'A' + 10),
        _ => None,
    }
}

/// The text without white space at both ends.
pub(super) const fn trimmed(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_to_their_limits() {
        assert_eq!(unsigned(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(unsigned(b"18446744073709551616"), None);
        assert_eq!(signed(b"-9223372036854775808"), Some(i64::MIN));
        for wrong in ["", "-", "+1", "1 ", "0x1", "1.0"] {
            assert_eq!(unsigned(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn names_that_no_message_carries_are_refused() {
        let mut name = OidScratch::new();
        for right in ["1.3", ".1.3.6.1.4294967295", "2.999.1", "0.0"] {
            assert_eq!(read_name(right.as_bytes(), &mut name), Ok(()), "{right}");
        }
        let long = ["1"; 129].join(".");
        for wrong in [
            "",
            ".",
            "1",
            "1..3",
            "1.40",
            "3.1",
            "1.3.4294967296",
            "1.3.x",
            "..1.3",
            &long,
        ] {
            assert_eq!(
                read_name(wrong.as_bytes(), &mut name),
                Err(LineError::Name),
                "{wrong}"
            );
        }
    }

    #[test]
    fn hexadecimal_digits_are_read_with_and_without_separators() {
        let read = |text: &str| {
            let mut octets = Vec::new();
            append_hexadecimal(text.as_bytes(), |octet| octet == b':', &mut octets).map(|()| octets)
        };
        assert_eq!(read("00ffA1"), Some(vec![0, 0xff, 0xa1]));
        assert_eq!(read("00 FF A1 "), Some(vec![0, 0xff, 0xa1]));
        assert_eq!(read("0:f:a1"), Some(vec![0, 0xf, 0xa1]));
        assert_eq!(read(""), Some(vec![]));
        assert_eq!(read("00f"), None);
        assert_eq!(read("0g"), None);
    }
}
