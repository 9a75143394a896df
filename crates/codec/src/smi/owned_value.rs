use alloc::vec::Vec;

use super::{Oid, OidRef, Value};
use crate::ber::{Reader, Writer};

/// A value that owns its octets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OwnedValue {
    /// INTEGER, also Integer32.
    Integer(i32),
    /// OCTET STRING.
    OctetString(Vec<u8>),
    /// NULL.
    Null,
    /// OBJECT IDENTIFIER, with its encoded content.
    ObjectIdentifier(EncodedOid),
    /// IpAddress.
    IpAddress([u8; 4]),
    /// Counter32.
    Counter32(u32),
    /// Gauge32, also Unsigned32.
    Gauge32(u32),
    /// TimeTicks, in hundredths of a second.
    TimeTicks(u32),
    /// Opaque.
    Opaque(Vec<u8>),
    /// Counter64.
    Counter64(u64),
    /// noSuchObject.
    NoSuchObject,
    /// noSuchInstance.
    NoSuchInstance,
    /// endOfMibView.
    EndOfMibView,
}

impl OwnedValue {
    /// The value, borrowed.
    #[must_use]
    pub fn as_value(&self) -> Value<'_> {
        match self {
            Self::Integer(value) => Value::Integer(*value),
            Self::OctetString(octets) => Value::OctetString(octets),
            Self::Null => Value::Null,
            Self::ObjectIdentifier(oid) => Value::ObjectIdentifier(oid.as_oid_ref()),
            Self::IpAddress(octets) => Value::IpAddress(*octets),
            Self::Counter32(value) => Value::Counter32(*value),
            Self::Gauge32(value) => Value::Gauge32(*value),
            Self::TimeTicks(value) => Value::TimeTicks(*value),
            Self::Opaque(octets) => Value::Opaque(octets),
            Self::Counter64(value) => Value::Counter64(*value),
            Self::NoSuchObject => Value::NoSuchObject,
            Self::NoSuchInstance => Value::NoSuchInstance,
            Self::EndOfMibView => Value::EndOfMibView,
        }
    }
}

impl From<Value<'_>> for OwnedValue {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Integer(value) => Self::Integer(value),
            Value::OctetString(octets) => Self::OctetString(octets.to_vec()),
            Value::Null => Self::Null,
            Value::ObjectIdentifier(oid) => {
                Self::ObjectIdentifier(EncodedOid(oid.content().to_vec()))
            }
            Value::IpAddress(octets) => Self::IpAddress(octets),
            Value::Counter32(value) => Self::Counter32(value),
            Value::Gauge32(value) => Self::Gauge32(value),
            Value::TimeTicks(value) => Self::TimeTicks(value),
            Value::Opaque(octets) => Self::Opaque(octets.to_vec()),
            Value::Counter64(value) => Self::Counter64(value),
            Value::NoSuchObject => Self::NoSuchObject,
            Value::NoSuchInstance => Self::NoSuchInstance,
            Value::EndOfMibView => Self::EndOfMibView,
        }
    }
}

/// An OBJECT IDENTIFIER as a value, kept in its encoded form, in which it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EncodedOid(Vec<u8>);

impl EncodedOid {
    /// The name, borrowed.
    #[must_use]
    pub fn as_oid_ref(&self) -> OidRef<'_> {
        // The content was checked when this was made.
        OidRef::from_content(&Reader::new(&self.0)).unwrap_or(OidRef::ZERO_DOT_ZERO)
    }
}

impl From<&Oid> for EncodedOid {
    fn from(oid: &Oid) -> Self {
        // 128 sub-identifiers of at most 5 octets each.
        let mut buffer = [0; 640];
        let encoded = super::encoded_arcs_length(oid.arcs()).and_then(|length| {
            let mut writer = Writer::new(&mut buffer, 0)?;
            writer.append_arcs(oid.arcs(), length)?;
            Ok(length)
        });
        // An `Oid` always has a valid encoding.
        let length = encoded.unwrap_or(0);
        Self(buffer.get(..length).unwrap_or(&[]).to_vec())
    }
}

impl From<&Oid> for OwnedValue {
    fn from(oid: &Oid) -> Self {
        Self::ObjectIdentifier(EncodedOid::from(oid))
    }
}
