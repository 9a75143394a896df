//! The document format of `snmp.yml`.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A whole file.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    #[serde(
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub(super) auths: BTreeMap<String, Auth>,
    #[serde(
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub(super) modules: BTreeMap<String, Module>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<i64>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Auth {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) community: Option<Secret>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) security_level: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) username: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) password: Option<Secret>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) auth_protocol: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) priv_protocol: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) priv_password: Option<Secret>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) context_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<i64>,
}

/// A secret, which `Debug` and `/config` hide.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(super) struct Secret(pub(super) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<secret>")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("<secret>")
    }
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Module {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) walk: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) get: Option<Vec<String>>,
    #[serde(default)]
    pub(super) metrics: Option<Vec<Metric>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) max_repetitions: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) retries: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) timeout: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) use_unconnected_udp_socket: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) allow_nonincreasing_oids: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) filters: Option<Vec<Filter>>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Filter {
    pub(super) oid: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) targets: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) values: Option<Vec<String>>,
}

/// The named numbers of an enumeration or of BITS.
pub(super) type EnumValues = BTreeMap<i64, String>;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Metric {
    pub(super) name: String,
    pub(super) oid: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) help: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) indexes: Option<Vec<Index>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lookups: Option<Vec<Lookup>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) regex_extracts: Option<BTreeMap<String, Vec<Extract>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) datetime_pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) enum_values: Option<EnumValues>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) offset: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) scale: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) display_hint: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Index {
    pub(super) labelname: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fixed_size: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) implied: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) enum_values: Option<EnumValues>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lookup {
    #[serde(default)]
    pub(super) labels: Option<Vec<String>>,
    pub(super) labelname: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) oid: Option<String>,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) display_hint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) enum_values: Option<EnumValues>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Extract {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<String>,
    pub(super) regex: String,
}

/// A value that may be empty.
pub(super) fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
