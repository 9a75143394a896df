use std::collections::BTreeSet;

use varbind_codec::smi::{Oid, Value};

use super::document::{Scalar, ScalarAccess};
use super::error::Problem;
use crate::data_type::DataType;

/// iso.org, below which the view `all` lies.
const NAMES_OF_SNMP: [u32; 2] = [1, 3];

/// A scalar that the configuration names.
#[derive(Debug)]
pub(crate) struct ConfiguredScalar {
    /// The name of its instance.
    pub(crate) instance: Oid,
    /// Its value, unless it was set by SNMP.
    pub(crate) value: Value,
    /// Whether it can be set.
    pub(crate) is_writable: bool,
}

pub(super) fn scalars(scalars: Vec<Scalar>) -> Result<Vec<ConfiguredScalar>, Problem> {
    let mut names = BTreeSet::new();
    scalars
        .into_iter()
        .map(|scalar| {
            let span = scalar.oid.span();
            let instance = scalar.oid.into_inner().0;
            if !names.insert(instance.clone()) {
                return Err(Problem::at(
                    span,
                    format!("the scalar {instance} exists already"),
                ));
            }
            if !instance.arcs().starts_with(&NAMES_OF_SNMP) {
                let message = format!("{instance}: the names of SNMP's objects begin with 1.3");
                return Err(Problem::at(span, message));
            }
            Ok(ConfiguredScalar {
                instance,
                value: value(scalar.data_type.0, &scalar.value)?,
                is_writable: scalar.access == ScalarAccess::ReadWrite,
            })
        })
        .collect()
}

/// A value is written as a text or, where it is one, as a number.
fn value(data_type: DataType, value: &toml::Spanned<toml::Value>) -> Result<Value, Problem> {
    let text = match value.get_ref() {
        toml::Value::String(text) => text.clone(),
        toml::Value::Integer(number) => number.to_string(),
        other => {
            let message = format!(
                "a value of TOML's type {} cannot be an {data_type}: write a text or a number",
                other.type_str()
            );
            return Err(Problem::at(value.span(), message));
        }
    };
    data_type.parse(&text).map_err(|expected| {
        Problem::at(
            value.span(),
            format!("{text:?} is no {data_type}: expected {expected}"),
        )
    })
}
