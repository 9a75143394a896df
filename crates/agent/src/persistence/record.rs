//! One line of the file of values: a checksum, and the name, type and value of each variable that one SetRequest set.

use std::fmt::Write;
use std::net::Ipv4Addr;

use varbind_codec::smi::{Oid, OwnedValue};

use super::crc32::crc32;
use crate::data_type::DataType;

/// The line for `bindings`, with its end.
pub(super) fn encode<'a>(bindings: impl IntoIterator<Item = (&'a Oid, &'a OwnedValue)>) -> String {
    let mut content = String::new();
    for (name, value) in bindings {
        let Some(data_type) = DataType::of(value) else {
            continue;
        };
        // Writing to a string cannot fail.
        let _ = write!(content, "\t{name} {data_type} ");
        let _ = match value {
            OwnedValue::OctetString(octets) | OwnedValue::Opaque(octets) => {
                write!(content, "\"{}\"", octets.escape_ascii())
            }
            OwnedValue::Integer(number) => write!(content, "{number}"),
            OwnedValue::Counter32(number)
            | OwnedValue::Gauge32(number)
            | OwnedValue::TimeTicks(number) => write!(content, "{number}"),
            OwnedValue::Counter64(number) => write!(content, "{number}"),
            OwnedValue::IpAddress(octets) => write!(content, "{}", Ipv4Addr::from(*octets)),
            OwnedValue::ObjectIdentifier(oid) => write!(content, "{}", oid.as_oid_ref()),
            OwnedValue::Null
            | OwnedValue::NoSuchObject
            | OwnedValue::NoSuchInstance
            | OwnedValue::EndOfMibView => Ok(()),
        };
    }
    format!("{:08x}{content}\n", crc32(content.as_bytes()))
}

/// What a line, without its end, tells; `None` if it is damaged.
pub(super) fn decode(line: &[u8]) -> Option<Vec<(Oid, OwnedValue)>> {
    let line = std::str::from_utf8(line).ok()?;
    let (checksum, content) = line.split_at_checked(8)?;
    if u32::from_str_radix(checksum, 16).ok()? != crc32(content.as_bytes()) {
        return None;
    }
    content
        .strip_prefix('\t')?
        .split('\t')
        .map(|binding| {
            let (name, rest) = binding.split_once(' ')?;
            let (data_type, value) = rest.split_once(' ')?;
            let value = match DataType::from_name(data_type)? {
                DataType::OctetString => OwnedValue::OctetString(unescape(value)?),
                DataType::Opaque => OwnedValue::Opaque(unescape(value)?),
                other => other.parse(value).ok()?,
            };
            Some((name.parse().ok()?, value))
        })
        .collect()
}

/// The octets of a quoted string, as [`u8::escape_ascii`] writes them.
fn unescape(quoted: &str) -> Option<Vec<u8>> {
    let mut rest = quoted.strip_prefix('"')?.strip_suffix('"')?.bytes();
    let mut octets = Vec::new();
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

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_read(octets: Vec<u8>, integer: i32, counter: u64, address: [u8; 4]) {
            let name: Oid = "1.3.6.1.2.1.1.4.0".parse().unwrap();
            let bindings = [
                OwnedValue::OctetString(octets.clone()),
                OwnedValue::Integer(integer),
                OwnedValue::Counter64(counter),
                OwnedValue::IpAddress(address),
                OwnedValue::from(&name),
                OwnedValue::Opaque(octets),
            ]
            .map(|value| (name.clone(), value));
            let line = encode(bindings.iter().map(|(name, value)| (name, value)));
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
            let value = OwnedValue::OctetString(b"ops@example.net".to_vec());
            let mut line = encode([(&name, &value)]).trim_end().as_bytes().to_vec();
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
