//! Names and values in the formats of serde.

mod binary;
mod readable;

use alloc::string::String;
use alloc::vec::Vec;

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::{Oid, Value, VarBind};
use binary::Binary;
use readable::{Readable, ReadableVarBind};

/// In JSON, TOML and other formats that people read, dotted numbers. In binary formats, the list of sub-identifiers.
impl Serialize for Oid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_str(self),
            false => serializer.collect_seq(self.arcs()),
        }
    }
}

/// As it is serialized; a dot in front of the numbers does no harm.
impl<'de> Deserialize<'de> for Oid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let oid = match deserializer.is_human_readable() {
            true => String::deserialize(deserializer)?.parse(),
            false => Self::new(&Vec::<u32>::deserialize(deserializer)?),
        };
        oid.map_err(de::Error::custom)
    }
}

/// In formats that people read, the type and the value: `{"type":"Counter32","value":7}`. Octets that are text stand there as
/// text, others in hexadecimal with `"encoding":"hex"`. In binary formats, an enum with the type as its variant.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => Readable::from(self).serialize(serializer),
            false => Binary::serialize(self, serializer),
        }
    }
}

/// As it is serialized.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.is_human_readable() {
            true => Self::try_from(Readable::deserialize(deserializer)?).map_err(de::Error::custom),
            false => Binary::deserialize(deserializer),
        }
    }
}

/// In formats that people read, the fields of the value beside the name:
/// `{"oid":"1.3.6.1.2.1.1.5.0","type":"OctetString","value":"switch7"}`. In binary formats, the name and the value.
impl Serialize for VarBind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { name, value } = self;
        if !serializer.is_human_readable() {
            return (name, value).serialize(serializer);
        }
        let readable = ReadableVarBind {
            oid: name.clone(),
            value: value.into(),
        };
        readable.serialize(serializer)
    }
}

/// As it is serialized; other fields are passed over.
impl<'de> Deserialize<'de> for VarBind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (name, value) = match deserializer.is_human_readable() {
            true => {
                let ReadableVarBind { oid, value } = Deserialize::deserialize(deserializer)?;
                (oid, value.try_into().map_err(de::Error::custom)?)
            }
            false => Deserialize::deserialize(deserializer)?,
        };
        Ok(Self { name, value })
    }
}
