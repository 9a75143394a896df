//! Values in formats that people read.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::net::Ipv4Addr;

use serde::{Deserialize, Serialize};

use crate::smi::{EncodedOid, Oid, Value};

/// A variable binding in a format that people read.
#[derive(Serialize, Deserialize)]
pub(super) struct ReadableVarBind {
    pub(super) oid: Oid,
    #[serde(flatten)]
    pub(super) value: Readable,
}

/// A value in a format that people read.
#[derive(Serialize, Deserialize)]
pub(super) struct Readable {
    #[serde(rename = "type")]
    value_type: Type,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Content>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoding: Option<Encoding>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Type {
    Integer,
    OctetString,
    Null,
    ObjectIdentifier,
    IpAddress,
    Counter32,
    Gauge32,
    TimeTicks,
    Opaque,
    Counter64,
    NoSuchObject,
    NoSuchInstance,
    EndOfMibView,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "a value is a number or a text")]
enum Content {
    Unsigned(u64),
    Signed(i64),
    Text(String),
}

/// What the text of a value stands for.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Encoding {
    Text,
    Hex,
}

impl From<&Value> for Readable {
    fn from(value: &Value) -> Self {
        use Content::{Signed, Text, Unsigned};
        let plain = |value_type, value| Self {
            value_type,
            value,
            encoding: None,
        };
        let octets = |value_type, octets| Self {
            value_type,
            value: Some(Text(hexadecimal(octets))),
            encoding: Some(Encoding::Hex),
        };
        match value {
            Value::Integer(number) => plain(Type::Integer, Some(Signed((*number).into()))),
            Value::OctetString(content) => match text(content) {
                Some(text) => plain(Type::OctetString, Some(Text(text.to_owned()))),
                None => octets(Type::OctetString, content),
            },
            Value::Null => plain(Type::Null, None),
            Value::ObjectIdentifier(oid) => match oid.is_minimal() {
                true => {
                    let dotted = oid.as_oid_ref().to_string();
                    plain(Type::ObjectIdentifier, Some(Text(dotted)))
                }
                // Some devices send longer forms.
                false => octets(Type::ObjectIdentifier, oid.as_oid_ref().content()),
            },
            Value::IpAddress(address) => {
                let address = Ipv4Addr::from(*address).to_string();
                plain(Type::IpAddress, Some(Text(address)))
            }
            Value::Counter32(number) => plain(Type::Counter32, Some(Unsigned((*number).into()))),
            Value::Gauge32(number) => plain(Type::Gauge32, Some(Unsigned((*number).into()))),
            Value::TimeTicks(number) => plain(Type::TimeTicks, Some(Unsigned((*number).into()))),
            Value::Opaque(content) => octets(Type::Opaque, content),
            Value::Counter64(number) => plain(Type::Counter64, Some(Unsigned(*number))),
            Value::NoSuchObject => plain(Type::NoSuchObject, None),
            Value::NoSuchInstance => plain(Type::NoSuchInstance, None),
            Value::EndOfMibView => plain(Type::EndOfMibView, None),
        }
    }
}

/// A value that its type does not have.
pub(super) struct Unsuitable(Type);

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wanted = match self.0 {
            Type::Integer => "a number of 32 bits",
            Type::OctetString => "a text, or hexadecimal digits with the encoding hex",
            Type::ObjectIdentifier => "numbers separated by dots",
            Type::IpAddress => "an address as 192.0.2.1",
            Type::Counter32 | Type::Gauge32 | Type::TimeTicks => {
                "a number of 32 bits that is not negative"
            }
            Type::Opaque => "hexadecimal digits with the encoding hex",
            Type::Counter64 => "a number of 64 bits that is not negative",
            Type::Null | Type::NoSuchObject | Type::NoSuchInstance | Type::EndOfMibView => {
                "no value"
            }
        };
        write!(f, "a value of the type {:?} is {wanted}", self.0)
    }
}

impl TryFrom<Readable> for Value {
    type Error = Unsuitable;

    fn try_from(readable: Readable) -> Result<Self, Unsuitable> {
        let Readable {
            value_type,
            value,
            encoding,
        } = readable;
        let value = match (value_type, value) {
            (Type::Integer, Some(value)) => value.number().map(Self::Integer),
            (Type::Counter32, Some(value)) => value.number().map(Self::Counter32),
            (Type::Gauge32, Some(value)) => value.number().map(Self::Gauge32),
            (Type::TimeTicks, Some(value)) => value.number().map(Self::TimeTicks),
            (Type::Counter64, Some(value)) => value.number().map(Self::Counter64),
            (Type::OctetString, Some(Content::Text(text))) => match encoding {
                Some(Encoding::Hex) => octets(&text).map(Self::OctetString),
                Some(Encoding::Text) | None => Some(Self::OctetString(text.into_bytes())),
            },
            (Type::Opaque, Some(Content::Text(text))) if encoding == Some(Encoding::Hex) => {
                octets(&text).map(Self::Opaque)
            }
            (Type::ObjectIdentifier, Some(Content::Text(text))) => match encoding {
                Some(Encoding::Hex) => octets(&text)
                    .and_then(|content| EncodedOid::from_content(&content))
                    .map(Self::ObjectIdentifier),
                Some(Encoding::Text) | None => text.parse::<Oid>().ok().map(|oid| Self::from(&oid)),
            },
            (Type::IpAddress, Some(Content::Text(text))) => text
                .parse::<Ipv4Addr>()
                .ok()
                .map(|address| Self::IpAddress(address.octets())),
            (Type::Null, None) => Some(Self::Null),
            (Type::NoSuchObject, None) => Some(Self::NoSuchObject),
            (Type::NoSuchInstance, None) => Some(Self::NoSuchInstance),
            (Type::EndOfMibView, None) => Some(Self::EndOfMibView),
            _ => None,
        };
        value.ok_or(Unsuitable(value_type))
    }
}

impl Content {
    fn number<N: TryFrom<u64> + TryFrom<i64>>(self) -> Option<N> {
        match self {
            Self::Unsigned(number) => number.try_into().ok(),
            Self::Signed(number) => number.try_into().ok(),
            Self::Text(_) => None,
        }
    }
}

/// The octets as text, if they look like one: the control characters of lines are the only ones in it.
fn text(octets: &[u8]) -> Option<&str> {
    let is_strange = |it: char| it.is_control() && !matches!(it, '\t' | '\n' | '\r');
    let text = core::str::from_utf8(octets).ok()?;
    (!text.chars().any(is_strange)).then_some(text)
}

fn hexadecimal(octets: &[u8]) -> String {
    let mut digits = String::with_capacity(octets.len() * 2);
    for octet in octets {
        // Writing into a string does not fail.
        let _ = write!(digits, "{octet:02x}");
    }
    digits
}

fn octets(digits: &str) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let octet = |[high, low]: [u8; 2]| u8::try_from(digit(high)? << 4 | digit(low)?).ok();
    pairs.iter().map(|pair| octet(*pair)).collect()
}
