//! Values on their way to the disk, which are overwritten in memory behind it.

use std::collections::BTreeMap;

use varbind_codec::smi::{Oid, Value};
use zeroize::Zeroize;

use super::record::Binding;

/// What was committed and is not on the disk yet.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) bindings: Vec<Binding>,
    /// Whether something in the file must not stay there.
    pub(super) is_outdated: bool,
}

impl Drop for Changes {
    fn drop(&mut self) {
        for (_, value) in &mut self.bindings {
            if let Some(Value::OctetString(octets)) = value {
                octets.zeroize();
            }
        }
    }
}

/// All values on their way to the disk; the octets among them are overwritten in memory when they are dropped.
pub(crate) struct ValuesInTransit(pub(crate) BTreeMap<Oid, Value>);

impl Drop for ValuesInTransit {
    fn drop(&mut self) {
        for value in self.0.values_mut() {
            if let Value::OctetString(octets) = value {
                octets.zeroize();
            }
        }
    }
}
