//! The document format of `generator.yml`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_saphyr::Spanned;

use crate::module::document::{Auth, Filter, or_default};

/// A whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Generator {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) auths: BTreeMap<String, Spanned<Auth>>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) modules: BTreeMap<String, Spanned<Module>>,
    #[serde(default)]
    pub(super) version: Option<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Module {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) walk: Vec<Spanned<String>>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) lookups: Vec<Lookup>,
    pub(super) max_repetitions: Option<u32>,
    pub(super) retries: Option<u32>,
    pub(super) timeout: Option<String>,
    pub(super) use_unconnected_udp_socket: Option<bool>,
    pub(super) allow_nonincreasing_oids: Option<bool>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) overrides: BTreeMap<String, Spanned<Overrides>>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) filters: Filters,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lookup {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) source_indexes: Vec<String>,
    pub(super) lookup: Spanned<String>,
    #[serde(default)]
    pub(super) drop_source_indexes: bool,
    pub(super) display_hint: Option<String>,
}

/// Overrides of a module for an object.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Overrides {
    #[serde(default)]
    pub(super) ignore: bool,
    pub(super) regex_extracts: Option<BTreeMap<String, Vec<Extract>>>,
    pub(super) datetime_pattern: Option<String>,
    pub(super) offset: Option<f64>,
    pub(super) scale: Option<f64>,
    #[serde(rename = "type")]
    pub(super) kind: Option<Spanned<String>>,
    pub(super) help: Option<String>,
    pub(super) name: Option<String>,
    pub(super) display_hint: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Extract {
    pub(super) value: Option<String>,
    pub(super) regex: Spanned<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Filters {
    #[serde(rename = "static", default, deserialize_with = "or_default")]
    pub(super) fixed: Vec<StaticFilter>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) dynamic: Vec<Spanned<Filter>>,
}

/// Instances to request instead of a walk.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StaticFilter {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) targets: Vec<Spanned<String>>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) indices: Vec<Spanned<String>>,
}
