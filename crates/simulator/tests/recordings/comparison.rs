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

/// How many objects a walk showed, or the first in which it differs from what is expected of it. Values that change by
/// themselves may differ.
pub(crate) fn compare(
    what: &str,
    recording: &Recording,
    expected: &[(usize, Object)],
    walked: Vec<Object>,
) -> Result<usize, String> {
    let count = walked.len();
    let mut walked = walked.into_iter();
    for (at, (name, value)) in expected {
        let Some((walked_name, walked_value)) = walked.next() else {
            return Err(format!("{what}: {count} objects, not {}", expected.len()));
        };
        if *name != walked_name {
            return Err(format!(
                "{what}: object {at} is {walked_name:?}, not {name:?}"
            ));
        }
        // Net-SNMP writes Opaque in forms that are not read back.
        let is_comparable = match value {
            Value::Opaque(_) => !what.contains("Net-SNMP"),
            // Over SNMPv3 it is the device's own.
            _ => name.as_slice() != SNMP_ENGINE_ID || !what.contains("V3"),
        };
        if is_comparable && !recording.varies(*at) && *value != walked_value {
            return Err(format!(
                "{what}: object {at}, {name:?}, is {walked_value:?}, not {value:?}"
            ));
        }
    }
    match walked.next() {
        None => Ok(count),
        Some((name, _)) => Err(format!("{what}: {name:?} came behind the last object")),
    }
}
