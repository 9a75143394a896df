//! Octets as hexadecimal digits.

/// Two digits for each octet.
pub(crate) fn encode(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// Reads digits, with or without `0x` before them, and colons or spaces between octets; `None` for anything else.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.strip_prefix("0x").unwrap_or(text);
    let separated = text.split([':', ' ']);
    let mut octets = Vec::with_capacity(text.len() / 2);
    for digits in separated {
        if digits.is_empty() || digits.len() % 2 != 0 || !digits.is_ascii() {
            return None;
        }
        for at in (0..digits.len()).step_by(2) {
            let octet = digits.get(at..at + 2)?;
            if octet.starts_with('+') {
                return None;
            }
            octets.push(u8::from_str_radix(octet, 16).ok()?);
        }
    }
    Some(octets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_in_the_forms_in_use() {
        let octets = [0x80, 0x00, 0x1f, 0x88];
        for text in [
            "80001f88",
            "0x80001F88",
            "80:00:1f:88",
            "80 00 1f 88",
            "8000:1f88",
        ] {
            assert_eq!(decode(text).as_deref(), Some(&octets[..]), "{text}");
        }
        for wrong in ["", "8", "8x", "80:", "+1", "80 0", "é0"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
        assert_eq!(encode(&octets), "80001f88");
    }
}
