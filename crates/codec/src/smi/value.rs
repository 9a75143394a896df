use alloc::vec::Vec;
use core::fmt;

use super::{Oid, OidRef, ValueRef};
use crate::ber::{Reader, Writer};

/// A value that owns its octets.
///
/// ```
/// use varbind_codec::smi::{Value, ValueError};
///
/// let name = Value::from("router1");
/// let text: &str = (&name).try_into()?;
/// assert_eq!(text, "router1");
/// assert_eq!(format!("{name:?}"), r#"OctetString("router1")"#);
/// # Ok::<(), ValueError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Value {
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

impl Value {
    /// The value, borrowed.
    #[must_use]
    pub fn as_value_ref(&self) -> ValueRef<'_> {
        match self {
            Self::Integer(value) => ValueRef::Integer(*value),
            Self::OctetString(octets) => ValueRef::OctetString(octets),
            Self::Null => ValueRef::Null,
            Self::ObjectIdentifier(oid) => ValueRef::ObjectIdentifier(oid.as_oid_ref()),
            Self::IpAddress(octets) => ValueRef::IpAddress(*octets),
            Self::Counter32(value) => ValueRef::Counter32(*value),
            Self::Gauge32(value) => ValueRef::Gauge32(*value),
            Self::TimeTicks(value) => ValueRef::TimeTicks(*value),
            Self::Opaque(octets) => ValueRef::Opaque(octets),
            Self::Counter64(value) => ValueRef::Counter64(*value),
            Self::NoSuchObject => ValueRef::NoSuchObject,
            Self::NoSuchInstance => ValueRef::NoSuchInstance,
            Self::EndOfMibView => ValueRef::EndOfMibView,
        }
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Integer(value) => Self::Integer(value),
            ValueRef::OctetString(octets) => Self::OctetString(octets.to_vec()),
            ValueRef::Null => Self::Null,
            ValueRef::ObjectIdentifier(oid) => {
                Self::ObjectIdentifier(EncodedOid(oid.content().to_vec()))
            }
            ValueRef::IpAddress(octets) => Self::IpAddress(octets),
            ValueRef::Counter32(value) => Self::Counter32(value),
            ValueRef::Gauge32(value) => Self::Gauge32(value),
            ValueRef::TimeTicks(value) => Self::TimeTicks(value),
            ValueRef::Opaque(octets) => Self::Opaque(octets.to_vec()),
            ValueRef::Counter64(value) => Self::Counter64(value),
            ValueRef::NoSuchObject => Self::NoSuchObject,
            ValueRef::NoSuchInstance => Self::NoSuchInstance,
            ValueRef::EndOfMibView => Self::EndOfMibView,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.as_value_ref(), f)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_value_ref(), f)
    }
}

/// An OBJECT IDENTIFIER as a value, kept in its encoded form, in which it is sent.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EncodedOid(Vec<u8>);

impl EncodedOid {
    /// The name, borrowed.
    #[must_use]
    pub fn as_oid_ref(&self) -> OidRef<'_> {
        // The content was checked when this was made.
        OidRef::from_content(&Reader::new(&self.0)).unwrap_or(OidRef::ZERO_DOT_ZERO)
    }

    #[cfg(feature = "serde")]
    pub(super) fn from_content(content: &[u8]) -> Option<Self> {
        let checked = OidRef::from_content(&Reader::new(content)).ok()?;
        Some(Self(checked.content().to_vec()))
    }

    /// Whether the encoding is the shortest, as of names that come from an [`Oid`].
    #[cfg(feature = "serde")]
    pub(super) fn is_minimal(&self) -> bool {
        *self == Self::from(&self.as_oid_ref().to_oid())
    }
}

impl fmt::Debug for EncodedOid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_oid_ref(), f)
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

impl From<&Oid> for Value {
    fn from(oid: &Oid) -> Self {
        Self::ObjectIdentifier(EncodedOid::from(oid))
    }
}
