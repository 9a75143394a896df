//! The output of Net-SNMP's `snmpwalk` in its dialects: names as numbers or by their modules (`-On`, `-Of`, the default),
//! values with their types, or without (`-OQ`, `-Oq`, `-Ot`).

mod typed_value;

use varbind_codec::smi::{OidScratch, Value};
use varbind_mib::{Mib, RangeCheck, parse_value};

use self::typed_value::{TYPES, object_identifier};
use super::report::LineError;
use super::text::{append_hexadecimal, read_name, signed, trimmed, unsigned};

const FORM: LineError = LineError::Form("NAME = TYPE: VALUE");
/// The text that Net-SNMP writes after the last object of SNMPv1.
const END_OF_MIB: &[u8] = b"End of MIB";
/// The name that Net-SNMP writes for sysUpTime.0, behind DISMAN-EVENT-MIB or DISMAN-EXPRESSION-MIB.
const SYS_UP_TIME_INSTANCE: &str = "-MIB::sysUpTimeInstance";
const SYS_UP_TIME: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 3, 0];
/// The longest value that is put together of several lines.
const LONGEST: usize = 256 * 1024;

/// Puts lines together, and reads objects of them.
pub(super) struct SnmpwalkReader<'m> {
    mib: &'m Mib,
    /// The text of the object that may go on, and the line that it began with.
    pending: Vec<u8>,
    since: u64,
    /// Whether values have been seen with types: then a bare number is TimeTicks (`-Ot`).
    has_types: bool,
}

/// An object, and the line that it began with.
pub(super) type Read = (u64, Result<(OidScratch, Value), LineError>);

impl<'m> SnmpwalkReader<'m> {
    pub(super) const fn new(mib: &'m Mib) -> Self {
        Self {
            mib,
            pending: Vec::new(),
            since: 0,
            has_types: false,
        }
    }

    /// Takes a line, and returns the object that ended before it.
    pub(super) fn take(&mut self, number: u64, line: &[u8]) -> Option<Read> {
        if trimmed(line) == END_OF_MIB && !is_open(&self.pending) {
            return self.finish();
        }
        if !self.begins_object(line) {
            if self.pending.is_empty() {
                let is_blank = trimmed(line).is_empty();
                return (!is_blank).then_some((number, Err(FORM)));
            }
            if self.pending.len() < LONGEST {
                self.pending.push(b'\n');
                self.pending.extend_from_slice(line);
            }
            return None;
        }
        let read = self.finish();
        self.pending.extend_from_slice(line);
        self.since = number;
        read
    }

    /// The last object.
    pub(super) fn finish(&mut self) -> Option<Read> {
        if self.pending.is_empty() {
            return None;
        }
        let text = std::mem::take(&mut self.pending);
        let object = self.object(&text).transpose()?;
        Some((self.since, object))
    }

