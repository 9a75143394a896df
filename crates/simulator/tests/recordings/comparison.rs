//! What a walk showed, and what a recording has.

use varbind_codec::smi::{OidScratch, Value};
use varbind_simulator::recording::Recording;

use crate::stage::Object;

/// snmpEngineID.0
const SNMP_ENGINE_ID: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 2, 1, 1, 0];

/// The objects of a recording.
pub(crate) fn objects(recording: &Recording) -> impl Iterator<Item = Object> {
    let mut name = OidScratch::new();
    (0..recording.len()).map(move |at| {
        recording.name(at, &mut name);
        let value = recording.value(at).unwrap().to_owned();
        (name.arcs().to_vec(), value)
    })
}

/// Panics at the first object in which a walk differs from what is expected of it. Values that change by themselves may.
pub(crate) fn compare(
    what: &str,
    recording: &Recording,
    expected: &[(usize, Object)],
    walked: Vec<Object>,
) {
    let count = walked.len();
    let mut walked = walked.into_iter();
    for (at, (name, value)) in expected {
        let Some((walked_name, walked_value)) = walked.next() else {
            panic!("{what}: {count} objects, not {}", expected.len());
        };
        assert_eq!(*name, walked_name, "{what}: object {at}");
        // Net-SNMP writes Opaque in forms that are not read back.
        let is_comparable = match value {
            Value::Opaque(_) => !what.contains("Net-SNMP"),
            // Over SNMPv3 it is the device's own.
            _ => name.as_slice() != SNMP_ENGINE_ID || !what.contains("V3"),
        };
        if is_comparable && !recording.varies(*at) {
            assert_eq!(*value, walked_value, "{what}: object {at}, {name:?}");
        }
    }
    assert_eq!(walked.next(), None, "{what}");
}
