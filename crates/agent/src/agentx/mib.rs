//! AGENTX-MIB (RFC 2742): connections, sessions and registrations of subagents; and their rows of sysORTable.

use std::sync::{Arc, Mutex, PoisonError};

use varbind_codec::smi::{Oid, Value};
use varbind_engine::instrumentation::{ManagedObject, ReadError, Reply, RequestContext};

use super::connection::Connection;
use super::master::{Changed, Master, Session, TIMEOUT};
use super::regions::SessionId;
use super::sessions::Sessions;
use crate::managed_objects::Instances;

/// agentxObjects.
pub(crate) const AGENTX_OBJECTS: &[u32] = &[1, 3, 6, 1, 2, 1, 74, 1];
const GENERAL: &[u32] = &[1, 3, 6, 1, 2, 1, 74, 1, 1];
const CONNECTION_TABLE_LAST_CHANGE: &[u32] = &[1, 3, 6, 1, 2, 1, 74, 1, 2, 1];
const CONNECTION_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 74, 1, 2, 2, 1];
const SESSION_TABLE_LAST_CHANGE: &[u32] = &[1, 3, 6, 1, 2, 1, 74, 1, 3, 1];
const SESSION_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 74, 1, 3, 2, 1];
const REGISTRATION_TABLE_LAST_CHANGE: &[u32] = &[1, 3, 6, 1, 2, 1, 74, 1, 4, 1];
const REGISTRATION_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 74, 1, 4, 2, 1];

/// agentxMasterAgentXVer and agentxSessionAgentXVer.
const VERSION: i32 = 1;
/// agentxSessionAdminStatus: up(1).
const UP: i32 = 1;
/// TruthValue.
const TRUE: i32 = 1;
const FALSE: i32 = 2;

/// The objects of AGENTX-MIB, made anew when something has changed.
pub(crate) struct AgentxObjects {
    sessions: Arc<Sessions>,
    made: Mutex<Option<(Changed, Arc<Instances>)>>,
}

impl AgentxObjects {
    pub(crate) fn new(sessions: &Arc<Sessions>) -> Self {
        Self {
            sessions: Arc::clone(sessions),
            made: Mutex::default(),
        }
    }

    fn instances(&self) -> Arc<Instances> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        self.sessions.look(|master, connections| {
            let changed = master.changed();
            if let Some((at, instances)) = &*made
                && *at == changed
            {
                return Arc::clone(instances);
            }
            let instances = Arc::new(instances(master, connections));
            *made = Some((changed, Arc::clone(&instances)));
            instances
        })
    }
}

impl ManagedObject for AgentxObjects {
    fn get(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        self.instances().answer(name, reply)
    }

    fn get_next(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        self.instances().answer_next(AGENTX_OBJECTS, name, reply);
        Ok(())
    }
}

/// Unsigned32 of an index that begins with 1.
fn index(id: u64) -> u32 {
    u32::try_from(id.saturating_add(1)).unwrap_or(u32::MAX)
}

fn instances(
    master: &Master,
    connections: &mut dyn Iterator<Item = &Arc<Connection>>,
) -> Instances {
    let mut instances = Instances::default();
    let changed = master.changed();
    let timeout = i32::try_from(TIMEOUT.as_secs()).unwrap_or(i32::MAX);
    // agentxDefaultTimeout, agentxMasterAgentXVer
    instances.scalar(&[GENERAL, &[1]].concat(), Value::Integer(timeout));
    instances.scalar(&[GENERAL, &[2]].concat(), Value::Integer(VERSION));
    for (object, at) in [
        (CONNECTION_TABLE_LAST_CHANGE, changed.sessions),
        (SESSION_TABLE_LAST_CHANGE, changed.sessions),
        (REGISTRATION_TABLE_LAST_CHANGE, changed.registrations),
    ] {
        instances.scalar(object, Value::TimeTicks(at));
    }
    for connection in connections {
        let (domain, address) = connection.transport();
        let columns = [
            // agentxConnOpenTime, TransportDomain, TransportAddress
            (2, Value::TimeTicks(connection.opened)),
            (3, object_identifier(domain)),
            (4, Value::OctetString(address)),
        ];
        instances.row(CONNECTION_ENTRY, &[index(connection.id)], columns);
    }
    for (id, session) in master.sessions() {
        session_rows(&mut instances, id, session);
    }
    instances.sort();
    instances
}

fn session_rows(instances: &mut Instances, id: SessionId, session: &Session) {
    let of_session = [index(session.connection), id];
    let own_id = session.id.as_ref().map_or(&[0, 0][..], Oid::arcs);
    let columns = [
        // agentxSessionObjectID, Descr, AdminStatus, OpenTime, AgentXVer, Timeout
        (2, object_identifier(own_id)),
        (3, text(&session.description)),
        (4, Value::Integer(UP)),
        (5, Value::TimeTicks(session.opened)),
        (6, Value::Integer(VERSION)),
        (7, Value::Integer(session.timeout.into())),
    ];
    instances.row(SESSION_ENTRY, &of_session, columns);
    for registered in &session.registered {
        let region = &registered.region;
        let (range_subid, upper_bound) = region.range.unwrap_or_default();
        let columns = [
            // agentxRegContext, Start, RangeSubId, UpperBound, Priority, Timeout, Instance
            (2, Value::OctetString(registered.context.clone())),
            (3, Value::from(&region.subtree)),
            (4, Value::Gauge32(range_subid.into())),
            (5, Value::Gauge32(upper_bound)),
            (6, Value::Gauge32(region.priority.into())),
            (7, Value::Integer(registered.timeout.into())),
            (
                8,
                Value::Integer(if registered.is_instance { TRUE } else { FALSE }),
            ),
        ];
        let of_registration = [&of_session[..], &[registered.index]].concat();
        instances.row(REGISTRATION_ENTRY, &of_registration, columns);
    }
}

fn object_identifier(arcs: &[u32]) -> Value {
    Oid::new(arcs).map_or(Value::Null, |oid| Value::from(&oid))
}

/// SnmpAdminString, of 255 octets at most.
fn text(octets: &[u8]) -> Value {
    let mut text = String::from_utf8_lossy(octets).into_owned();
    while text.len() > 255 {
        text.pop();
    }
    Value::OctetString(text.into_bytes())
}