    /// Whether a line is more than the rest of a string.
    fn begins_object(&self, line: &[u8]) -> bool {
        let Some((name, _)) = split(line) else {
            return false;
        };
        // A string goes on until its quotation mark: one that has begun ends with another.
        if is_open(&self.pending) {
            return false;
        }
        matches!(
            name.first(),
            Some(b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z')
        ) && (name.contains(&b'.') || name.contains(&b':'))
    }

    fn object(&mut self, text: &[u8]) -> Result<Option<(OidScratch, Value)>, LineError> {
        let (name_text, value) = split(text).ok_or(FORM)?;
        let mut name = OidScratch::new();
        if read_name(name_text, &mut name).is_err() {
            let text = std::str::from_utf8(name_text).map_err(|_| LineError::Name)?;
            match text.ends_with(SYS_UP_TIME_INSTANCE) {
                true => name.set(SYS_UP_TIME),
                false => name.set(self.mib.resolve(text).map_err(|_| LineError::Name)?.arcs()),
            }
        }
        let value = self.value(&name, value)?;
        Ok(value.map(|value| (name, value)))
    }

    /// `None` where the walk had ended.
    fn value(&mut self, name: &OidScratch, text: &[u8]) -> Result<Option<Value>, LineError> {
        let text = trimmed_line_end(text);
        if text.starts_with(b"No more variables left") {
            return Ok(None);
        }
        if text.starts_with(b"No Such ") {
            return Err(LineError::Exception);
        }
        // Wrong Type (should be Gauge32 or Unsigned32): INTEGER: 5
        let text = match text.strip_prefix(b"Wrong Type (") {
            Some(rest) => rest
                .splitn(2, |&octet| octet == b')')
                .nth(1)
                .map_or(text, |rest| {
                    trimmed(rest.strip_prefix(b":").unwrap_or(rest))
                }),
            None => text,
        };
        let typed = TYPES.iter().find_map(|(prefix, read)| {
            let rest = text.strip_prefix(prefix.as_bytes())?.strip_prefix(b":")?;
            Some((rest.strip_prefix(b" ").unwrap_or(rest), read))
        });
        if let Some((rest, read)) = typed {
            self.has_types = true;
            return read(self, name, rest).map(Some);
        }
        self.untyped(name, text).map(Some)
    }

    fn untyped(&self, name: &OidScratch, text: &[u8]) -> Result<Value, LineError> {
        match text {
            b"" => return Ok(Value::OctetString(Vec::new())),
            b"NULL" => return Ok(Value::Null),
            _ => {}
        }
        if text.first() == Some(&b'"') {
            // -OQ and the default write empty strings and octets without their type.
            let inside = unquoted(text);
            let mut octets = Vec::new();
            let is_octets = text.len() > 3
                && inside.iter().skip(2).step_by(3).all(|&octet| octet == b' ')
                && append_hexadecimal(&inside, |octet| octet == b'\n', &mut octets).is_some();
            return Ok(Value::OctetString(if is_octets { octets } else { inside }));
        }
        if self.has_types
            && let Some(ticks) = unsigned(text).and_then(|ticks| u32::try_from(ticks).ok())
        {
            return Ok(Value::TimeTicks(ticks));
        }
        if let Some(value) = self.by_definition(name, '=', text) {
            return Ok(value);
        }
        Ok(
            match signed(text).and_then(|number| i32::try_from(number).ok()) {
                Some(number) => Value::Integer(number),
                None => match read_name(text, &mut OidScratch::new()) {
                    Ok(()) if text.first() == Some(&b'.') => object_identifier(self, text)?,
                    _ => Value::OctetString(text.to_vec()),
                },
            },
        )
    }

    /// The value that the definition of the object makes of a text.
    fn by_definition(&self, name: &OidScratch, letter: char, text: &[u8]) -> Option<Value> {
        let text = std::str::from_utf8(text).ok()?;
        parse_value(self.mib, name.arcs(), letter, text, RangeCheck::Skip).ok()
    }
}

/// The name and the value of a line: `NAME = VALUE`, or `NAME VALUE` of `-Oq`.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(at) = line.windows(3).position(|octets| octets == b" = ") {
        let (name, rest) = line.split_at_checked(at)?;
        // Indexes in quotation marks may have spaces; other names have none.
        if !name.contains(&b' ') || name.contains(&b'"') {
            return Some((name, rest.get(3..)?));
        }
    }
    // `NAME =` of an empty value.
    if let Some(name) = line.strip_suffix(b" =") {
        return (!name.contains(&b' ')).then_some((name, &[][..]));
    }
    let at = line.iter().position(|&octet| octet == b' ')?;
    let (name, value) = line.split_at_checked(at)?;
    let is_numeric = name.first() == Some(&b'.')
        && name
            .iter()
            .all(|octet| octet.is_ascii_digit() || *octet == b'.');
    (is_numeric || name.windows(2).any(|pair| pair == b"::"))
        .then_some((name, trimmed_start(value)))
}

