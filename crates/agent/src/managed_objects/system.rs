use std::borrow::Cow;
use std::sync::Arc;

use varbind_codec::smi::{EncodedOid, Oid, OidRef, Value, ValueRef};
use varbind_engine::instrumentation::{RequestContext, Rows, Scalar, TableSource};

use super::{Objects, Syntax};
use crate::agentx::Sessions;
use crate::configuration::AgentConfiguration;
use crate::operating_system::{host, time_ticks};

const SYS_DESCR: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 1];
const SYS_OBJECT_ID: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 2];
const SYS_UP_TIME: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 3];
const SYS_CONTACT: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 4];
const SYS_NAME: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 5];
const SYS_LOCATION: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 6];
const SYS_SERVICES: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 7];
const SYS_OR_LAST_CHANGE: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 8];
const SYS_OR_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 9, 1];
pub(crate) const SNMP_ENABLE_AUTHEN_TRAPS: &[u32] = &[1, 3, 6, 1, 2, 1, 11, 30];
const SNMP_SET_SERIAL_NO: &[u32] = &[1, 3, 6, 1, 6, 3, 1, 1, 6, 1];

/// zeroDotZero: this project has no enterprise number, and an invented one would name somebody else's product.
const NO_OBJECT_ID: ValueRef<'static> = ValueRef::ObjectIdentifier(OidRef::ZERO_DOT_ZERO);
const ENABLED: i32 = 1;
const DISABLED: i32 = 2;

/// The modules served, by the names of their conformance statements or identities.
const MODULES: [(&[u32], &str); 12] = [
    (
        &[1, 3, 6, 1, 6, 3, 1],
        "The MIB module for SNMP entities (RFC 3418)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 31],
        "The MIB module to describe network interfaces (RFC 2863)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 48],
        "The MIB module for managing IP (RFC 4293)",
    ),
    (
        &[1, 3, 6, 1, 6, 3, 10],
        "The SNMP management architecture MIB (RFC 3411)",
    ),
    (
        &[1, 3, 6, 1, 6, 3, 11],
        "The MIB module for message processing and dispatching (RFC 3412)",
    ),
    (
        &[1, 3, 6, 1, 6, 3, 12],
        "The MIB module for management targets (RFC 3413)",
    ),
    (
        &[1, 3, 6, 1, 6, 3, 13],
        "The MIB module for notifications and their filters (RFC 3413)",
    ),
    (
        &[1, 3, 6, 1, 6, 3, 14],
        "The MIB module for proxies (RFC 3413)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 189],
        "The MIB module for the SSH transport model (RFC 5592)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 190],
        "The MIB module for the transport security model (RFC 5591)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 198],
        "The MIB module for the TLS transport model (RFC 6353)",
    ),
    (
        &[1, 3, 6, 1, 6, 3, 16],
        "The MIB module for view-based access control (RFC 3415)",
    ),
];

/// The same for SNMPv3.
const USER_MODULES: [(&[u32], &str); 2] = [
    (
        &[1, 3, 6, 1, 6, 3, 15],
        "The MIB module for the user-based security model (RFC 3414)",
    ),
    (
        &[1, 3, 6, 1, 6, 3, 18],
        "The MIB module for communities (RFC 3584)",
    ),
];

/// The same of the host.
const HOST_MODULES: [(&[u32], &str); 14] = [
    (
        &[1, 3, 6, 1, 2, 1, 49],
        "The MIB module for managing TCP (RFC 4022)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 50],
        "The MIB module for managing UDP (RFC 4113)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 4, 24],
        "The MIB module for IP routes (RFC 4292)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 25, 7, 1],
        "The MIB module for managing hosts (RFC 2790)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 47],
        "The MIB module for physical entities (RFC 4133)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 99],
        "The MIB module for sensors (RFC 3433)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 35],
        "The MIB module for Ethernet-like interfaces (RFC 3635)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 17],
        "The MIB module for bridges (RFC 4188)",
    ),
    (
        &[1, 3, 6, 1, 2, 1, 17, 7],
        "The MIB module for the VLANs of bridges (RFC 4363)",
    ),
    (
        &[1, 2, 840, 10006, 300, 43],
        "The MIB module for link aggregation (IEEE8023-LAG-MIB)",
    ),
    (
        &[1, 3, 6, 1, 4, 1, 2021],
        "Memory, load, disks and processes (UCD-SNMP-MIB)",
    ),
    (
        &[1, 3, 6, 1, 4, 1, 2021, 13, 15],
        "Input and output of disks (UCD-DISKIO-MIB)",
    ),
    (
        &[1, 3, 6, 1, 4, 1, 2021, 13, 16],
        "Temperatures, fans and voltages (LM-SENSORS-MIB)",
    ),
    (
        &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 1],
        "Output of programs (NET-SNMP-EXTEND-MIB)",
    ),
];

