//! Values in binary formats.

use alloc::vec::Vec;
use core::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;

use crate::smi::{EncodedOid, Value};

/// A value in a binary format.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "Value")]
pub(super) enum Binary {
    Integer(i32),
    OctetString(#[serde(with = "byte_string")] Vec<u8>),
    Null,
    ObjectIdentifier(#[serde(with = "encoded_oid")] EncodedOid),
    IpAddress([u8; 4]),
    Counter32(u32),
    Gauge32(u32),
    TimeTicks(u32),
    Opaque(#[serde(with = "byte_string")] Vec<u8>),
    Counter64(u64),
    NoSuchObject,
    NoSuchInstance,
    EndOfMibView,
}

/// Octets as the byte string of a format.
mod byte_string {
    use super::{Deserializer, OctetsVisitor, Serializer, Vec};

    pub(super) fn serialize<S: Serializer>(
        octets: &[u8],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(octets)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_byte_buf(OctetsVisitor)
    }
}

/// An OBJECT IDENTIFIER as the byte string of its encoded form.
mod encoded_oid {
    use super::{Deserializer, EncodedOid, Serializer, byte_string, de};

    pub(super) fn serialize<S: Serializer>(
        oid: &EncodedOid,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        byte_string::serialize(oid.as_oid_ref().content(), serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<EncodedOid, D::Error> {
        let content = byte_string::deserialize(deserializer)?;
        let wrong = || de::Error::custom("the octets are not an OBJECT IDENTIFIER");
        EncodedOid::from_content(&content).ok_or_else(wrong)
    }
}

struct OctetsVisitor;

impl Visitor<'_> for OctetsVisitor {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("octets")
    }

    fn visit_bytes<E: de::Error>(self, octets: &[u8]) -> Result<Vec<u8>, E> {
        Ok(octets.to_vec())
    }

    fn visit_byte_buf<E: de::Error>(self, octets: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(octets)
    }
}
