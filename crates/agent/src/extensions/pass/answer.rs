//! What a program answers: a name and a value, as snmpd's programs write them or as a JSON object.

use varbind_codec::smi::{Oid, Value};

use crate::data_type::DataType;
use crate::hexadecimal;

/// An instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) name: Oid,
    pub(super) value: Value,
}

/// The types by the words of snmpd's programs and, behind them, by those of `varbind --json`, all in small letters.
const TYPES: [(&str, DataType); 21] = [
    ("integer", DataType::Integer),
    ("gauge", DataType::Gauge32),
    ("counter", DataType::Counter32),
    ("counter64", DataType::Counter64),
    ("timeticks", DataType::TimeTicks),
    ("ipaddress", DataType::IpAddress),
    ("objectid", DataType::ObjectIdentifier),
    ("string", DataType::OctetString),
    ("unsigned", DataType::Gauge32),
    ("octetstring", DataType::OctetString),
    ("objectidentifier", DataType::ObjectIdentifier),
    ("gauge32", DataType::Gauge32),
    ("counter32", DataType::Counter32),
    ("opaque", DataType::Opaque),
    ("integer32", DataType::Integer),
    ("unsigned32", DataType::Gauge32),
    // The names of the configuration.
    ("octet-string", DataType::OctetString),
    ("object-identifier", DataType::ObjectIdentifier),
    ("ip-address", DataType::IpAddress),
    ("time-ticks", DataType::TimeTicks),
    ("uinteger", DataType::Gauge32),
];
/// Octets in hexadecimal digits.
const OCTET: &str = "octet";

impl Answer {
    /// Reads the three lines of `pass` and `pass_persist`.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn from_lines(name: &[u8], data_type: &[u8], value: &[u8]) -> Result<Self, String> {
        let name = oid(&String::from_utf8_lossy(name))?;
        let data_type = String::from_utf8_lossy(data_type).trim().to_lowercase();
        let value = if data_type == OCTET {
            octets(&String::from_utf8_lossy(value)).map(Value::OctetString)
        } else {
            match type_of(&data_type)? {
                DataType::OctetString => Ok(Value::OctetString(value.to_vec())),
                DataType::Opaque => octets(&String::from_utf8_lossy(value)).map(Value::Opaque),
                other => parse(other, &String::from_utf8_lossy(value)),
            }
        }
        .map_err(|message| format!("{name}: {message}"))?;
        Ok(Self { name, value })
    }

    /// Reads an object as `varbind walk --json` writes it: `oid`, `type` and `value`, octets in hexadecimal digits where
    /// `encoding` is `hex`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn from_json(line: &[u8]) -> Result<Self, String> {
        let object: serde_json::Value =
            serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let text = |key: &str| {
            let value = object.get(key).and_then(serde_json::Value::as_str);
            value.ok_or_else(|| format!("expected a text with the key {key:?}"))
        };
        let name = oid(text("oid")?)?;
        let written = match object.get("value") {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(serde_json::Value::Number(number)) => number.to_string(),
            _ => {
                return Err(format!(
                    "{name}: expected a text or a number with the key \"value\""
                ));
            }
        };
        let is_hexadecimal = match object.get("encoding").map(|value| value.as_str()) {
            None | Some(Some("text")) => false,
            Some(Some("hex")) => true,
            Some(_) => return Err(format!("{name}: expected \"hex\" or \"text\" as encoding")),
        };
        let value = type_of(&text("type")?.to_lowercase()).and_then(|data_type| match data_type {
            DataType::OctetString if is_hexadecimal => octets(&written).map(Value::OctetString),
            DataType::Opaque => octets(&written).map(Value::Opaque),
            other => parse(other, &written),
        });
        let value = value.map_err(|message| format!("{name}: {message}"))?;
        Ok(Self { name, value })
    }
}

fn oid(text: &str) -> Result<Oid, String> {
    let text = text.trim();
    let numbers = text.strip_prefix('.').unwrap_or(text);
    numbers
        .parse()
        .map_err(|_| format!("{text:?} is not a name: expected numbers, as .1.3.6.1.4.1"))
}

fn type_of(name: &str) -> Result<DataType, String> {
    let known = TYPES.iter().find(|(known, _)| *known == name);
    known.map(|(_, data_type)| *data_type).ok_or_else(|| {
        let names = TYPES.map(|(name, _)| name);
        let usual = names.get(..8).unwrap_or_default().join(", ");
        format!("{name:?} is not a type: expected {OCTET}, {usual}")
    })
}

/// Digits of octets, with or without separators; nothing is no octets.
fn octets(text: &str) -> Result<Vec<u8>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    hexadecimal::decode(text)
        .ok_or_else(|| format!("{text:?} is no octets: expected hexadecimal digits, as 00 1f"))
}

