//! One line of the file of values: a checksum, and the name, type and value of each variable that one SetRequest set,
//! or [`REMOVED`] of each that is no more.

use std::fmt::Write;
use std::net::Ipv4Addr;

use varbind_codec::smi::{Oid, Value};

use zeroize::Zeroizing;

use super::crc32;
use crate::data_type::DataType;

/// What stands for the type and value of a variable that was removed.
const REMOVED: &str = "removed -";
/// Digits of a checksum.
const CHECKSUM: usize = 8;

/// What becomes of a variable: its value, none if it is removed.
pub(super) type Binding = (Oid, Option<Value>);

/// The line for `bindings`, with its end. There may be keys in it.
pub(super) fn encode<'a>(
    bindings: impl IntoIterator<Item = (&'a Oid, Option<&'a Value>)> + Clone,
) -> Zeroizing<String> {
    // Enough for all of it, so that no part is left behind where it was written first.
    let room = bindings.clone().into_iter().map(room).sum::<usize>();
    let mut line = Zeroizing::new(String::with_capacity(2 * CHECKSUM + room));
    line.push_str("00000000");
    append(&mut line, bindings);
    let content = line.get(CHECKSUM..).unwrap_or_default();
    let checksum = format!("{:08x}", crc32(content.as_bytes()));
    line.replace_range(..CHECKSUM, &checksum);
    line.push('\n');
    line
}

/// What a binding takes at most.
fn room((name, value): (&Oid, Option<&Value>)) -> usize {
    let octets = match value {
        Some(Value::OctetString(octets) | Value::Opaque(octets)) => octets.len(),
        // A name has at most 128 sub-identifiers of 10 digits.
        Some(Value::ObjectIdentifier(_)) => 128 * 11 / 4,
        _ => 0,
    };
    11 * name.arcs().len() + 64 + 4 * octets
}

fn append<'a>(
    content: &mut String,
    bindings: impl IntoIterator<Item = (&'a Oid, Option<&'a Value>)>,
) {
    for (name, value) in bindings {
        let Some(value) = value else {
            let _ = write!(content, "\t{name} {REMOVED}");
            continue;
        };
        let Some(data_type) = DataType::of(value) else {
            continue;
        };
        // Writing to a string cannot fail.
        let _ = write!(content, "\t{name} {data_type} ");
        let _ = match value {
            Value::OctetString(octets) | Value::Opaque(octets) => {
                write!(content, "\"{}\"", octets.escape_ascii())
            }
            Value::Integer(number) => write!(content, "{number}"),
            Value::Counter32(number) | Value::Gauge32(number) | Value::TimeTicks(number) => {
                write!(content, "{number}")
            }
            Value::Counter64(number) => write!(content, "{number}"),
            Value::IpAddress(octets) => write!(content, "{}", Ipv4Addr::from(*octets)),
            Value::ObjectIdentifier(oid) => write!(content, "{}", oid.as_oid_ref()),
            Value::Null | Value::NoSuchObject | Value::NoSuchInstance | Value::EndOfMibView => {
                Ok(())
            }
        };
    }
}

/// What a line, without its end, tells; `None` if it is damaged.
pub(super) fn decode(line: &[u8]) -> Option<Vec<Binding>> {
    let line = std::str::from_utf8(line).ok()?;
    let (checksum, content) = line.split_at_checked(CHECKSUM)?;
    if u32::from_str_radix(checksum, 16).ok()? != crc32(content.as_bytes()) {
        return None;
    }
    content
        .strip_prefix('\t')?
        .split('\t')
        .map(|binding| {
            let (name, rest) = binding.split_once(' ')?;
            if rest == REMOVED {
                return Some((name.parse().ok()?, None));
            }
            let (data_type, value) = rest.split_once(' ')?;
            let value = match DataType::from_name(data_type)? {
                DataType::OctetString => Value::OctetString(unescape(value)?),
                DataType::Opaque => Value::Opaque(unescape(value)?),
                other => other.parse(value).ok()?,
            };
            Some((name.parse().ok()?, Some(value)))
        })
        .collect()
}

/// The octets of a quoted string, as [`u8::escape_ascii`] writes them.
fn unescape(quoted: &str) -> Option<Vec<u8>> {
    let mut rest = quoted.strip_prefix('"')?.strip_suffix('"')?.bytes();
    let mut octets = Vec::with_capacity(quoted.len());
    while let Some(octet) = rest.next() {
        octets.push(match octet {
            b'\\' => match rest.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'x' => {
                    let digits = [rest.next()?, rest.next()?];
                    u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
                }
                other => other,
            },
            other => other,
        });
    }
    Some(octets)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, any, proptest};

    use super::*;

    /// Files of earlier versions have checksums of CRC-32 as in Ethernet and zip (ISO 3309).
    #[test]
    fn checksums_stay_what_they_were() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_read(octets: Vec<u8>, integer: i32, counter: u64, address: [u8; 4]) {
            let name: Oid = "1.3.6.1.2.1.1.4.0".parse().unwrap();
            let bindings = [
                Value::OctetString(octets.clone()),
                Value::Integer(integer),
                Value::Counter64(counter),
                Value::IpAddress(address),
                Value::from(&name),
                Value::Opaque(octets),
            ]
            .map(|value| (name.clone(), Some(value)));
            let removed = [(name.clone(), None)];
            let bindings = [&bindings[..], &removed].concat();
            let line = encode(bindings.iter().map(|(name, value)| (name, value.as_ref())));
            let line = line.strip_suffix('\n').unwrap();
            assert!(!line.contains('\n'));
            assert_eq!(decode(line.as_bytes()).unwrap(), bindings);
        }

        #[test]
        fn a_line_with_one_octet_changed_or_cut_off_is_damaged(
            at in any::<proptest::sample::Index>(),
            octet: u8,
        ) {
            let name: Oid = "1.3.6.1.2.1.1.4.0".parse().unwrap();
            let value = Value::OctetString(b"ops@example.net".to_vec());
            let mut line = encode([(&name, Some(&value))]).trim_end().as_bytes().to_vec();
            let at = at.index(line.len());
            assert_eq!(decode(&line[..at]), None);
            // Upper case digits say the same.
            if !line[at].eq_ignore_ascii_case(&octet) {
                line[at] = octet;
                assert_eq!(decode(&line), None);
            }
        }
    }
}
