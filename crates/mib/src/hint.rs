//! DISPLAY-HINT (RFC 2579 section 3.1): octets and numbers to text, and text to octets.

use std::fmt::Write;

use crate::display::is_unsafe;

/// One octet-format specification.
struct Specification {
    /// The first octet says how often the rest applies.
    repeats: bool,
    width: usize,
    format: u8,
    separator: Option<u8>,
    terminator: Option<u8>,
}

/// Reads the specification at the front of `hint`; `None` if there is none, or it lacks its format.
fn next_specification(hint: &mut &[u8]) -> Option<Specification> {
    let repeats = hint.first() == Some(&b'*');
    let mut rest = hint.get(usize::from(repeats)..)?;
    let mut width = 0_usize;
    while let Some((digit @ b'0'..=b'9', after)) = rest.split_first() {
        width = width
            .saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'));
        rest = after;
    }
    let (&format, mut rest) = rest.split_first()?;
    let mut mark = || match rest.split_first() {
        Some((&mark, after)) if mark != b'*' && !mark.is_ascii_digit() => {
            rest = after;
            Some(mark)
        }
        _ => None,
    };
    let specification = Specification {
        repeats,
        width,
        format,
        separator: mark(),
        terminator: mark(),
    };
    *hint = rest;
    Some(specification)
}

/// A hint that cannot be applied.
#[derive(Debug)]
pub(crate) struct BadHint;

/// Writes octets by a hint; the last specification repeats until all octets are used.
pub(crate) fn format_octets(
    hint: &str,
    octets: &[u8],
    two_digits: bool,
    out: &mut String,
) -> Result<(), BadHint> {
    let mut hint = hint.as_bytes();
    let mut rest = octets;
    let mut current: Option<Specification> = None;
    while !rest.is_empty() {
        if !hint.is_empty() {
            current = next_specification(&mut hint);
        }
        let specification = current.as_ref().ok_or(BadHint)?;
        let mut count = 1;
        if specification.repeats {
            let Some((&first, after)) = rest.split_first() else {
                break;
            };
            (count, rest) = (first, after);
        }
        // Without octets to take, the last specification would never come to an end.
        if specification.width == 0 && hint.is_empty() {
            break;
        }
        while count > 0 && !rest.is_empty() {
            let (taken, after) = rest.split_at(specification.width.min(rest.len()));
            rest = after;
            let pad = two_digits || (specification.separator.is_none() && hint.is_empty());
            format_one(specification, taken, pad, out)?;
            count -= 1;
            let ends = count == 0 && specification.terminator.is_some();
            if let (Some(separator), false, false) =
                (specification.separator, rest.is_empty(), ends)
            {
                out.push(char::from(separator));
            }
        }
        if let (Some(terminator), false) = (specification.terminator, rest.is_empty()) {
            out.push(char::from(terminator));
        }
    }
    Ok(())
}

fn format_one(
    specification: &Specification,
    octets: &[u8],
    pad: bool,
    out: &mut String,
) -> Result<(), BadHint> {
    if matches!(specification.format, b'a' | b't') {
        push_text(octets, out);
        return Ok(());
    }
    let number = octets
        .iter()
        .fold(0_u64, |number, &octet| number << 8 | u64::from(octet));
    // Writing to a String cannot fail.
    let _ = match specification.format {
        b'x' if pad && specification.width == 1 => write!(out, "{number:02x}"),
        b'x' => write!(out, "{number:x}"),
        b'd' => write!(out, "{number}"),
        b'o' => write!(out, "{number:o}"),
        _ => return Err(BadHint),
    };
    Ok(())
}

/// Text of an agent. Control characters other than white space become dots, so that an agent cannot steer a terminal.
fn push_text(octets: &[u8], out: &mut String) {
    match std::str::from_utf8(octets) {
        Ok(text) if !text.chars().any(is_unsafe) => out.push_str(text),
        _ if octets.contains(&0) => push_ascii(octets, out),
        _ => {
            let text = String::from_utf8_lossy(octets);
            out.extend(text.chars().map(|c| if is_unsafe(c) { '.' } else { c }));
        }
    }
}

/// Whether an octet is printed as it is: a printing ASCII character or white space.
pub(crate) const fn is_printing(octet: u8) -> bool {
    matches!(octet, b' '..=b'~' | b'\t'..=b'\r')
}

/// ASCII with `\` before quotes, and dots for what does not print.
pub(crate) fn push_ascii(octets: &[u8], out: &mut String) {
    for &octet in octets {
        if matches!(octet, b'\\' | b'"') {
            out.push('\\');
        }
        out.push(if is_printing(octet) {
            char::from(octet)
        } else {
            '.'
        });
    }
}

/// Octets as text for people: by the hint if there is one, as they are if they print, otherwise in hexadecimal.
pub(crate) fn show_octets(hint: Option<&str>, octets: &[u8]) -> String {
    let mut out = String::new();
    if let Some(hint) = hint {
        if format_octets(hint, octets, false, &mut out).is_ok() {
            return out;
        }
        out.clear();
    }
    match std::str::from_utf8(octets) {
        Ok(text) if !text.chars().any(is_unsafe) => text.to_owned(),
        _ => {
            for (at, octet) in octets.iter().enumerate() {
                let space = if at == 0 { "" } else { " " };
                let _ = write!(out, "{space}{octet:02X}");
            }
            out
        }
    }
}

