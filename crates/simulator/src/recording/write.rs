//! Writes recordings.

use std::fmt::Write as _;
use std::io::{self, Write};

use varbind_codec::smi::{ValueRef, VarBind};

/// The forms that recordings are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WrittenFormat {
    /// `OID|tag|value`, which snmpsim reads too.
    #[default]
    Snmprec,
    /// A JSON object in each line.
    JsonLines,
}

/// Writes objects of a walk, in the order in which they come.
#[derive(Debug)]
pub struct RecordingWriter<W> {
    output: W,
    format: WrittenFormat,
    line: String,
}

impl<W: Write> RecordingWriter<W> {
    /// Writes into `output`.
    pub const fn new(output: W, format: WrittenFormat) -> Self {
        Self {
            output,
            format,
            line: String::new(),
        }
    }

    /// Writes a line for an object.
    ///
    /// # Errors
    /// When the output takes no more.
    pub fn write(&mut self, object: &VarBind) -> io::Result<()> {
        self.line.clear();
        match self.format {
            WrittenFormat::Snmprec => append_snmprec(object, &mut self.line),
            WrittenFormat::JsonLines => self.line += &serde_json::to_string(object)?,
        }
        self.line.push('\n');
        self.output.write_all(self.line.as_bytes())
    }

    /// The output.
    pub const fn output(&mut self) -> &mut W {
        &mut self.output
    }

    /// The output, at the end.
    pub fn into_output(self) -> W {
        self.output
    }
}

/// Appends `OID|tag|value`; octets are hexadecimal unless all are printable ASCII characters.
fn append_snmprec(object: &VarBind, line: &mut String) {
    let value = object.value.as_value_ref();
    // Writing into a string does not fail.
    let _ = write!(line, "{}|{}", object.name, value.tag().0);
    let _ = match value {
        ValueRef::Integer(number) => write!(line, "|{number}"),
        ValueRef::Counter32(number) | ValueRef::Gauge32(number) | ValueRef::TimeTicks(number) => {
            write!(line, "|{number}")
        }
        ValueRef::Counter64(number) => write!(line, "|{number}"),
        ValueRef::IpAddress([a, b, c, d]) => write!(line, "|{a}.{b}.{c}.{d}"),
        ValueRef::ObjectIdentifier(name) => write!(line, "|{name}"),
        ValueRef::OctetString(octets) if octets.iter().all(|octet| is_printable(*octet)) => {
            line.push('|');
            line.extend(octets.iter().copied().map(char::from));
            Ok(())
        }
        ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => {
            line.push_str("x|");
            octets
                .iter()
                .try_for_each(|octet| write!(line, "{octet:02x}"))
        }
        _ => line.write_char('|'),
    };
}

const fn is_printable(octet: u8) -> bool {
    matches!(octet, b' '..=b'~')
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;
    use varbind_codec::smi::{Oid, OidScratch, Value};
    use varbind_mib::Mib;

    use super::*;
    use crate::recording::{RecordingFormat, read};

    fn value() -> impl Strategy<Value = Value> {
        let octets = || prop::collection::vec(any::<u8>(), 0..20);
        prop_oneof![
            any::<i32>().prop_map(Value::Integer),
            octets().prop_map(Value::OctetString),
            "[ -~]{0,20}".prop_map(|text| Value::OctetString(text.into_bytes())),
            octets().prop_map(Value::Opaque),
            any::<[u8; 4]>().prop_map(Value::IpAddress),
            any::<u32>().prop_map(Value::Counter32),
            any::<u32>().prop_map(Value::Gauge32),
            any::<u32>().prop_map(Value::TimeTicks),
            any::<u64>().prop_map(Value::Counter64),
            prop::collection::vec(any::<u32>(), 0..5).prop_map(|arcs| {
                Value::from(&Oid::new(&[&[1, 3], &arcs[..]].concat()).unwrap())
            }),
            Just(Value::Null),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(values in prop::collection::vec(value(), 1..20)) {
            let objects: Vec<_> = (1..).zip(values).map(|(arc, value)| {
                VarBind { name: Oid::new(&[1, 3, 6, arc]).unwrap(), value }
            }).collect();
            for (written, format) in [
                (WrittenFormat::Snmprec, RecordingFormat::Snmprec),
                (WrittenFormat::JsonLines, RecordingFormat::JsonLines),
            ] {
                let mut writer = RecordingWriter::new(Vec::new(), written);
                for object in &objects {
                    writer.write(object).unwrap();
                }
                let text = writer.into_output();
                let (recording, report) = read(Cursor::new(&text), format, &Mib::builtin());
                prop_assert_eq!(recording.len(), objects.len(), "{}", report);
                let mut name = OidScratch::new();
                for (at, object) in objects.iter().enumerate() {
                    recording.name(at, &mut name);
                    prop_assert_eq!(name.arcs(), object.name.arcs());
                    prop_assert_eq!(recording.value(at), Some(object.value.as_value_ref()));
                }
            }
        }
    }
}
