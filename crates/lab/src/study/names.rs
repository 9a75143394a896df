//! What studies ask for.

use varbind_codec::smi::{Oid, Value};

use crate::request::{Assignment, Request};

/// sysName.0
pub(super) const SYS_NAME: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 5, 0];
/// sysContact.0
pub(super) const SYS_CONTACT: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 4, 0];
/// sysLocation.0
pub(super) const SYS_LOCATION: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 6, 0];
/// ifEntry
pub(super) const IF_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2, 1];
/// nsCacheTimeout of NET-SNMP-AGENT-MIB
pub(super) const NS_CACHE_TIMEOUT: &[u32] = &[1, 3, 6, 1, 4, 1, 8072, 1, 5, 3, 1, 2];
/// ifTable
pub(super) const IF_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2];

/// A name that is written down in this crate.
#[allow(clippy::expect_used, reason = "the tests make every experiment")]
pub(super) fn oid(arcs: &[u32]) -> Oid {
    Oid::new(arcs).expect("a constant name")
}

/// A get of one instance.
pub(super) fn get(name: &[u32]) -> Request {
    Request::Get {
        names: vec![oid(name)],
    }
}

/// A set of strings of 32 characters, as Gamess and Hernandez (2021) had them.
pub(super) fn set(names: &[&[u32]]) -> Request {
    let values = [
        "a string with its 32 characters.",
        "another one with 32 characters..",
    ];
    let assign = |value: &str| {
        let value = Value::OctetString(value.as_bytes().to_vec());
        let assignment = |name: &&[u32]| Assignment {
            name: oid(name),
            value: value.clone(),
        };
        names.iter().map(assignment).collect()
    };
    Request::Set {
        alternatives: values.map(assign).to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_have_32_characters() {
        let Request::Set { alternatives } = set(&[SYS_CONTACT, SYS_LOCATION]) else {
            panic!("no set");
        };
        assert_eq!(alternatives.len(), 2);
        for assignment in alternatives.iter().flatten() {
            assert!(matches!(&assignment.value, Value::OctetString(octets) if octets.len() == 32));
        }
        assert_ne!(alternatives[0], alternatives[1]);
    }
}
