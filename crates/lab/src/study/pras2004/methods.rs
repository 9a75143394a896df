use varbind_codec::smi::Oid;

use super::super::names::{IF_TABLE, IF_TABLE_COLUMNS, oid};
use super::super::{
    CompressedTask, MessageCompression, Scope, SessionTask, Setting, Task, WebCompression,
    WebQuestion, WebTask,
};
use crate::measurement::TransportKind;
use crate::request::{Request, WalkStep};
use crate::security::Scheme;

/// Columns of ifTable.
const COLUMNS: u32 = 22;
/// Interfaces in the networks where up to [`MANY`] objects are asked for.
pub(super) const FEW_INTERFACES: u32 = 12;
/// As many objects as the paper's largest table, in whole rows (270 there).
pub(super) const MANY: u32 = FEW_INTERFACES * COLUMNS;
/// Objects where, in packets of IP, compressed web services crossed SNMP there: 125 to 150.
pub(super) const CROSSING: u32 = 6 * COLUMNS;
/// Interfaces of a large router.
const MANY_INTERFACES: u32 = 910;
/// Objects of its ifTable.
pub(super) const VERY_MANY: u32 = MANY_INTERFACES * COLUMNS;

/// Objects that are asked for, as in the paper's Table II, and 20,000.
pub(super) fn objects(scope: Scope) -> Vec<u32> {
    let mut objects = vec![1, COLUMNS, 3 * COLUMNS, MANY];
    if scope == Scope::Full {
        objects.push(VERY_MANY);
    }
    objects
}

/// The network in which there are so many objects in ifTable, or more.
fn setting(objects: u32) -> Setting {
    if objects > MANY {
        Setting::Interfaces(MANY_INTERFACES)
    } else {
        Setting::Interfaces(FEW_INTERFACES)
    }
}

/// The instances of ifTable, row by row.
fn instances(objects: u32) -> Vec<Oid> {
    let rows = (1..).flat_map(|row| (1..=COLUMNS).map(move |column| (row, column)));
    let name = |(row, column): (u32, u32)| {
        let mut arcs = IF_TABLE.to_vec();
        arcs.extend([1, column, row]);
        oid(&arcs)
    };
    rows.take(objects as usize).map(name).collect()
}

/// One GetRequest with all names.
pub(super) fn get(objects: u32) -> SessionTask {
    let request = Request::Get {
        names: instances(objects),
    };
    SessionTask::new(Scheme::V2c, TransportKind::Udp, request).in_setting(setting(objects))
}

/// One GetBulkRequest over TCP, or a walk by few of them where the table is very large.
pub(super) fn bulk(objects: u32) -> SessionTask {
    const MOST: u16 = 2000;
    if objects > MANY {
        return bulk_walk(objects, MOST, TransportKind::Tcp);
    }
    bulk_once(objects, TransportKind::Tcp)
}

/// One GetBulkRequest over UDP, or a walk by as many as it takes: no answer is larger than a packet, so none is fragmented.
pub(super) fn bulk_udp(objects: u32) -> SessionTask {
    const FIT: u32 = 66;
    if objects > FIT {
        return bulk_walk(objects, FIT as u16, TransportKind::Udp);
    }
    bulk_once(objects, TransportKind::Udp)
}

fn bulk_once(objects: u32, transport: TransportKind) -> SessionTask {
    let request = Request::GetBulk {
        names: vec![oid(IF_TABLE)],
        non_repeaters: 0,
        max_repetitions: u16::try_from(objects).unwrap_or(u16::MAX),
    };
    SessionTask::new(Scheme::V2c, transport, request).in_setting(setting(objects))
}

fn bulk_walk(objects: u32, max_repetitions: u16, transport: TransportKind) -> SessionTask {
    let request = Request::Walk {
        root: oid(IF_TABLE),
        step: WalkStep::GetBulk { max_repetitions },
    };
    SessionTask::new(Scheme::V2c, transport, request).in_setting(table_setting(objects))
}

/// The web service that has just so many objects.
pub(super) fn soap(objects: u32) -> WebTask {
    let index = 1;
    let task = WebTask::new(match objects {
        1 => WebQuestion::SoapObject {
            name: "ifDescr".into(),
            index,
        },
        COLUMNS => WebQuestion::SoapRow { index },
        _ => WebQuestion::SoapTable,
    });
    task.in_setting(table_setting(objects))
}

/// The same by RESTCONF.
pub(super) fn restconf(objects: u32) -> WebTask {
    let path = |suffix: &str| format!("IF-MIB:IF-MIB/ifTable{suffix}");
    let (path, fields) = match objects {
        1 => (path("/ifEntry=1/ifDescr"), None),
        COLUMNS => (path("/ifEntry=1"), Some(IF_TABLE_COLUMNS.join(";"))),
        _ => (
            path(""),
            Some(format!("ifEntry({})", IF_TABLE_COLUMNS.join(";"))),
        ),
    };
    let task = WebTask::new(WebQuestion::Restconf {
        path,
        fields,
        is_json: true,
    });
    task.in_setting(table_setting(objects))
}

/// ifTable with all that belongs to it, of a network with so many interfaces.
pub(super) fn restconf_table(interfaces: u32, is_json: bool) -> WebTask {
    WebTask::new(WebQuestion::Restconf {
        path: "IF-MIB:IF-MIB/ifTable".into(),
        fields: None,
        is_json,
    })
    .in_setting(Setting::Interfaces(interfaces))
}

/// The whole table is asked for: it must have just so many rows.
fn table_setting(objects: u32) -> Setting {
    match objects / COLUMNS {
        0 | 1 => Setting::Interfaces(FEW_INTERFACES),
        rows => Setting::Interfaces(rows),
    }
}

/// By GetBulk in messages that are compressed.
fn compressed(objects: u32, compression: MessageCompression) -> CompressedTask {
    CompressedTask {
        setting: setting(objects),
        compression,
        objects,
        exchanges: if objects > MANY { 1 } else { 20 },
    }
}

/// A way to ask for so many objects.
pub(super) type Method = (&'static str, fn(u32) -> Task);

/// SNMP as it is deployed, and web services.
pub(super) const METHODS: [Method; 13] = [
    ("SNMP Get", |objects| get(objects).into()),
    ("SNMP GetBulk", |objects| bulk(objects).into()),
    ("SNMP GetBulk, TLS", |objects| {
        SessionTask {
            scheme: Scheme::V3Transport,
            transport: TransportKind::Tls,
            ..bulk(objects)
        }
        .into()
    }),
    ("SNMP GetBulk, UDP", |objects| bulk_udp(objects).into()),
    ("SNMP, OPC", |objects| {
        compressed(objects, MessageCompression::Opc).into()
    }),
    ("SNMP, ODC", |objects| {
        compressed(objects, MessageCompression::Odc).into()
    }),
    ("SNMP, dictionary", |objects| {
        compressed(objects, MessageCompression::Dictionary).into()
    }),
    ("SOAP", |objects| soap(objects).into()),
    ("SOAP, zlib", |objects| {
        soap(objects).compressed(WebCompression::Deflate).into()
    }),
    ("SOAP, HTTPS", |objects| soap(objects).secured().into()),
    ("RESTCONF", |objects| restconf(objects).into()),
    ("RESTCONF, HTTPS", |objects| {
        restconf(objects).secured().into()
    }),
    ("RESTCONF, zlib", |objects| {
        restconf(objects).compressed(WebCompression::Deflate).into()
    }),
];

/// One message has no room for so many names.
pub(super) fn is_too_many(series: &str, objects: u32) -> bool {
    series == "SNMP Get" && objects > MANY
}