fn trimmed_start(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

fn trimmed_line_end(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\r").unwrap_or(text)
}

/// Whether a string in quotation marks has begun and not ended.
fn is_open(text: &[u8]) -> bool {
    let Some((_, value)) = split(text) else {
        return false;
    };
    let value = value.strip_prefix(b"STRING: ").unwrap_or(value);
    let Some(rest) = value.strip_prefix(b"\"") else {
        return false;
    };
    let mut is_escaped = false;
    for &octet in rest {
        match octet {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return false,
            _ => {}
        }
    }
    true
}

/// A string without its quotation marks and escapes.
fn unquoted(text: &[u8]) -> Vec<u8> {
    let text = text.strip_prefix(b"\"").unwrap_or(text);
    let text = text.strip_suffix(b"\"").unwrap_or(text);
    let mut octets = Vec::with_capacity(text.len());
    let mut is_escaped = false;
    for &octet in text {
        if octet == b'\\' && !is_escaped {
            is_escaped = true;
        } else {
            is_escaped = false;
            octets.push(octet);
        }
    }
    octets
}

#[cfg(test)]
mod tests {
    use varbind_codec::smi::{Oid, OpaqueNumber};

    use super::typed_value::in_opaque;
    use super::*;

    type Shown = Result<(String, Value), LineError>;

    fn read(text: &str) -> Vec<(u64, Shown)> {
        let mib = Mib::builtin();
        let mut reader = SnmpwalkReader::new(&mib);
        let mut found = Vec::new();
        for (at, line) in text.lines().enumerate() {
            found.extend(reader.take(at as u64 + 1, line.as_bytes()));
        }
        found.extend(reader.finish());
        let show = |(name, value): (OidScratch, Value)| {
            (Oid::new(name.arcs()).unwrap().to_string(), value)
        };
        found
            .into_iter()
            .map(|(line, object)| (line, object.map(show)))
            .collect()
    }

    fn value(line: &str) -> Value {
        match &read(line)[..] {
            [(1, Ok((_, value)))] => value.clone(),
            other => panic!("{line}: {other:?}"),
        }
    }

    fn octets(text: &str) -> Value {
        Value::OctetString(text.as_bytes().to_vec())
    }

    #[test]
    fn numeric_output_with_types_is_read() {
        for (line, expected) in [
            (
                ".1.3.6.1.2.1.1.1.0 = STRING: Linux = 2",
                octets("Linux = 2"),
            ),
            (
                ".1.3.6.1.2.1.1.1.0 = STRING: \"a \\\"b\\\" \\\\c\"",
                octets("a \"b\" \\c"),
            ),
            (".1.3.6.1.2.1.1.6.0 = \"\"", octets("")),
            (".1.3.6.1.2.1.1.6.0 = ", octets("")),
            (".1.3.6.1.2.1.2.2.1.7.1 = INTEGER: up(1)", Value::Integer(1)),
            (
                ".1.3.6.1.2.1.2.2.1.4.1 = INTEGER: 1500",
                Value::Integer(1500),
            ),
            (
                ".1.3.6.1.2.1.25.2.2.0 = INTEGER: 4096 KBytes",
                Value::Integer(4096),
            ),
            (
                ".1.3.6.1.2.1.1.3.0 = Timeticks: (123) 0:00:01.23",
                Value::TimeTicks(123),
            ),
            (
                ".1.3.6.1.2.1.2.2.1.10.1 = Counter32: 7",
                Value::Counter32(7),
            ),
            (
                ".1.3.6.1.2.1.31.1.1.1.6.1 = Counter64: 8",
                Value::Counter64(8),
            ),
            (".1.3.6.1.2.1.2.2.1.5.1 = Gauge32: 9", Value::Gauge32(9)),
            (
                ".1.3.6.1.2.1.4.20.1.1.127.0.0.1 = IpAddress: 127.0.0.1",
                Value::IpAddress([127, 0, 0, 1]),
            ),
            (
                ".1.3.6.1.2.1.3.1.1.3.1 = Network Address: 7F:00:00:01",
                Value::IpAddress([127, 0, 0, 1]),
            ),
            (
                ".1.3.6.1.2.1.2.2.1.6.1 = Hex-STRING: 00 1A FF ",
                Value::OctetString(vec![0, 0x1a, 0xff]),
            ),
            (
                ".1.3.6.1.2.1.2.2.1.6.1 = STRING: 0:1a:ff:0:0:1",
                Value::OctetString(vec![0, 0x1a, 0xff, 0, 0, 1]),
            ),
            (
                ".1.3.6.1.4.1.9.1 = Opaque: Float: 0.5",
                in_opaque(OpaqueNumber::Float(0.5)).unwrap(),
            ),
            (
                ".1.3.6.1.4.1.9.1 = BITS: 80 40 a(0) b(9)",
                Value::OctetString(vec![0x80, 0x40]),
            ),
            (
                ".1.3.6.1.4.1.9.1 = Wrong Type (should be INTEGER): Gauge32: 3",
                Value::Gauge32(3),
            ),
            (".1.3.6.1.4.1.9.1 = NULL: ", Value::Null),
            (".1.3.6.1.4.1.9.1 = NULL", Value::Null),
        ] {
            assert_eq!(value(line), expected, "{line}");
        }
    }

    #[test]
    fn names_of_modules_are_looked_up() {
        let oid: Oid = "1.3.6.1.4.1.8072.3.2.10".parse().unwrap();
        let text = "SNMPv2-MIB::sysObjectID.0 = OID: SNMPv2-SMI::enterprises.8072.3.2.10\n\
                    IF-MIB::ifOperStatus.2 = INTEGER: down(2)\n\
                    iso.3.6.1.4.1.9.1 = STRING: \"x\"\n\
                    NO-SUCH-MIB::nothing.0 = INTEGER: 1\n\
                    DISMAN-EVENT-MIB::sysUpTimeInstance = Timeticks: (7) 0:00:00.07\n\
                    End of MIB\n";
        let expected = [
            (1, Ok(("1.3.6.1.2.1.1.2.0".to_owned(), Value::from(&oid)))),
            (
                2,
                Ok(("1.3.6.1.2.1.2.2.1.8.2".to_owned(), Value::Integer(2))),
            ),
            (3, Ok(("1.3.6.1.4.1.9.1".to_owned(), octets("x")))),
            (4, Err(LineError::Name)),
            (5, Ok(("1.3.6.1.2.1.1.3.0".to_owned(), Value::TimeTicks(7)))),
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn values_without_types_have_those_of_their_objects() {
        for (line, expected) in [
            ("IF-MIB::ifOperStatus.2 = down", Value::Integer(2)),
            ("IF-MIB::ifInOctets.2 = 17", Value::Counter32(17)),
            ("IF-MIB::ifDescr.2 = eth0", octets("eth0")),
            (
                "SNMPv2-MIB::sysDescr.0 Linux host 5.4",
                octets("Linux host 5.4"),
            ),
            (".1.3.6.1.4.1.9.9.9.1 = 12", Value::Integer(12)),
            (
                ".1.3.6.1.4.1.9.9.9.1 = \"00 1A FF \"",
                Value::OctetString(vec![0, 0x1a, 0xff]),
            ),
        ] {
            assert_eq!(value(line), expected, "{line}");
        }
        // -Ot: among values with types, those without are TimeTicks.
        let ticks = ".1.3.6.1.2.1.1.7.0 = INTEGER: 72\n.1.3.6.1.2.1.1.8.0 = 0\n";
        assert_eq!(
            read(ticks)[1].1,
            Ok(("1.3.6.1.2.1.1.8.0".to_owned(), Value::TimeTicks(0)))
        );
    }

    #[test]
    fn strings_of_several_lines_are_put_together() {
        let text = ".1.3.6.1.2.1.1.1.0 = STRING: \"first\n.1.3.6.1.2.1.1.9 = second\"\n\
                    .1.3.6.1.2.1.1.4.0 = STRING: one\ntwo\n\
                    .1.3.6.1.2.1.2.2.1.6.1 = Hex-STRING: 00 1A \nFF\n";
        let expected = [
            (
                1,
                Ok((
                    "1.3.6.1.2.1.1.1.0".to_owned(),
                    octets("first\n.1.3.6.1.2.1.1.9 = second"),
                )),
            ),
            (3, Ok(("1.3.6.1.2.1.1.4.0".to_owned(), octets("one\ntwo")))),
            (
                5,
                Ok((
                    "1.3.6.1.2.1.2.2.1.6.1".to_owned(),
                    Value::OctetString(vec![0, 0x1a, 0xff]),
                )),
            ),
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn what_is_no_object_is_refused_with_its_line() {
        let text = "Timeout: No Response from host\n.1.3.6.1.2.1.1.1.0 = No Such Object available on this agent at this OID\n\
                    .1.3.6.1.2.1.1.2.0 = Counter32: much\n";
        let expected = [
            (1, Err(FORM)),
            (2, Err(LineError::Exception)),
            (3, Err(LineError::Value("a number of 32 bits"))),
        ];
        assert_eq!(read(text), expected);
    }
}
