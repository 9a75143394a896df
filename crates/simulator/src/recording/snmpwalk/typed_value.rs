//! Values with their types, as Net-SNMP writes them: `INTEGER: up(1)`.

use varbind_codec::smi::{OidScratch, OpaqueNumber, Value};

use super::{SnmpwalkReader, unquoted};
use crate::recording::report::LineError;
use crate::recording::snmprec::address;
use crate::recording::text::{append_hexadecimal, signed, trimmed, unsigned};

pub(super) type ReadValue = fn(&SnmpwalkReader<'_>, &OidScratch, &[u8]) -> Result<Value, LineError>;

/// The types, and the functions that read what is behind them.
pub(super) const TYPES: &[(&str, ReadValue)] = &[
    ("STRING", string),
    ("Hex-STRING", hexadecimal_string),
    ("BITS", bits),
    ("INTEGER", integer),
    ("Integer32", integer),
    ("OID", object_identifier_value),
    ("Timeticks", time_ticks),
    ("Gauge32", |_, _, text| small(text).map(Value::Gauge32)),
    ("Unsigned32", |_, _, text| small(text).map(Value::Gauge32)),
    ("Counter32", |_, _, text| small(text).map(Value::Counter32)),
    ("Counter64", counter64),
    ("IpAddress", ip_address),
    ("Network Address", network_address),
    ("Opaque", opaque),
    ("NULL", |_, _, _| Ok(Value::Null)),
];

fn string(reader: &SnmpwalkReader<'_>, name: &OidScratch, text: &[u8]) -> Result<Value, LineError> {
    if text.first() == Some(&b'"') {
        return Ok(Value::OctetString(unquoted(text)));
    }
    // Text made by a display hint: 0:1a:2b:3c:4d:5e, 2024-1-31,12:0:0.0
    let by_hint = reader.by_definition(name, 's', text);
    Ok(by_hint.unwrap_or_else(|| Value::OctetString(text.to_vec())))
}

fn hexadecimal(text: &[u8]) -> Result<Vec<u8>, LineError> {
    let mut octets = Vec::new();
    let is_line_end = |octet| matches!(octet, b'\n' | b'\r');
    append_hexadecimal(text, is_line_end, &mut octets)
        .ok_or(LineError::Value("hexadecimal digits"))?;
    Ok(octets)
}

fn hexadecimal_string(
    _: &SnmpwalkReader<'_>,
    _: &OidScratch,
    text: &[u8],
) -> Result<Value, LineError> {
    // With -Oa or a printable string, the text stands behind in brackets.
    hexadecimal(text).map(Value::OctetString)
}

/// `BITS: 80 00 name(0)`
fn bits(_: &SnmpwalkReader<'_>, _: &OidScratch, text: &[u8]) -> Result<Value, LineError> {
    let is_octet = |part: &&[u8]| part.len() == 2 && part.iter().all(u8::is_ascii_hexdigit);
    let octets: Vec<_> = text
        .split(u8::is_ascii_whitespace)
        .take_while(is_octet)
        .collect();
    hexadecimal(&octets.concat()).map(Value::OctetString)
}

/// `up(1)`, `5`, `100 milli-seconds`
fn leading_number(text: &[u8]) -> &[u8] {
    let text = trimmed(text);
    let inside = text
        .iter()
        .position(|&octet| octet == b'(')
        .and_then(|open| {
            let rest = text.get(open + 1..)?;
            let close = rest.iter().position(|&octet| octet == b')')?;
            rest.get(..close)
        });
    let text = inside.unwrap_or(text);
    text.split(|&octet| octet == b' ')
        .next()
        .unwrap_or_default()
}

fn integer(
    reader: &SnmpwalkReader<'_>,
    name: &OidScratch,
    text: &[u8],
) -> Result<Value, LineError> {
    let number = signed(leading_number(text)).and_then(|number| i32::try_from(number).ok());
    match number {
        Some(number) => Ok(Value::Integer(number)),
        // By its name alone (-Oe does the opposite), or with the decimal point of a display hint.
        None => reader
            .by_definition(name, '=', trimmed(text))
            .filter(|value| matches!(value, Value::Integer(_)))
            .ok_or(LineError::Value("an INTEGER")),
    }
}

fn small(text: &[u8]) -> Result<u32, LineError> {
    let number = unsigned(leading_number(text)).and_then(|number| u32::try_from(number).ok());
    number.ok_or(LineError::Value("a number of 32 bits"))
}

fn counter64(_: &SnmpwalkReader<'_>, _: &OidScratch, text: &[u8]) -> Result<Value, LineError> {
    let number = unsigned(leading_number(text));
    number
        .map(Value::Counter64)
        .ok_or(LineError::Value("a number of 64 bits"))
}

/// `(123) 0:00:01.23`
fn time_ticks(_: &SnmpwalkReader<'_>, _: &OidScratch, text: &[u8]) -> Result<Value, LineError> {
    small(text).map(Value::TimeTicks)
}

fn object_identifier_value(
    reader: &SnmpwalkReader<'_>,
    _: &OidScratch,
    text: &[u8],
) -> Result<Value, LineError> {
    object_identifier(reader, trimmed(text))
}

pub(super) fn object_identifier(
    reader: &SnmpwalkReader<'_>,
    text: &[u8],
) -> Result<Value, LineError> {
    let refused = LineError::Value("an OBJECT IDENTIFIER that is known");
    let text = std::str::from_utf8(text).map_err(|_| refused)?;
    let oid = reader.mib.resolve(text).map_err(|_| refused)?;
    Ok(Value::from(&oid))
}

fn ip_address(_: &SnmpwalkReader<'_>, _: &OidScratch, text: &[u8]) -> Result<Value, LineError> {
    let address = address(text).map(Value::IpAddress);
    address.ok_or(LineError::Value("an address as 192.0.2.1"))
}

/// `0A:00:00:01`
fn network_address(
    _: &SnmpwalkReader<'_>,
    _: &OidScratch,
    text: &[u8],
) -> Result<Value, LineError> {
    let mut octets = Vec::new();
    let read = append_hexadecimal(trimmed(text), |octet| octet == b':', &mut octets);
    let address = read.and_then(|()| octets.try_into().ok());
    address
        .map(Value::IpAddress)
        .ok_or(LineError::Value("an address of four octets"))
}

/// `Opaque: Float: 0.5`, `Opaque: 9F 78 04 ..`
fn opaque(_: &SnmpwalkReader<'_>, _: &OidScratch, text: &[u8]) -> Result<Value, LineError> {
    let refused = LineError::Value("a number in Opaque");
    let text = trimmed(text);
    let number = |prefix: &[u8]| -> Option<&str> {
        let rest = text.strip_prefix(prefix)?;
        std::str::from_utf8(trimmed(rest)).ok()
    };
    let parsed = if let Some(text) = number(b"Float:") {
        text.parse().ok().map(OpaqueNumber::Float)
    } else if let Some(text) = number(b"Double:") {
        text.parse().ok().map(OpaqueNumber::Double)
    } else if let Some(text) = number(b"UInt64:") {
        text.parse().ok().map(OpaqueNumber::Unsigned64)
    } else if let Some(text) = number(b"Int64:") {
        text.parse().ok().map(OpaqueNumber::Signed64)
    } else {
        return hexadecimal(text).map(Value::Opaque);
    };
    parsed.and_then(in_opaque).ok_or(refused)
}

pub(super) fn in_opaque(number: OpaqueNumber) -> Option<Value> {
    let mut buffer = [0; 16];
    let octets = number.encode(&mut buffer).ok()?;
    Some(Value::Opaque(octets.to_vec()))
}
