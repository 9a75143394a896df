//! Object identifiers that the compiler reads.

use super::MAX_SUB_IDENTIFIERS;

/// An [`Oid`](crate::smi::Oid) that is known when a program is written: dotted numbers, with or without a dot in front.
///
/// What is not an object identifier does not compile.
///
/// ```
/// use varbind_codec::oid;
/// use varbind_codec::smi::Oid;
///
/// const SYS_NAME: Oid = oid!("1.3.6.1.2.1.1.5.0");
/// assert_eq!(SYS_NAME.to_string(), "1.3.6.1.2.1.1.5.0");
/// ```
///
/// ```compile_fail
/// varbind_codec::oid!("1.99");
/// ```
///
/// ```compile_fail
/// varbind_codec::oid!("1..3");
/// ```
#[macro_export]
macro_rules! oid {
    ($text:expr) => {{
        const ARCS: [u32; $crate::smi::count_arcs($text)] = $crate::smi::parse_arcs($text);
        const OID: $crate::smi::Oid = $crate::smi::Oid::from_static(&ARCS);
        OID
    }};
}

/// How many numbers there are in `text`.
#[must_use]
pub const fn count_arcs(text: &str) -> usize {
    let mut rest = without_leading_dot(text.as_bytes());
    let mut count = 1;
    while let [octet, behind @ ..] = rest {
        if *octet == b'.' {
            count += 1;
        }
        rest = behind;
    }
    count
}

/// The numbers of `text`, of which there are `N`.
///
/// # Panics
/// When `text` is not an object identifier; the compiler runs this.
#[must_use]
#[expect(
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the compiler runs this, and a panic is its error"
)]
pub const fn parse_arcs<const N: usize>(text: &str) -> [u32; N] {
    let mut rest = without_leading_dot(text.as_bytes());
    let mut arcs = [0_u32; N];
    let mut at = 0;
    let mut digits = 0;
    while let [octet, behind @ ..] = rest {
        match *octet {
            b'0'..=b'9' => {
                let digit = (*octet - b'0') as u32;
                arcs[at] = match arcs[at].checked_mul(10) {
                    Some(number) => match number.checked_add(digit) {
                        Some(number) => number,
                        None => panic!("a number of an object identifier is above 4294967295"),
                    },
                    None => panic!("a number of an object identifier is above 4294967295"),
                };
                digits += 1;
            }
            b'.' => {
                assert!(digits > 0, "a number of an object identifier is missing");
                at += 1;
                digits = 0;
            }
            _ => panic!("an object identifier consists of numbers, separated by dots"),
        }
        rest = behind;
    }
    assert!(digits > 0, "a number of an object identifier is missing");
    assert!(
        N <= MAX_SUB_IDENTIFIERS,
        "an object identifier has at most 128 numbers"
    );
    assert!(
        !matches!(
            &arcs as &[u32],
            [0..=1, 40..=u32::MAX, ..] | [3..=u32::MAX, ..]
        ),
        "an object identifier begins with 0, 1 or 2, and 0 and 1 are followed by 0 to 39"
    );
    arcs
}

const fn without_leading_dot(text: &[u8]) -> &[u8] {
    match text {
        [b'.', rest @ ..] => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use crate::smi::Oid;

    #[test]
    fn constants_are_what_their_text_says() {
        const LONGEST: Oid = oid!(
            "2.4294967295.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17.18.19.20.21.22.23.24.25.26.27.28.29.30.31.32"
        );
        for (constant, text) in [
            (oid!("1"), "1"),
            (oid!(".1.3.6.1"), "1.3.6.1"),
            (oid!("0.39"), "0.39"),
            (oid!("2.999.1"), "2.999.1"),
        ] {
            assert_eq!(constant.to_string(), text);
            assert_eq!(text.parse(), Ok(constant));
        }
        assert_eq!(LONGEST.arcs().len(), 32);
        assert_eq!(LONGEST.to_string().parse(), Ok(LONGEST));
    }
}
