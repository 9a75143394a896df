//! Values as label text.

use std::fmt::Write;
use std::net::Ipv4Addr;

use varbind::Value;
use varbind::codec::smi::OpaqueNumber;

use super::display_hint;
use super::labels::{Parts, render};
use crate::module::syntax::Syntax;

/// A value as label text.
pub(super) fn of_value(value: &Value, syntax: Syntax, hint: Option<&str>) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Counter32(number) | Value::Gauge32(number) | Value::TimeTicks(number) => {
            number.to_string()
        }
        Value::Counter64(number) => number.to_string(),
        Value::IpAddress(octets) => Ipv4Addr::from(*octets).to_string(),
        Value::ObjectIdentifier(name) => name.as_oid_ref().to_oid().to_string(),
        Value::Opaque(content) => match OpaqueNumber::decode(content) {
            Some(OpaqueNumber::Float(number)) => floating(number.into(), number.to_string()),
            Some(OpaqueNumber::Double(number)) => floating(number, number.to_string()),
            Some(OpaqueNumber::Signed64(number)) => number.to_string(),
            Some(OpaqueNumber::Unsigned64(number)) => number.to_string(),
            None => of_octets(content, syntax, None),
        },
        Value::OctetString(octets) => of_octets(octets, syntax, hint),
        Value::Null | Value::NoSuchObject | Value::NoSuchInstance | Value::EndOfMibView => {
            String::new()
        }
    }
}

/// A value as the text that filters match.
pub(crate) fn filter_text(value: &Value) -> String {
    of_value(value, Syntax::DisplayString, None)
}

fn floating(number: f64, text: String) -> String {
    match (number.is_infinite(), number > 0.0) {
        (true, true) => "+Inf".to_owned(),
        (true, false) => "-Inf".to_owned(),
        (false, _) => text,
    }
}

fn of_octets(octets: &[u8], syntax: Syntax, hint: Option<&str>) -> String {
    if let Some(hint) = hint
        && syntax == Syntax::OctetString
        && let Some(shown) = display_hint::apply(hint, octets)
    {
        return valid(&shown);
    }
    match syntax {
        Syntax::DisplayString => valid(octets),
        Syntax::OctetString => hexadecimal(octets),
        // As snmp_exporter formats an index of this syntax.
        _ => {
            let arcs: Vec<u32> = octets.iter().copied().map(u32::from).collect();
            let mut text = Vec::new();
            render(&arcs, &Parts::of(syntax), &mut text, &mut Vec::new());
            valid(&text)
        }
    }
}

/// Octets as `0x0A1B`; empty without octets.
pub(super) fn hexadecimal(octets: &[u8]) -> String {
    let mut text = String::with_capacity(2 + octets.len() * 2);
    if !octets.is_empty() {
        text.push_str("0x");
    }
    for octet in octets {
        let _ = write!(text, "{octet:02X}");
    }
    text
}

/// Octets as UTF-8. As in Go, each run of invalid octets becomes one replacement character.
pub(super) fn valid(octets: &[u8]) -> String {
    let mut text = String::with_capacity(octets.len());
    let mut is_replaced = false;
    for chunk in octets.utf8_chunks() {
        if !chunk.valid().is_empty() {
            text.push_str(chunk.valid());
            is_replaced = false;
        }
        if !chunk.invalid().is_empty() && !is_replaced {
            text.push(char::REPLACEMENT_CHARACTER);
            is_replaced = true;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use varbind::Oid;

    use super::*;

    #[test]
    fn runs_of_octets_that_are_no_text_become_one_character() {
        assert_eq!(valid(b"a\xff\xfeb\xffc"), "a\u{fffd}b\u{fffd}c");
        assert_eq!(valid("\u{e4}".as_bytes()), "\u{e4}");
        assert_eq!(valid(b"\xe2\x82"), "\u{fffd}");
    }

    #[test]
    fn values_become_texts() {
        let oid: Oid = "1.3.6.1.4.1.9".parse().unwrap();
        let mut float = vec![0x9f, 0x78, 4];
        float.extend(2.5_f32.to_be_bytes());
        for (value, syntax, text) in [
            (Value::Integer(-5), Syntax::OctetString, "-5"),
            (
                Value::Counter64(u64::MAX),
                Syntax::OctetString,
                "18446744073709551615",
            ),
            (
                Value::IpAddress([192, 0, 2, 1]),
                Syntax::InetAddressIpv4,
                "192.0.2.1",
            ),
            (Value::from(&oid), Syntax::OctetString, "1.3.6.1.4.1.9"),
            (Value::Opaque(float), Syntax::OctetString, "2.5"),
            (
                Value::OctetString(vec![0, 0xab]),
                Syntax::OctetString,
                "0x00AB",
            ),
            (Value::OctetString(Vec::new()), Syntax::OctetString, ""),
            (
                Value::OctetString(b"eth0".to_vec()),
                Syntax::DisplayString,
                "eth0",
            ),
            (
                Value::OctetString(vec![0, 1, 2, 0xab, 0xcd, 0xef]),
                Syntax::PhysAddress48,
                "00:01:02:AB:CD:EF",
            ),
            (
                Value::OctetString(vec![10, 0]),
                Syntax::PhysAddress48,
                "0A:00:00:00:00:00",
            ),
            (
                Value::OctetString(vec![10, 0, 0, 1]),
                Syntax::InetAddressIpv4,
                "10.0.0.1",
            ),
            (Value::OctetString(vec![7, 8]), Syntax::Number, "7"),
            (Value::Null, Syntax::DisplayString, ""),
        ] {
            assert_eq!(of_value(&value, syntax, None), text);
        }
    }
}
