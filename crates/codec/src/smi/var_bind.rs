use core::fmt;

use super::{Oid, Value};

/// A name and its value (VarBind, RFC 3416 section 3).
///
/// ```
/// use varbind_codec::oid;
/// use varbind_codec::smi::{Value, VarBind};
///
/// let var_bind = VarBind::new(oid!("1.3.6.1.2.1.1.5.0"), "router1");
/// assert_eq!(var_bind.to_string(), "1.3.6.1.2.1.1.5.0 = router1");
/// assert_eq!(var_bind.value, Value::from("router1"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VarBind {
    /// The name of the instance.
    pub name: Oid,
    /// Its value.
    pub value: Value,
}

impl VarBind {
    /// A name with a value.
    pub fn new(name: Oid, value: impl Into<Value>) -> Self {
        Self {
            name,
            value: value.into(),
        }
    }
}

impl From<(Oid, Value)> for VarBind {
    fn from((name, value): (Oid, Value)) -> Self {
        Self { name, value }
    }
}

impl fmt::Display for VarBind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, self.value)
    }
}
