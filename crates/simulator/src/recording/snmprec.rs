//! `.snmprec`: a line for each object, `OID|tag|value`, as snmpsim writes them.

use varbind_codec::ber::{Reader, Tag, Writer};
use varbind_codec::smi::{OidScratch, ValueRef};

use super::multiplex::Subtree;
use super::report::LineError;
use super::text::{append_hexadecimal, hexadecimal_digit, read_name, signed, unsigned};
use super::variation::{self, Variation};

const FORM: LineError = LineError::Form("OID|tag|value");

/// Reads lines into one buffer.
#[derive(Default)]
pub(super) struct SnmprecReader {
    name: OidScratch,
    octets: Vec<u8>,
    plain: Vec<u8>,
}

/// The content of a line.
pub(super) enum SnmprecLine<'r> {
    Object(SnmprecObject<'r>),
    /// A subtree that others have the objects of.
    Subtree(Subtree),
    /// A subtree that is not simulated, with the name of what it uses.
    NotSimulated(String),
}

/// An object of a line.
pub(super) struct SnmprecObject<'r> {
    pub(super) name: &'r [u32],
    pub(super) value: ValueRef<'r>,
    pub(super) variation: Option<Variation>,
    pub(super) unsupported: Option<String>,
}

/// A tag: `4`, `4x`, `4e`, `4:writecache`.
struct WrittenTag<'t> {
    number: &'t [u8],
    form: Form,
    module: Option<&'t [u8]>,
}

/// The notation of a value.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Plain,
    Hexadecimal,
    /// With the escapes of Python.
    Escaped,
}

impl SnmprecReader {
    pub(super) fn read<'r>(&'r mut self, line: &'r [u8]) -> Result<SnmprecLine<'r>, LineError> {
        let mut parts = line.splitn(3, |&octet| octet == b'|');
        let (Some(name), Some(tag), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(FORM);
        };
        read_name(name, &mut self.name)?;
        let tag = WrittenTag::read(tag)?;
        if let Some(module) = tag.module
            && (tag.number.is_empty() || module == b"multiplex")
        {
            let module = String::from_utf8_lossy(module);
            let subtree = variation::read_subtree(&module, self.name.arcs(), text)?;
            return Ok(subtree.map_or_else(SnmprecLine::NotSimulated, SnmprecLine::Subtree));
        }
        let mut form = tag.form;
        let (mut variation, mut unsupported) = (None, None);
        let mut content = text;
        if let Some(module) = tag.module {
            let module = String::from_utf8_lossy(module);
            let number = String::from_utf8_lossy(tag.number);
            let asked = variation::read(&module, &number, text, &mut self.plain)?;
            (variation, unsupported) = (asked.variation, asked.unsupported);
            content = &self.plain;
            form = match variation::has_octets(text) {
                true => Form::Hexadecimal,
                false => Form::Plain,
            };
            if form == Form::Hexadecimal {
                // They are octets already.
                self.octets.clear();
                self.octets.extend_from_slice(content);
            }
        }
        let is_octets = tag.module.is_some() && form == Form::Hexadecimal;
        if !is_octets {
            read_octets(content, form, &mut self.octets)?;
        }
        let may_be_empty = tag.module.is_some();
        let value = value(tag.number, form, may_be_empty, &mut self.octets)?;
        Ok(SnmprecLine::Object(SnmprecObject {
            name: self.name.arcs(),
            value,
            variation,
            unsupported,
        }))
    }
}

impl<'t> WrittenTag<'t> {
    fn read(tag: &'t [u8]) -> Result<Self, LineError> {
        let mut parts = tag.splitn(2, |&octet| octet == b':');
        let type_tag = parts.next().unwrap_or_default();
        let module = parts.next();
        let (number, form) = match type_tag.split_last() {
            Some((b'x', number)) => (number, Form::Hexadecimal),
            Some((b'e', number)) => (number, Form::Escaped),
            _ => (type_tag, Form::Plain),
        };
        // Only a subtree has no type.
        match number.is_empty() && module.is_none() {
            true => Err(LineError::Type),
            false => Ok(Self {
                number,
                form,
                module,
            }),
        }
    }
}

/// The octets that a value is written as.
fn read_octets(text: &[u8], form: Form, octets: &mut Vec<u8>) -> Result<(), LineError> {
    octets.clear();
    match form {
        Form::Plain => octets.extend_from_slice(text),
        Form::Hexadecimal => append_hexadecimal(text, |_| false, octets)
            .ok_or(LineError::Value("hexadecimal digits"))?,
        Form::Escaped => unescape(text, octets).ok_or(LineError::Value("an escaped text"))?,
    }
    Ok(())
}

