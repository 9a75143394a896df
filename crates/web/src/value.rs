//! Values in the lexical forms of YANG (RFC 6643 section 2, RFC 7950 section 9).

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use varbind_codec::smi::{Oid, Value, ValueRef};
use varbind_mib::{BaseType, IndexPart, IndexValue, Syntax};

/// How JSON shows a value (RFC 7951 section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A number.
    Number,
    /// A string.
    String,
}

/// Writes a value as text and returns its form.
pub(crate) fn write_value(syntax: &Syntax<'_>, value: &ValueRef<'_>, text: &mut String) -> Form {
    text.clear();
    match *value {
        ValueRef::Integer(number) => return write_number(syntax, i64::from(number), text),
        ValueRef::Counter32(number) | ValueRef::Gauge32(number) | ValueRef::TimeTicks(number) => {
            return write_number(syntax, i64::from(number), text);
        }
        // RFC 7951 6.1: JSON numbers are not exact so far.
        ValueRef::Counter64(number) => drop(write!(text, "{number}")),
        ValueRef::OctetString(octets) => write_octets(syntax, octets, text),
        ValueRef::Opaque(octets) => STANDARD.encode_string(octets, text),
        ValueRef::ObjectIdentifier(name) => write_arcs(name.arcs(), text),
        ValueRef::IpAddress([a, b, c, d]) => drop(write!(text, "{a}.{b}.{c}.{d}")),
        ValueRef::Null
        | ValueRef::NoSuchObject
        | ValueRef::NoSuchInstance
        | ValueRef::EndOfMibView => {}
    }
    Form::String
}

/// Writes the key of a list.
pub(crate) fn write_key(syntax: &Syntax<'_>, value: &IndexValue, text: &mut String) -> Form {
    text.clear();
    match value {
        IndexValue::Number(number) => return write_number(syntax, i64::from(*number), text),
        IndexValue::Octets(octets) => write_octets(syntax, octets, text),
        IndexValue::ObjectIdentifier(arcs) => write_arcs(arcs.iter().copied(), text),
        IndexValue::IpAddress([a, b, c, d]) => drop(write!(text, "{a}.{b}.{c}.{d}")),
    }
    Form::String
}

fn write_number(syntax: &Syntax<'_>, number: i64, text: &mut String) -> Form {
    if let Some(name) = syntax.name_of(number) {
        text.push_str(name);
        return Form::String;
    }
    let _ = write!(text, "{number}");
    Form::Number
}

fn write_arcs(arcs: impl Iterator<Item = u32>, text: &mut String) {
    for (at, arc) in arcs.enumerate() {
        let _ = write!(text, "{}{arc}", if at == 0 { "" } else { "." });
    }
}

fn write_octets(syntax: &Syntax<'_>, octets: &[u8], text: &mut String) {
    if syntax.base() == BaseType::Bits {
        let is_set = |bit: i32| {
            let bit = usize::try_from(bit).unwrap_or(usize::MAX);
            octets
                .get(bit / 8)
                .is_some_and(|octet| octet & (0x80 >> (bit % 8)) != 0)
        };
        let names = syntax.named_numbers().iter();
        for (name, _) in names.filter(|(_, bit)| is_set(*bit)) {
            text.push_str(if text.is_empty() { "" } else { " " });
            text.push_str(name);
        }
    } else if is_text(syntax) {
        text.push_str(&String::from_utf8_lossy(octets));
    } else if let Some(shown) = syntax.display_octets(octets) {
        text.push_str(&shown);
    } else {
        STANDARD.encode_string(octets, text);
    }
}

/// Whether the octets are characters.
fn is_text(syntax: &Syntax<'_>) -> bool {
    syntax.display_hint().is_some_and(|hint| {
        let count = hint.trim_end_matches(['a', 't']);
        count.len() + 1 == hint.len() && count.bytes().all(|octet| octet.is_ascii_digit())
    })
}

/// Why a text is not a value of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotAValue;

/// Reads the value of an object.
pub(crate) fn read_value(syntax: &Syntax<'_>, text: &str) -> Result<Value, NotAValue> {
    let unsigned = || text.parse().map_err(|_| NotAValue);
    Ok(match syntax.base() {
        BaseType::Integer32 => {
            let number = read_number(syntax, text)?;
            Value::Integer(i32::try_from(number).map_err(|_| NotAValue)?)
        }
        BaseType::Unsigned32 | BaseType::Gauge32 => {
            let number = read_number(syntax, text)?;
            Value::Gauge32(u32::try_from(number).map_err(|_| NotAValue)?)
        }
        BaseType::Counter32 => Value::Counter32(unsigned()?),
        BaseType::TimeTicks => Value::TimeTicks(unsigned()?),
        BaseType::Counter64 => Value::Counter64(text.parse().map_err(|_| NotAValue)?),
        BaseType::OctetString | BaseType::Bits => Value::OctetString(read_octets(syntax, text)?),
        BaseType::Opaque => Value::Opaque(STANDARD.decode(text).map_err(|_| NotAValue)?),
        BaseType::ObjectIdentifier => {
            let name: Oid = text.parse().map_err(|_| NotAValue)?;
            Value::from(&name)
        }
        BaseType::IpAddress => {
            let address: std::net::Ipv4Addr = text.parse().map_err(|_| NotAValue)?;
            Value::IpAddress(address.octets())
        }
    })
}