/// Writes a number by a hint: `d`, `d-2` (two decimal places), `x`, `o` or `b`; `None` if it is another.
pub(crate) fn format_integer(hint: &str, number: i64, out: &mut String) -> Option<()> {
    let (format, places) = match hint.split_once('-') {
        Some((format, places)) => (format, places.parse::<usize>().unwrap_or(0)),
        None => (hint, 0),
    };
    let _ = match format {
        "d" if places == 0 => write!(out, "{number}"),
        "d" => {
            let sign = if number < 0 { "-" } else { "" };
            let digits = number.unsigned_abs().to_string();
            let zeros = "0".repeat(places.min(255).saturating_sub(digits.len()));
            let digits = zeros + &digits;
            let (whole, fraction) = digits.split_at_checked(digits.len().checked_sub(places)?)?;
            write!(out, "{sign}{whole}.{fraction}")
        }
        "x" => write!(out, "{number:x}"),
        "o" => write!(out, "{number:o}"),
        "b" => write!(out, "{:032b}", number & 0xffff_ffff),
        _ => return None,
    };
    Some(())
}

/// Reads octets from text by a hint; `None` if the text does not fit it.
pub(crate) fn parse_octets(hint: &str, text: &str) -> Option<Vec<u8>> {
    let mut hint = hint.as_bytes();
    let mut rest = text.as_bytes();
    let mut octets = Vec::new();
    let mut current: Option<Specification> = None;
    while !rest.is_empty() {
        if !hint.is_empty() {
            current = Some(next_specification(&mut hint)?);
        }
        let specification = current.as_ref()?;
        if specification.width == 0 {
            return None;
        }
        let count_at = octets.len();
        if specification.repeats {
            octets.push(0);
        }
        let mut count = 0_u8;
        loop {
            rest = parse_one(specification, rest, &mut octets)?;
            count = count.checked_add(1)?;
            match (specification.terminator, specification.separator) {
                (Some(mark), _) if rest.first() == Some(&mark) => {
                    rest = rest.get(1..)?;
                    break;
                }
                (_, Some(mark)) if !rest.is_empty() => rest = rest.strip_prefix(&[mark])?,
                _ => {}
            }
            if !specification.repeats || rest.is_empty() {
                break;
            }
        }
        if specification.repeats {
            *octets.get_mut(count_at)? = count;
        }
    }
    Some(octets)
}

fn parse_one<'t>(
    specification: &Specification,
    text: &'t [u8],
    octets: &mut Vec<u8>,
) -> Option<&'t [u8]> {
    let radix = match specification.format {
        b'x' => 16,
        b'd' => 10,
        b'o' => 8,
        b'a' | b't' => {
            let (taken, rest) = text.split_at(specification.width.min(text.len()));
            octets.extend(taken);
            return Some(rest);
        }
        _ => return None,
    };
    let digits = text
        .iter()
        .take_while(|&&octet| char::from(octet).is_digit(radix))
        .count();
    let (digits, rest) = text.split_at(digits);
    let number = u64::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()?;
    let wide = number.to_be_bytes();
    let (high, low) = wide.split_at(8_usize.checked_sub(specification.width)?);
    if high.iter().any(|&octet| octet != 0) {
        return None;
    }
    octets.extend(low);
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(hint: &str, octets: &[u8]) -> String {
        let mut out = String::new();
        format_octets(hint, octets, false, &mut out).expect("a good hint");
        out
    }

    #[test]
    fn octets_are_formatted_by_their_hint() {
        assert_eq!(formatted("1x:", &[2, 0xfc, 0, 0, 0, 1]), "2:fc:0:0:0:1");
        assert_eq!(formatted("255a", b"text"), "text");
        let date = [7, 0xe6, 8, 1, 13, 30, 15, 0, b'+', 2, 0];
        let hint = "2d-1d-1d,1d:1d:1d.1d,1a1d:1d";
        assert_eq!(formatted(hint, &date), "2022-8-1,13:30:15.0,+2:0");
        assert_eq!(formatted(hint, &date[..8]), "2022-8-1,13:30:15.0");
        assert_eq!(formatted("1x", &[1, 0xaa]), "01aa");
        assert_eq!(formatted("*1x:/1x:", &[2, 1, 2, 3, 4]), "1:2/3:4");
    }

    #[test]
    fn text_of_an_agent_cannot_steer_a_terminal() {
        assert_eq!(formatted("255a", b"a\x1b[2Jb\n"), "a.[2Jb\n");
        assert_eq!(formatted("255t", "gr\u{fc}n".as_bytes()), "gr\u{fc}n");
    }

    #[test]
    fn hints_without_end_or_format_do_no_harm() {
        assert!(format_octets("1", &[1], false, &mut String::new()).is_err());
        assert!(format_octets("1q", &[1], false, &mut String::new()).is_err());
        assert_eq!(formatted("0a", &[1, 2]), "");
        assert_eq!(parse_octets("0a", "x"), None);
    }

    #[test]
    fn numbers_are_formatted_by_their_hint() {
        let formatted = |hint, number| {
            let mut out = String::new();
            format_integer(hint, number, &mut out).map(|()| out)
        };
        assert_eq!(formatted("d-2", 1234).as_deref(), Some("12.34"));
        assert_eq!(formatted("d-2", -5).as_deref(), Some("-.05"));
        assert_eq!(formatted("d", 7).as_deref(), Some("7"));
        assert_eq!(formatted("x", 255).as_deref(), Some("ff"));
        assert_eq!(formatted("q", 1), None);
    }

    #[test]
    fn text_is_read_by_a_hint() {
        assert_eq!(parse_octets("1x:", "2:fc:0"), Some(vec![2, 0xfc, 0]));
        assert_eq!(parse_octets("1x:", "2:fg"), None);
        assert_eq!(parse_octets("1x:", "100:1"), None);
        assert_eq!(
            parse_octets("2d-1d-1d,1d:1d:1d.1d,1a1d:1d", "2022-8-1,13:30:15.0,+2:0"),
            Some(vec![7, 0xe6, 8, 1, 13, 30, 15, 0, b'+', 2, 0])
        );
    }
}