fn parse(data_type: DataType, text: &str) -> Result<Value, String> {
    let is_text = data_type == DataType::OctetString;
    let text = if is_text { text } else { text.trim() };
    let numbers = match data_type {
        DataType::ObjectIdentifier => text.strip_prefix('.').unwrap_or(text),
        _ => text,
    };
    data_type
        .parse(numbers)
        .map_err(|expected| format!("{text:?} is no {data_type}: expected {expected}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn from_lines(data_type: &str, value: &[u8]) -> Result<Value, String> {
        let answer = Answer::from_lines(b".1.3.6.1.4.1.9999.1", data_type.as_bytes(), value)?;
        assert_eq!(answer.name.arcs(), [1, 3, 6, 1, 4, 1, 9999, 1]);
        Ok(answer.value)
    }

    #[test]
    fn the_types_of_snmpds_programs_are_known() {
        for (data_type, value, expected) in [
            ("string", "a b ", Value::OctetString(b"a b ".to_vec())),
            ("STRING", "", Value::OctetString(Vec::new())),
            ("octet", "00 1F fe", Value::OctetString(vec![0, 0x1f, 0xfe])),
            ("octet", "", Value::OctetString(Vec::new())),
            ("integer", " -5", Value::Integer(-5)),
            ("gauge", "5", Value::Gauge32(5)),
            ("unsigned", "4294967295", Value::Gauge32(u32::MAX)),
            ("counter", "5", Value::Counter32(5)),
            (
                "counter64",
                "18446744073709551615",
                Value::Counter64(u64::MAX),
            ),
            ("timeticks", "5", Value::TimeTicks(5)),
            ("ipaddress", "192.0.2.1", Value::IpAddress([192, 0, 2, 1])),
            ("opaque", "9f 78", Value::Opaque(vec![0x9f, 0x78])),
        ] {
            assert_eq!(
                from_lines(data_type, value.as_bytes()),
                Ok(expected),
                "{data_type}"
            );
        }
        let oid: Oid = "1.3.6.1".parse().unwrap();
        assert_eq!(from_lines("objectid", b".1.3.6.1"), Ok(Value::from(&oid)));
        assert_eq!(
            from_lines("string", b"\xff"),
            Ok(Value::OctetString(vec![0xff]))
        );
    }

    #[test]
    fn objects_are_those_of_json_output() {
        for (line, expected) in [
            (
                r#"{"name":"x","oid":"1.3.6.1.2.1","type":"Counter64","value":18446744073709551615,"display":"y"}"#,
                Value::Counter64(u64::MAX),
            ),
            (
                r#"{"oid":".1.3.6.1.2.1","type":"OctetString","value":"00ff","encoding":"hex"}"#,
                Value::OctetString(vec![0, 0xff]),
            ),
            (
                r#"{"oid":"1.3.6.1.2.1","type":"octet-string","value":"grün"}"#,
                Value::OctetString("grün".as_bytes().to_vec()),
            ),
            (
                r#"{"oid":"1.3.6.1.2.1","type":"TimeTicks","value":"7"}"#,
                Value::TimeTicks(7),
            ),
        ] {
            assert_eq!(Answer::from_json(line.as_bytes()).unwrap().value, expected);
        }
    }

    #[test]
    fn mistakes_are_reported_with_what_is_expected() {
        for (data_type, value, expected) in [
            ("integer", "x", "expected a number from -2147483648"),
            ("integer64", "5", "\"integer64\" is not a type"),
            ("gauge", "-1", "0 to 4294967295"),
            ("octet", "0", "hexadecimal digits"),
            ("ipaddress", "::1", "IPv4"),
            ("", "", "is not a type"),
        ] {
            let told = from_lines(data_type, value.as_bytes()).unwrap_err();
            assert!(told.contains(expected), "{told}");
        }
        assert!(Answer::from_lines(b"x", b"integer", b"1").is_err());
        for line in [
            "",
            "[]",
            "{}",
            r#"{"oid":"x","type":"Integer","value":1}"#,
            r#"{"oid":"1.3.6","type":"Integer","value":1.5}"#,
            r#"{"oid":"1.3.6","type":"Integer","value":null}"#,
            r#"{"oid":"1.3.6","type":"Integer","value":1,"encoding":"base64"}"#,
        ] {
            assert!(Answer::from_json(line.as_bytes()).is_err(), "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_a_value_or_told(
            name in "[.0-9]{0,30}|.{0,9}",
            data_type in "string|octet|integer|counter64|ipaddress|objectid|opaque|.{0,9}",
            value in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let _ = Answer::from_lines(name.as_bytes(), data_type.as_bytes(), &value);
        }

        #[test]
        fn any_line_is_an_object_or_told(
            line in "\\{(\"(oid|type|value|encoding)\": ?(\"[a-z0-9.]{0,9}\"|-?[0-9]{1,30}|null|\\[\\]),?){0,5}\\}|.{0,40}"
        ) {
            let _ = Answer::from_json(line.as_bytes());
        }
    }
}