/// Reads the key of a list.
pub(crate) fn read_key(part: &IndexPart<'_>, text: &str) -> Result<IndexValue, NotAValue> {
    let syntax = part.syntax();
    Ok(match syntax.base() {
        BaseType::OctetString | BaseType::Bits | BaseType::Opaque => {
            IndexValue::Octets(read_octets(&syntax, text)?)
        }
        BaseType::ObjectIdentifier => {
            let name: Oid = text.parse().map_err(|_| NotAValue)?;
            IndexValue::ObjectIdentifier(name.arcs().to_vec())
        }
        BaseType::IpAddress => {
            let address: std::net::Ipv4Addr = text.parse().map_err(|_| NotAValue)?;
            IndexValue::IpAddress(address.octets())
        }
        _ => {
            let number = read_number(&syntax, text)?;
            IndexValue::Number(u32::try_from(number).map_err(|_| NotAValue)?)
        }
    })
}

fn read_number(syntax: &Syntax<'_>, text: &str) -> Result<i64, NotAValue> {
    if let Some(number) = syntax.number_of(text) {
        return Ok(i64::from(number));
    }
    let number = text.parse().map_err(|_| NotAValue)?;
    match syntax.name_of(number) {
        // RFC 7950 9.6.1: enumerated values are written by name.
        Some(_) => Err(NotAValue),
        None => Ok(number),
    }
}

fn read_octets(syntax: &Syntax<'_>, text: &str) -> Result<Vec<u8>, NotAValue> {
    if syntax.base() == BaseType::Bits {
        let mut octets = Vec::new();
        for name in text.split_ascii_whitespace() {
            let bit = syntax.number_of(name).ok_or(NotAValue)?;
            let bit = usize::try_from(bit).map_err(|_| NotAValue)?;
            if octets.len() <= bit / 8 {
                octets.resize(bit / 8 + 1, 0);
            }
            if let Some(octet) = octets.get_mut(bit / 8) {
                *octet |= 0x80 >> (bit % 8);
            }
        }
        return Ok(octets);
    }
    if is_text(syntax) {
        return Ok(text.as_bytes().to_vec());
    }
    match syntax.display_hint() {
        Some(_) => syntax.octets_of(text).ok_or(NotAValue),
        None => STANDARD.decode(text).map_err(|_| NotAValue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(syntax: &Syntax<'_>, value: &ValueRef<'_>) -> (String, Form) {
        let mut text = String::new();
        let form = write_value(syntax, value, &mut text);
        (text, form)
    }

    #[test]
    fn values_are_shown_in_their_form_and_read_back() {
        let text = Syntax::new(BaseType::OctetString).hint("255a");
        let address = Syntax::new(BaseType::OctetString).hint("1x:");
        let octets = Syntax::new(BaseType::OctetString);
        let truth = Syntax::new(BaseType::Integer32).names(&[("true", 1), ("false", 2)]);
        let bits = Syntax::new(BaseType::Bits).names(&[("a", 0), ("b", 9)]);
        let count = Syntax::new(BaseType::Counter64);
        let cases: [(_, _, _, _); 6] = [
            (text, ValueRef::OctetString(b"lo"), "lo", Form::String),
            (
                address,
                ValueRef::OctetString(&[0, 0x1b, 255]),
                "00:1b:ff",
                Form::String,
            ),
            (
                octets,
                ValueRef::OctetString(&[1, 2, 3]),
                "AQID",
                Form::String,
            ),
            (truth, ValueRef::Integer(2), "false", Form::String),
            (
                bits,
                ValueRef::OctetString(&[0x80, 0x40]),
                "a b",
                Form::String,
            ),
            (
                count,
                ValueRef::Counter64(u64::MAX),
                "18446744073709551615",
                Form::String,
            ),
        ];
        for (syntax, value, expected, form) in cases {
            assert_eq!(shown(&syntax, &value), (expected.to_owned(), form));
            assert_eq!(read_value(&syntax, expected).unwrap().as_value_ref(), value);
        }
        let number = Syntax::new(BaseType::Gauge32);
        let shown = shown(&number, &ValueRef::Gauge32(7));
        assert_eq!(shown, ("7".to_owned(), Form::Number));
        assert_eq!(read_value(&number, "-1"), Err(NotAValue));
        assert_eq!(read_value(&truth, "1"), Err(NotAValue));
    }
}