fn text(text: &str) -> Value {
    let octets = text.as_bytes();
    Value::OctetString(octets.get(..255).unwrap_or(octets).to_vec())
}

pub(crate) fn system(
    objects: &mut Objects,
    configuration: &AgentConfiguration,
    has_users: bool,
    subagents: &Arc<Sessions>,
) {
    let system = &configuration.system;
    let description = system.description.clone().unwrap_or_else(host::description);
    let name = system.name.clone().unwrap_or_else(host::hostname);
    let object_id = match &system.object_id {
        Some(oid) => Value::from(oid),
        None => Value::from(NO_OBJECT_ID),
    };
    objects.scalar(SYS_DESCR, text(&description), Syntax::ReadOnly);
    objects.scalar(SYS_OBJECT_ID, object_id, Syntax::ReadOnly);
    objects.register(SYS_UP_TIME, |object| {
        Arc::new(Scalar::new(object, |request: &RequestContext| {
            Some(Value::TimeTicks(time_ticks(request.now)))
        }))
    });
    objects.scalar(SYS_CONTACT, text(&system.contact), Syntax::DisplayString);
    objects.scalar(SYS_NAME, text(&name), Syntax::DisplayString);
    objects.scalar(SYS_LOCATION, text(&system.location), Syntax::DisplayString);
    objects.scalar(
        SYS_SERVICES,
        Value::Integer(system.services),
        Syntax::ReadOnly,
    );
    let changing = Arc::clone(subagents);
    objects.computed(SYS_OR_LAST_CHANGE, move || {
        Some(Value::TimeTicks(changing.capabilities_changed()))
    });
    objects.table(
        SYS_OR_ENTRY,
        &[2, 3, 4],
        SysOrTable {
            own: SysOrRows::new(has_users, configuration.host.is_served),
            subagents: Arc::clone(subagents),
        },
    );
    objects.scalar(
        SNMP_ENABLE_AUTHEN_TRAPS,
        Value::Integer(if configuration.tells_authentication_failures {
            ENABLED
        } else {
            DISABLED
        }),
        Syntax::EnabledOrDisabled,
    );
    objects.scalar(SNMP_SET_SERIAL_NO, Value::Integer(0), Syntax::TestAndIncr);
}

/// Rows of sysORTable.
#[derive(Clone)]
struct SysOrRows(Vec<SysOrRow>);

#[derive(Clone)]
struct SysOrRow {
    index: [u32; 1],
    id: EncodedOid,
    description: Cow<'static, [u8]>,
    since: u32,
}

impl SysOrRows {
    fn new(has_users: bool, has_host: bool) -> Self {
        let of_users: &[_] = if has_users { &USER_MODULES } else { &[] };
        let of_host: &[_] = if has_host { &HOST_MODULES } else { &[] };
        let modules = MODULES
            .iter()
            .chain(of_users)
            .chain(of_host)
            .filter_map(|(arcs, description)| Some((Oid::new(arcs).ok()?, *description)));
        Self(
            (1..)
                .zip(modules)
                .map(|(index, (oid, description))| SysOrRow {
                    index: [index],
                    id: EncodedOid::from(&oid),
                    description: Cow::Borrowed(description.as_bytes()),
                    since: 0,
                })
                .collect(),
        )
    }
}

impl Rows for SysOrRows {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn index(&self, row: usize) -> &[u32] {
        self.0.get(row).map_or(&[], |row| &row.index)
    }

    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>> {
        let row = self.0.get(row)?;
        Some(match column {
            // sysORID
            2 => ValueRef::ObjectIdentifier(row.id.as_oid_ref()),
            // sysORDescr
            3 => ValueRef::OctetString(&row.description),
            // sysORUpTime
            4 => ValueRef::TimeTicks(row.since),
            _ => return None,
        })
    }
}

/// What the agent has itself, since its start, and behind it what subagents tell of.
struct SysOrTable {
    own: SysOrRows,
    subagents: Arc<Sessions>,
}

impl TableSource for SysOrTable {
    type Rows = SysOrRows;

    fn with_rows<T>(&self, _request: &RequestContext, look: impl FnOnce(&SysOrRows) -> T) -> T {
        let capabilities = self.subagents.capabilities();
        if capabilities.is_empty() {
            return look(&self.own);
        }
        let own = u32::try_from(self.own.len()).unwrap_or(u32::MAX);
        let mut rows = self.own.clone();
        rows.0.extend(capabilities.into_iter().map(|one| SysOrRow {
            index: [own.saturating_add(one.index)],
            id: EncodedOid::from(&one.id),
            description: Cow::Owned(one.description),
            since: one.since,
        }));
        look(&rows)
    }
}