/// The value with the type of a tag; `octets` holds its text, or its octets where those were written.
fn value<'r>(
    number: &[u8],
    form: Form,
    may_be_empty: bool,
    octets: &'r mut Vec<u8>,
) -> Result<ValueRef<'r>, LineError> {
    if may_be_empty && octets.is_empty() && number != b"4" && number != b"64" && number != b"6" {
        octets.push(b'0');
    }
    let small = |octets: &[u8]| unsigned(octets).and_then(|number| u32::try_from(number).ok());
    const NUMBER: LineError = LineError::Value("a number of its type");
    Ok(match number {
        b"2" => {
            let number = signed(octets).and_then(|number| i32::try_from(number).ok());
            ValueRef::Integer(number.ok_or(NUMBER)?)
        }
        b"4" => ValueRef::OctetString(octets),
        b"5" => ValueRef::Null,
        b"6" => {
            let mut name = OidScratch::new();
            if octets.is_empty() && may_be_empty {
                octets.extend_from_slice(b"0.0");
            }
            read_name(octets, &mut name).map_err(|_| LineError::Value("an OBJECT IDENTIFIER"))?;
            object_identifier(&name, octets)?
        }
        b"64" if form == Form::Plain => ValueRef::IpAddress(match octets.is_empty() {
            true => [0; 4],
            false => address(octets).ok_or(LineError::Value("an address as 192.0.2.1"))?,
        }),
        b"64" => {
            let address = octets.as_slice().try_into();
            ValueRef::IpAddress(address.map_err(|_| LineError::Value("an address of four octets"))?)
        }
        b"65" => ValueRef::Counter32(small(octets).ok_or(NUMBER)?),
        b"66" | b"71" => ValueRef::Gauge32(small(octets).ok_or(NUMBER)?),
        b"67" => ValueRef::TimeTicks(small(octets).ok_or(NUMBER)?),
        b"68" => ValueRef::Opaque(octets),
        b"70" => ValueRef::Counter64(unsigned(octets).ok_or(NUMBER)?),
        b"128" | b"129" | b"130" => return Err(LineError::Exception),
        _ => return Err(LineError::Type),
    })
}

/// The name as a value, whose encoding is put into `octets`.
pub(super) fn object_identifier<'r>(
    name: &OidScratch,
    octets: &'r mut Vec<u8>,
) -> Result<ValueRef<'r>, LineError> {
    const ROOM: usize = 700;
    let refused = LineError::Value("an OBJECT IDENTIFIER");
    octets.resize(ROOM, 0);
    let written = Writer::new(octets, 0).and_then(|mut writer| {
        writer.append_oid(name.arcs())?;
        Ok(writer.len())
    });
    octets.truncate(written.map_err(|_| refused)?);
    let mut reader = Reader::new(octets);
    match ValueRef::decode(&mut reader) {
        Ok(value) if value.tag() == Tag::OBJECT_IDENTIFIER => Ok(value),
        _ => Err(refused),
    }
}

/// An address as `192.0.2.1`.
pub(super) fn address(text: &[u8]) -> Option<[u8; 4]> {
    let text = std::str::from_utf8(text).ok()?;
    let address: std::net::Ipv4Addr = text.trim().parse().ok()?;
    Some(address.octets())
}

