use std::{net::Ipv4Addr, str::FromStr};

use serde::{Deserialize, Serialize};
use varbind_codec::smi::{Oid, ParseOidError, Value};

/// A name and the value to set.
///
/// In files it is a triplet, as [`Assignment::parse`] reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "[String; 3]", into = "[String; 3]")]
pub struct Assignment {
    /// The instance.
    pub name: Oid,
    /// Its new value.
    pub value: Value,
}

impl Assignment {
    /// Reads a triplet: name, type letter, value.
    ///
    /// The letters are those of Net-SNMP's `snmpset`: `i` INTEGER, `u` Unsigned32, `c` Counter32, `C` Counter64, `t` TimeTicks,
    /// `a` IpAddress, `o` OBJECT IDENTIFIER, `s` OCTET STRING, `x` the same in hexadecimal.
    ///
    /// # Errors
    /// If the name is none, the letter unknown or the value not of its type.
    pub fn parse(name: &str, letter: &str, value: &str) -> Result<Self, AssignmentError> {
        let name = name.parse().map_err(|reason| AssignmentError::Name {
            name: name.into(),
            reason,
        })?;
        let value = match letter {
            "i" => number(value, letter).map(Value::Integer),
            "u" => number(value, letter).map(Value::Gauge32),
            "c" => number(value, letter).map(Value::Counter32),
            "C" => number(value, letter).map(Value::Counter64),
            "t" => number(value, letter).map(Value::TimeTicks),
            "a" => {
                number::<Ipv4Addr>(value, letter).map(|address| Value::IpAddress(address.octets()))
            }
            "o" => number::<Oid>(value, letter).map(|oid| Value::from(&oid)),
            "s" => Ok(Value::OctetString(value.as_bytes().to_vec())),
            "x" => hexadecimal(value).map(Value::OctetString),
            _ => Err(AssignmentError::Letter(letter.into())),
        }?;
        Ok(Self { name, value })
    }
}

impl TryFrom<[String; 3]> for Assignment {
    type Error = AssignmentError;

    fn try_from([name, letter, value]: [String; 3]) -> Result<Self, Self::Error> {
        Self::parse(&name, &letter, &value)
    }
}

impl From<Assignment> for [String; 3] {
    fn from(assignment: Assignment) -> Self {
        let (letter, value) = match &assignment.value {
            Value::Integer(value) => ("i", value.to_string()),
            Value::Gauge32(value) => ("u", value.to_string()),
            Value::Counter32(value) => ("c", value.to_string()),
            Value::Counter64(value) => ("C", value.to_string()),
            Value::TimeTicks(value) => ("t", value.to_string()),
            Value::IpAddress(octets) => ("a", Ipv4Addr::from(*octets).to_string()),
            Value::ObjectIdentifier(name) => ("o", name.as_oid_ref().to_string()),
            Value::OctetString(octets) | Value::Opaque(octets) => {
                let digits = octets.iter().map(|octet| format!("{octet:02x}"));
                ("x", digits.collect())
            }
            // Nothing else can be set.
            _ => ("x", String::new()),
        };
        [assignment.name.to_string(), letter.to_owned(), value]
    }
}

fn number<T: FromStr>(value: &str, letter: &str) -> Result<T, AssignmentError> {
    value.parse().map_err(|_| AssignmentError::Value {
        letter: letter.into(),
        value: value.into(),
    })
}

fn hexadecimal(value: &str) -> Result<Vec<u8>, AssignmentError> {
    let error = || AssignmentError::Value {
        letter: "x".into(),
        value: value.into(),
    };
    let digits: Vec<char> = value.chars().filter(|c| !" :".contains(*c)).collect();
    if !digits.len().is_multiple_of(2) {
        return Err(error());
    }
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).map_err(|_| error()))
        .collect()
}

/// Why a triplet cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AssignmentError {
    /// The name is not an object identifier.
    #[error("cannot set {name}: {reason}")]
    Name {
        /// What was given.
        name: String,
        /// What is wrong with it.
        reason: ParseOidError,
    },
    /// No type has this letter.
    #[error("unknown type letter {0}: use one of i, u, c, C, t, a, o, s, x")]
    Letter(String),
    /// The value is not of the type.
    #[error("{value} is not a value of type {letter}")]
    Value {
        /// The letter of the type.
        letter: String,
        /// What was given.
        value: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triplets_of_every_letter_are_read() {
        let value = |letter, text| Assignment::parse("1.3.6.1", letter, text).map(|set| set.value);
        assert_eq!(value("i", "-5"), Ok(Value::Integer(-5)));
        assert_eq!(value("u", "5"), Ok(Value::Gauge32(5)));
        assert_eq!(value("c", "5"), Ok(Value::Counter32(5)));
        assert_eq!(
            value("C", "18446744073709551615"),
            Ok(Value::Counter64(u64::MAX))
        );
        assert_eq!(value("t", "5"), Ok(Value::TimeTicks(5)));
        assert_eq!(
            value("a", "192.0.2.1"),
            Ok(Value::IpAddress([192, 0, 2, 1]))
        );
        assert_eq!(value("s", "ab"), Ok(Value::OctetString(b"ab".to_vec())));
        assert_eq!(
            value("x", "00:fF 10"),
            Ok(Value::OctetString(vec![0, 255, 16]))
        );
        assert!(matches!(
            value("o", "1.3.6"),
            Ok(Value::ObjectIdentifier(_))
        ));
    }

    #[test]
    fn errors_tell_what_to_do() {
        let error = |name, letter, text| {
            Assignment::parse(name, letter, text)
                .unwrap_err()
                .to_string()
        };
        assert!(error("1.3", "z", "1").contains("use one of i, u"));
        assert_eq!(error("1.3", "u", "-1"), "-1 is not a value of type u");
        assert_eq!(error("1.3", "x", "123"), "123 is not a value of type x");
        assert!(error("sysName", "s", "a").starts_with("cannot set sysName: "));
    }
}
