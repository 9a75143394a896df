//! What the agent tells of itself as an engine of SNMPv3: SNMP-FRAMEWORK-MIB (RFC 3411).

use std::sync::Arc;

use varbind_codec::smi::Value;
use varbind_engine::instrumentation::{RequestContext, Scalar};
use varbind_engine::security::usm::LocalEngine;

use super::Objects;

const SNMP_ENGINE_ID: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 2, 1, 1];
const SNMP_ENGINE_BOOTS: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 2, 1, 2];
const SNMP_ENGINE_TIME: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 2, 1, 3];
const SNMP_ENGINE_MAX_MESSAGE_SIZE: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 2, 1, 4];

pub(crate) fn snmp_engine(objects: &mut Objects, engine: &Arc<LocalEngine>) {
    let id = Value::OctetString(engine.id().as_octets().to_vec());
    objects.computed(SNMP_ENGINE_ID, move || Some(id.clone()));
    let size = engine.max_message_size();
    objects.computed(SNMP_ENGINE_MAX_MESSAGE_SIZE, move || {
        Some(Value::Integer(size))
    });
    // Both at the time of the request, so that they belong together.
    let clock = Arc::clone(engine);
    objects.register(SNMP_ENGINE_BOOTS, |object| {
        Arc::new(Scalar::new(object, move |request: &RequestContext| {
            Some(Value::Integer(clock.time(request.now).boots))
        }))
    });
    let clock = Arc::clone(engine);
    objects.register(SNMP_ENGINE_TIME, |object| {
        Arc::new(Scalar::new(object, move |request: &RequestContext| {
            Some(Value::Integer(clock.time(request.now).time))
        }))
    });
}
