//! DISPLAY-HINT of octets (RFC 2579 section 3.1).

/// An octet-format specification of a hint.
#[derive(Clone, Copy, Debug)]
struct Specification {
    repeats: bool,
    length: usize,
    format: u8,
    separator: Option<u8>,
    terminator: Option<u8>,
}

/// Formats octets by a hint; `None` if the hint is invalid or there are no octets.
pub(super) fn apply(hint: &str, octets: &[u8]) -> Option<Vec<u8>> {
    if octets.is_empty() {
        return None;
    }
    let mut output = Vec::with_capacity(octets.len() * 4);
    let mut rest = octets;
    let mut unread = hint.as_bytes();
    let mut last: Option<Specification> = None;
    while !rest.is_empty() {
        // RFC 2579 3.1: the last specification is used until no octets are left.
        let specification = match (unread.is_empty(), last) {
            (false, _) => read(&mut unread)?,
            (true, Some(last)) if last.length > 0 || last.repeats => last,
            (true, _) => return None,
        };
        rest = specification.apply(rest, &mut output)?;
        last = Some(specification);
    }
    Some(output)
}

/// Reads the next specification.
fn read(hint: &mut &[u8]) -> Option<Specification> {
    let repeats = next_if(hint, |octet| octet == b'*').is_some();
    let mut length = next_if(hint, |octet| octet.is_ascii_digit()).map(digit)?;
    while let Some(octet) = next_if(hint, |octet| octet.is_ascii_digit()) {
        length = length.checked_mul(10)?.checked_add(digit(octet))?;
    }
    let format = next_if(hint, |octet| b"dxoat".contains(&octet))?;
    let is_mark = |octet: u8| !octet.is_ascii_digit() && octet != b'*';
    let separator = next_if(hint, is_mark);
    let terminator = match repeats {
        true => next_if(hint, is_mark),
        false => None,
    };
    Some(Specification {
        repeats,
        length,
        format,
        separator,
        terminator,
    })
}

fn digit(octet: u8) -> usize {
    usize::from(octet.wrapping_sub(b'0'))
}

fn next_if(hint: &mut &[u8], wanted: impl FnOnce(u8) -> bool) -> Option<u8> {
    let (first, rest) = hint.split_first()?;
    wanted(*first).then(|| {
        *hint = rest;
        *first
    })
}

impl Specification {
    /// Formats the next octets and returns the rest.
    fn apply<'r>(&self, octets: &'r [u8], output: &mut Vec<u8>) -> Option<&'r [u8]> {
        let mut rest = octets;
        let mut count = 1;
        if self.repeats {
            let (first, behind) = rest.split_first()?;
            count = usize::from(*first);
            rest = behind;
        }
        for remaining in (0..count).rev() {
            if rest.is_empty() {
                break;
            }
            let (chunk, behind) = rest.split_at_checked(self.length).unwrap_or((rest, &[]));
            rest = behind;
            self.show(chunk, output)?;
            let is_last = self.terminator.is_some() && remaining == 0;
            if let Some(separator) = self.separator
                && !rest.is_empty()
                && !is_last
            {
                output.push(separator);
            }
        }
        if let Some(terminator) = self.terminator
            && !rest.is_empty()
        {
            output.push(terminator);
        }
        Some(rest)
    }

    fn show(&self, chunk: &[u8], output: &mut Vec<u8>) -> Option<()> {
        let number = || {
            let fits = chunk.len() <= 8;
            fits.then(|| {
                chunk
                    .iter()
                    .fold(0_u64, |number, octet| number << 8 | u64::from(*octet))
            })
        };
        match self.format {
            b'd' => output.extend_from_slice(number()?.to_string().as_bytes()),
            b'o' => output.extend_from_slice(format!("{:o}", number()?).as_bytes()),
            b'x' => {
                for octet in chunk {
                    output.extend_from_slice(format!("{octet:02X}").as_bytes());
                }
            }
            _ => output.extend_from_slice(chunk),
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_shown_by_hints() {
        for (hint, octets, shown) in [
            ("1d.1d.1d.1d", &[192, 168, 1, 1][..], Some("192.168.1.1")),
            ("1x:", &[0, 0x1a, 0x2b], Some("00:1A:2B")),
            ("255a", b"Hello", Some("Hello")),
            (
                "2d-1d-1d,1d:1d:1d.1d",
                &[7, 232, 3, 31, 1, 2, 3, 4],
                Some("2024-3-31,1:2:3.4"),
            ),
            ("*1x:/1x:", &[2, 1, 2, 3, 4], Some("01:02/03:04")),
            ("4d", &[0, 0, 1, 0], Some("256")),
            ("1o", &[8, 9], Some("1011")),
            ("9d", &[1; 9], None),
            ("0a", b"x", None),
            ("", b"x", None),
            ("1z", b"x", None),
            ("d", b"x", None),
            ("1d", b"", None),
        ] {
            let shown = shown.map(|shown| shown.as_bytes().to_vec());
            assert_eq!(apply(hint, octets), shown, "{hint}");
        }
    }
}
