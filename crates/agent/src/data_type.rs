use std::fmt;
use std::net::Ipv4Addr;

use varbind_codec::smi::{Oid, Value};

/// The type of a value, by the name that it has in the configuration and in the file of values that were set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataType {
    Integer,
    OctetString,
    ObjectIdentifier,
    IpAddress,
    Counter32,
    Gauge32,
    TimeTicks,
    Opaque,
    Counter64,
}

const NAMES: [(&str, DataType); 9] = [
    ("integer", DataType::Integer),
    ("octet-string", DataType::OctetString),
    ("object-identifier", DataType::ObjectIdentifier),
    ("ip-address", DataType::IpAddress),
    ("counter32", DataType::Counter32),
    ("gauge32", DataType::Gauge32),
    ("time-ticks", DataType::TimeTicks),
    ("opaque", DataType::Opaque),
    ("counter64", DataType::Counter64),
];

impl DataType {
    /// The type of that name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        NAMES
            .iter()
            .find_map(|(known, data_type)| (*known == name).then_some(*data_type))
    }

    /// All names, for error messages.
    pub(crate) fn names() -> String {
        NAMES.map(|(name, _)| name).join(", ")
    }

    /// The type of a value; `None` of NULL and of the exceptions.
    pub(crate) const fn of(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Integer(_) => Self::Integer,
            Value::OctetString(_) => Self::OctetString,
            Value::ObjectIdentifier(_) => Self::ObjectIdentifier,
            Value::IpAddress(_) => Self::IpAddress,
            Value::Counter32(_) => Self::Counter32,
            Value::Gauge32(_) => Self::Gauge32,
            Value::TimeTicks(_) => Self::TimeTicks,
            Value::Opaque(_) => Self::Opaque,
            Value::Counter64(_) => Self::Counter64,
            Value::Null | Value::NoSuchObject | Value::NoSuchInstance | Value::EndOfMibView => {
                return None;
            }
        })
    }

    /// Reads a value of this type; octets stand for themselves.
    ///
    /// # Errors
    /// What is expected instead.
    pub(crate) fn parse(self, text: &str) -> Result<Value, &'static str> {
        match self {
            Self::Integer => text
                .parse()
                .map(Value::Integer)
                .map_err(|_| "a number from -2147483648 to 2147483647"),
            Self::OctetString => Ok(Value::OctetString(text.as_bytes().to_vec())),
            Self::Opaque => Ok(Value::Opaque(text.as_bytes().to_vec())),
            Self::ObjectIdentifier => text
                .parse::<Oid>()
                .map(|oid| Value::from(&oid))
                .map_err(|_| "numbers separated by dots, as 1.3.6.1.4.1"),
            Self::IpAddress => text
                .parse::<Ipv4Addr>()
                .map(|address| Value::IpAddress(address.octets()))
                .map_err(|_| "an IPv4 address, as 192.0.2.1"),
            Self::Counter32 => unsigned32(text).map(Value::Counter32),
            Self::Gauge32 => unsigned32(text).map(Value::Gauge32),
            Self::TimeTicks => unsigned32(text).map(Value::TimeTicks),
            Self::Counter64 => text
                .parse()
                .map(Value::Counter64)
                .map_err(|_| "a number from 0 to 18446744073709551615"),
        }
    }
}

fn unsigned32(text: &str) -> Result<u32, &'static str> {
    text.parse().map_err(|_| "a number from 0 to 4294967295")
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, data_type)| data_type == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}
