use std::sync::Arc;

use varbind::transport::TransportCounter;
use varbind::transport::ssh::SshStatistics;
use varbind_codec::smi::Value;
use varbind_engine::statistics::{self, Statistics};

use super::Objects;
use super::tlstm_tables::counter32;
use crate::operating_system::{Interfaces, time_ticks};

const SNMP: &[u32] = &[1, 3, 6, 1, 2, 1, 11];
/// snmpSshtmSession.
const SNMP_SSHTM_SESSION: &[u32] = &[1, 3, 6, 1, 2, 1, 189, 1, 1];
const IF_NUMBER: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 1];
const IF_TABLE_LAST_CHANGE: &[u32] = &[1, 3, 6, 1, 2, 1, 31, 1, 5];
const IF_STACK_LAST_CHANGE: &[u32] = &[1, 3, 6, 1, 2, 1, 31, 1, 6];

/// The counters of the snmp group that an agent never raises, by their last arc: it takes neither errors, but of informs, nor
/// traps, and asks nobody. Pollers that draw the whole group ask for them all the same.
const NEVER_RAISED: [u32; 9] = [8, 9, 10, 11, 12, 19, 25, 26, 27];

/// The module of the user-based security model (RFC 3414).
const SNMP_USER_BASED_SM_MIB: &[u32] = &[1, 3, 6, 1, 6, 3, 15];

/// The counters of the engine; those of users where there are any.
pub(crate) fn counters(objects: &mut Objects, statistics: &Arc<Statistics>, has_users: bool) {
    let names = statistics::Counter::ALL.map(|counter| (counter.instance().split_last(), counter));
    for (name, counter) in names {
        let Some((_, object)) = name else {
            continue;
        };
        if object.starts_with(SNMP_USER_BASED_SM_MIB) && !has_users {
            continue;
        }
        let statistics = Arc::clone(statistics);
        objects.computed(object, move || {
            Some(Value::Counter32(statistics.counter32(counter)))
        });
    }
    for arc in NEVER_RAISED {
        objects.computed(&[SNMP, &[arc]].concat(), || Some(Value::Counter32(0)));
    }
}

/// snmpSshtmSession (RFC 5592 section 7).
pub(crate) fn ssh_sessions(objects: &mut Objects, statistics: &Arc<SshStatistics>) {
    type SessionCounter = (u32, fn(&SshStatistics) -> &TransportCounter);
    const COUNTERS: [SessionCounter; 8] = [
        (1, |statistics| &statistics.opens),
        (2, |statistics| &statistics.closes),
        (3, |statistics| &statistics.open_errors),
        (4, |statistics| &statistics.user_auth_failures),
        (5, |statistics| &statistics.no_channels),
        (6, |statistics| &statistics.no_subsystems),
        (7, |statistics| &statistics.no_sessions),
        (8, |statistics| &statistics.invalid_caches),
    ];
    for (number, counter) in COUNTERS {
        let statistics = Arc::clone(statistics);
        objects.computed(&[SNMP_SSHTM_SESSION, &[number]].concat(), move || {
            Some(counter32(counter(&statistics)))
        });
    }
}

pub(super) fn interface_scalars(objects: &mut Objects, interfaces: &Arc<Interfaces>) {
    let watched = Arc::clone(interfaces);
    objects.computed(IF_NUMBER, move || {
        let number = watched.snapshot().table.len();
        Some(Value::Integer(i32::try_from(number).unwrap_or(i32::MAX)))
    });
    let watched = Arc::clone(interfaces);
    objects.computed(IF_TABLE_LAST_CHANGE, move || {
        Some(Value::TimeTicks(time_ticks(
            watched.snapshot().table_changed,
        )))
    });
    let watched = Arc::clone(interfaces);
    objects.computed(IF_STACK_LAST_CHANGE, move || {
        Some(Value::TimeTicks(time_ticks(
            watched.snapshot().stack_changed,
        )))
    });
}
