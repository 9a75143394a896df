use super::super::names::{SYS_CONTACT, get, get_next, oid, set};
use super::super::{Cell, Experiment, Measure, SessionTask};
use super::{DTLS, HTTPS, RESTCONF, TLS, contact_by_restconf, models};
use crate::measurement::TransportKind;
use crate::request::Request;
use crate::subject::Storage;

/// The requests of Table II, as places.
pub(super) const GET: &str = "GetRequest";
pub(super) const GET_NEXT: &str = "GetNextRequest";
pub(super) const SET: &str = "SetRequest";
/// A set whose durability costs nothing.
pub(super) const SET_IN_MEMORY: &str = "SetRequest, storage in memory";

/// Sessions of one exchange in each repetition: more where they are short, fewer where they wait for a disk.
const fn of_one_exchange(task: SessionTask) -> SessionTask {
    let sessions = match task.transport {
        _ if task.request.is_set() => 3,
        TransportKind::Udp => 100,
        _ => 10,
    };
    task.of(sessions, 1)
}

/// Numbers of object identifiers in a request.
pub(super) const NUMBERS: [u32; 6] = [1, 2, 4, 8, 16, 32];

fn requests() -> [(&'static str, Request); 3] {
    // The name before sysContact.0.
    let before = SYS_CONTACT
        .split_last()
        .map_or(SYS_CONTACT, |(_, rest)| rest);
    [
        (GET, get(SYS_CONTACT)),
        (GET_NEXT, get_next(before)),
        (SET, set(&[SYS_CONTACT])),
    ]
}

/// The times of building Net-SNMP.
pub(super) fn table_1() -> Experiment {
    Experiment::new("table-1", Vec::new())
}

/// Experiment A: the type of request.
pub(super) fn table_2() -> Experiment {
    let mut cells = Vec::new();
    for (place, request) in requests() {
        for (model, task) in models(&request) {
            let task = of_one_exchange(task);
            cells.push(Cell::new(model, place, task, Measure::ResponseTime));
        }
    }
    let restconf = contact_by_restconf().of(10, 1);
    let https = restconf.clone().secured();
    cells.push(Cell::new(RESTCONF, GET, restconf, Measure::ResponseTime));
    cells.push(Cell::new(HTTPS, GET, https, Measure::ResponseTime));
    for (name, model) in [("v3/DTLS, RSA", DTLS), ("v3/TLS, RSA", TLS)] {
        let request = get(SYS_CONTACT);
        let mut models = models(&request);
        let own = models.find_map(|(known, task)| (known == model).then_some(task));
        cells.extend(own.map(|task| {
            let task = SessionTask {
                has_rsa: true,
                ..of_one_exchange(task)
            };
            Cell::new(name, GET, task, Measure::ResponseTime)
        }));
    }
    Experiment::new("table-2", cells)
}

/// Experiment A, with what storage costs shown apart.
pub(super) fn set_storage() -> Experiment {
    let mut cells = Vec::new();
    for (model, task) in models(&set(&[SYS_CONTACT])) {
        let task = of_one_exchange(task);
        let in_memory = SessionTask {
            storage: Storage::Memory,
            ..task.clone()
        };
        cells.push(Cell::new(model, SET, task, Measure::ResponseTime));
        cells.push(Cell::new(
            model,
            SET_IN_MEMORY,
            in_memory,
            Measure::ResponseTime,
        ));
    }
    for (model, task) in models(&get(SYS_CONTACT)) {
        let task = of_one_exchange(task);
        cells.push(Cell::new(model, GET, task, Measure::ResponseTime));
    }
    Experiment::new("set-storage", cells)
}

/// Experiment B: the number of object identifiers.
pub(super) fn object_identifiers() -> Experiment {
    let mut cells = Vec::new();
    for number in NUMBERS {
        let request = Request::Get {
            names: vec![oid(SYS_CONTACT); number as usize],
        };
        for (model, task) in models(&request) {
            let task = of_one_exchange(task);
            cells.push(Cell::new(model, number, task, Measure::ResponseTime));
        }
    }
    Experiment::new("object-identifiers", cells)
}