/// Undoes the escapes of Python's strings.
fn unescape(text: &[u8], octets: &mut Vec<u8>) -> Option<()> {
    let mut rest = text;
    while let Some((&first, following)) = rest.split_first() {
        rest = following;
        if first != b'\\' {
            octets.push(first);
            continue;
        }
        let (&escape, following) = rest.split_first()?;
        rest = following;
        let octet = match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            b'\\' | b'\'' | b'"' => escape,
            b'x' => {
                let (&[high, low], following) = rest.split_first_chunk()?;
                rest = following;
                hexadecimal_digit(high)? << 4 | hexadecimal_digit(low)?
            }
            b'0'..=b'7' => {
                let mut number = u32::from(escape - b'0');
                for _ in 0..2 {
                    let Some((&digit @ b'0'..=b'7', following)) = rest.split_first() else {
                        break;
                    };
                    number = number << 3 | u32::from(digit - b'0');
                    rest = following;
                }
                u8::try_from(number).ok()?
            }
            _ => return None,
        };
        octets.push(octet);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use varbind_codec::smi::{Oid, Value};

    use super::*;

    fn read(line: &[u8]) -> Result<(String, Value, bool), LineError> {
        let mut reader = SnmprecReader::default();
        let SnmprecLine::Object(object) = reader.read(line)? else {
            panic!("no object");
        };
        let name = Oid::new(object.name).unwrap().to_string();
        Ok((name, object.value.to_owned(), object.variation.is_some()))
    }

    #[test]
    fn every_type_is_read() {
        let oid: Oid = "1.3.6.1.4.1.9".parse().unwrap();
        for (line, value) in [
            ("1.3.1|2|-7", Value::Integer(-7)),
            ("1.3.1|4|a|b", Value::OctetString(b"a|b".to_vec())),
            ("1.3.1|4|", Value::OctetString(vec![])),
            ("1.3.1|4x|00Ff", Value::OctetString(vec![0, 0xff])),
            (
                "1.3.1|4e|a\\n\\x00\\\\\\101",
                Value::OctetString(b"a\n\0\\A".to_vec()),
            ),
            ("1.3.1|5|", Value::Null),
            (".1.3.1|6|.1.3.6.1.4.1.9", Value::from(&oid)),
            ("1.3.1|64|192.0.2.1", Value::IpAddress([192, 0, 2, 1])),
            ("1.3.1|64x|c0000201", Value::IpAddress([192, 0, 2, 1])),
            ("1.3.1|65|4294967295", Value::Counter32(u32::MAX)),
            ("1.3.1|66|1", Value::Gauge32(1)),
            ("1.3.1|71|1", Value::Gauge32(1)),
            ("1.3.1|67|100", Value::TimeTicks(100)),
            ("1.3.1|68x|9f7804", Value::Opaque(vec![0x9f, 0x78, 4])),
            ("1.3.1|70|18446744073709551615", Value::Counter64(u64::MAX)),
        ] {
            assert_eq!(
                read(line.as_bytes()),
                Ok(("1.3.1".to_owned(), value, false)),
                "{line}"
            );
        }
    }

    #[test]
    fn variations_have_their_plain_values() {
        for (line, value, varies) in [
            ("1.3.1|67:numeric|rate=100", Value::TimeTicks(0), true),
            (
                "1.3.1|4:writecache|value=R3M",
                Value::OctetString(b"R3M".to_vec()),
                true,
            ),
            (
                "1.3.1|4:delay|hexvalue=0012,wait=8",
                Value::OctetString(vec![0, 0x12]),
                true,
            ),
            (
                "1.3.1|4:error|status=noaccess",
                Value::OctetString(vec![]),
                true,
            ),
            (
                "1.3.1|2:notification|op=set,host=192.0.2.1,value=4",
                Value::Integer(4),
                true,
            ),
            ("1.3.1|2:subprocess|echo", Value::Integer(0), false),
        ] {
            assert_eq!(
                read(line.as_bytes()),
                Ok(("1.3.1".to_owned(), value, varies)),
                "{line}"
            );
        }
    }

    #[test]
    fn subtrees_are_told_from_objects() {
        let mut reader = SnmprecReader::default();
        let mut read = |line: &str| match reader.read(line.as_bytes()) {
            Ok(SnmprecLine::Subtree(subtree)) => Ok(subtree.folder),
            Ok(SnmprecLine::NotSimulated(what)) => Err(what),
            Ok(SnmprecLine::Object(_)) => Err("an object".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        assert_eq!(
            read("1.3.1|:multiplex|dir=a/b,period=2"),
            Ok("a/b".to_owned())
        );
        assert_eq!(read("1.3.1|4:multiplex|dir=c"), Ok("c".to_owned()));
        for (line, message) in [
            ("1.3.1|:sql|table", "sql for a subtree"),
            ("1.3.1|:error|status=noaccess", "error for a subtree"),
            (
                "1.3.1|:multiplex|period=2",
                "the value is not a folder: write dir=FOLDER",
            ),
            (
                "1.3.1|:multiplex|dir=a,period=0",
                "the value is not a period in seconds",
            ),
            (
                "1.3.1|:multiplex|dir=a,control=x",
                "the value is not an OBJECT IDENTIFIER as control",
            ),
        ] {
            assert_eq!(read(line), Err(message.to_owned()), "{line}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for (line, error) in [
            ("", FORM),
            ("1.3.1|4", FORM),
            ("1.3.x|4|a", LineError::Name),
            ("1.3.1||a", LineError::Type),
            ("1.3.1|99|a", LineError::Type),
            (
                "1.3.1|2|2147483648",
                LineError::Value("a number of its type"),
            ),
            ("1.3.1|65|-1", LineError::Value("a number of its type")),
            ("1.3.1|4x|0", LineError::Value("hexadecimal digits")),
            ("1.3.1|4e|\\", LineError::Value("an escaped text")),
            (
                "1.3.1|64|1.2.3",
                LineError::Value("an address as 192.0.2.1"),
            ),
            ("1.3.1|6|9.9", LineError::Value("an OBJECT IDENTIFIER")),
            ("1.3.1|129|", LineError::Exception),
            (
                "1.3.1|67:numeric|rate=x",
                LineError::Value("what the variation module takes: numbers"),
            ),
        ] {
            assert_eq!(read(line.as_bytes()), Err(error), "{line}");
        }
    }
}
