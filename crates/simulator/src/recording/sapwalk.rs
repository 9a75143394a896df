//! `.sapwalk`: a line for each object, `OID , type , value`.

use varbind_codec::smi::{OidScratch, Value};

use super::report::LineError;
use super::snmprec::{address, object_identifier};
use super::text::{append_hexadecimal, read_name, signed, trimmed, unsigned};

/// Reads a line.
pub(super) fn read(line: &[u8]) -> Result<(OidScratch, Value), LineError> {
    const NUMBER: LineError = LineError::Value("a number of its type");
    let mut parts = line.splitn(3, |&octet| octet == b',');
    let (Some(name), Some(kind), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(LineError::Form("OID , type , value"));
    };
    let mut read = OidScratch::new();
    read_name(trimmed(name), &mut read)?;
    let text = text.strip_prefix(b" ").unwrap_or(text);
    let number = trimmed(text);
    let small = || {
        unsigned(number)
            .and_then(|number| u32::try_from(number).ok())
            .ok_or(NUMBER)
    };
    let value = match trimmed(kind) {
        b"OctetString" => Value::OctetString(octets(text)),
        b"Integer" | b"Integer32" => {
            let number = signed(number).and_then(|number| i32::try_from(number).ok());
            Value::Integer(number.ok_or(NUMBER)?)
        }
        b"ObjectID" => {
            let mut name = OidScratch::new();
            read_name(number, &mut name).map_err(|_| LineError::Value("an OBJECT IDENTIFIER"))?;
            object_identifier(&name, &mut Vec::new())?.to_owned()
        }
        b"TimeTicks" => Value::TimeTicks(small()?),
        b"Counter" | b"Counter32" => Value::Counter32(small()?),
        b"Gauge" | b"Gauge32" | b"Unsigned32" => Value::Gauge32(small()?),
        b"Counter64" => Value::Counter64(unsigned(number).ok_or(NUMBER)?),
        b"IpAddress" => {
            Value::IpAddress(address(text).ok_or(LineError::Value("an address as 192.0.2.1"))?)
        }
        b"Opaque" => Value::Opaque(octets(text)),
        b"Null" => Value::Null,
        _ => return Err(LineError::Type),
    };
    Ok((read, value))
}

/// Octets as text, or as `0x` and hexadecimal digits.
fn octets(text: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    let digits = text.strip_prefix(b"0x");
    match digits.and_then(|digits| append_hexadecimal(digits, |_| false, &mut octets)) {
        Some(()) => octets,
        None => text.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_by_their_type() {
        let value = |line: &[u8]| read(line).map(|(_, value)| value);
        for (line, expected) in [
            (
                &b"1.3.6.1.2.1.1.1.0             , OctetString , a, b"[..],
                Value::OctetString(b"a, b".to_vec()),
            ),
            (
                b"1.3.6.1.2.1.1.3.0 , TimeTicks   , 200846",
                Value::TimeTicks(200_846),
            ),
            (
                b"1.3.6.1.2.1.2.2.1.6.1 , OctetString , 0x00ff",
                Value::OctetString(vec![0, 0xff]),
            ),
            (b"1.3.6.1.2.1.1.7.0 , Integer     , 76", Value::Integer(76)),
        ] {
            assert_eq!(value(line), Ok(expected));
        }
        assert_eq!(
            value(b"1.3.6.1.2.1.1.7.0 , Colour , 76"),
            Err(LineError::Type)
        );
    }
}
