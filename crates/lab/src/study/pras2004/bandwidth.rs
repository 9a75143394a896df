use super::super::{Cell, Experiment, Measure, Published, Scope, SessionTask, Task};
use super::formula::{self, LARGE, SMALL};
use super::methods::{CROSSING, MANY, METHODS, bulk, bulk_udp, get, is_too_many, objects, soap};
use crate::study::WebCompression;

/// The formulas beside what messages really take.
pub(super) fn formulas(scope: Scope) -> Experiment {
    let mut theirs = Vec::new();
    let mut cells = Vec::new();
    for objects in objects(scope)
        .into_iter()
        .filter(|objects| !is_too_many("SNMP Get", *objects))
    {
        let count = f64::from(objects);
        for (value, size) in [(SMALL, "1 octet"), (LARGE, "6 octets")] {
            let series = |kind: &str| format!("{kind}, values of {size}");
            theirs.extend([
                Published::new(&series("Get"), objects, formula::get(count, value)),
                Published::new(&series("GetBulk"), objects, formula::bulk(count, value)),
            ]);
        }
        for (series, task) in [("Get", get(objects)), ("GetBulk", bulk(objects))] {
            let cell = Cell::new(series, objects, task, Measure::Octets);
            cells.push(cell.repeated(6));
        }
    }
    Experiment {
        theirs,
        ..Experiment::new("formulas", cells)
    }
}

pub(super) fn cells(scope: Scope, measure: Measure) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (series, task) in METHODS {
        for objects in objects(scope) {
            if !is_too_many(series, objects) {
                let cell = Cell::new(series, objects, task(objects), measure);
                cells.push(cell.repeated(6));
            }
        }
    }
    cells
}

/// Octets at the level of messages and bodies.
pub(super) fn messages(scope: Scope) -> Experiment {
    Experiment::new("messages", cells(scope, Measure::Octets))
}

/// Statements of the text about the plots: the ratio of octets of two methods.
pub(super) fn factors(scope: Scope) -> Experiment {
    let method = |name: &str, objects: u32| {
        let mut methods = METHODS.into_iter();
        methods.find_map(|(series, task)| (series == name).then(|| task(objects)))
    };
    let pairs = [
        ("SOAP", "SNMP Get"),
        ("SOAP", "SNMP GetBulk"),
        ("SOAP", "SOAP, zlib"),
        ("SNMP, OPC", "SNMP GetBulk"),
    ];
    let mut cells = Vec::new();
    for (over, under) in pairs {
        for objects in objects(scope) {
            if let Some((task, other)) = method(over, objects).zip(method(under, objects))
                && !is_too_many(under, objects)
            {
                let series = format!("{over} by {under}");
                let cell = Cell::new(&series, objects, task, Measure::Octets);
                let cell = cell.over(other, Measure::Octets);
                cells.push(cell.repeated(6));
            }
        }
    }
    Experiment::new("factors", cells)
}

/// What crosses at the level of IP.
pub(super) const CROSSERS: [&str; 2] = ["SOAP, zlib", "SNMP GetBulk, UDP"];

/// Octets at the level of IP, a session with its opening and close.
pub(super) fn packets(scope: Scope) -> Experiment {
    let mut all = Vec::new();
    for (series, task) in METHODS {
        let crosses = CROSSERS.contains(&series).then_some(CROSSING);
        for objects in objects(scope).into_iter().chain(crosses) {
            let task = match task(objects) {
                Task::Sessions(task) => Task::Packets(task),
                other => other,
            };
            let is_session = !matches!(&task, Task::Compressed(_));
            if is_session && objects <= MANY {
                let cell = Cell::new(series, objects, task, Measure::WireOctets);
                all.push(cell.repeated(6));
            }
        }
    }
    Experiment::new("packets", all)
}

/// What packets add to messages and bodies.
pub(super) fn added_by_ip(scope: Scope) -> Experiment {
    let mut cells = Vec::new();
    for objects in objects(scope) {
        let snmp = |series: &str, task: SessionTask| {
            let cell = Cell::new(
                series,
                objects,
                Task::Packets(task.clone()),
                Measure::WireOctets,
            );
            cell.less(task, Measure::Octets)
        };
        if objects < MANY {
            cells.push(snmp("SNMP over UDP", bulk_udp(objects)));
        }
        if objects <= MANY {
            let zlib = soap(objects).compressed(WebCompression::Deflate);
            let web = [
                ("SOAP, whole session", soap(objects)),
                ("SOAP, zlib, whole session", zlib),
            ];
            cells.push(snmp("SNMP over TCP, whole session", bulk(objects)));
            cells.extend(web.map(|(series, task)| {
                let cell = Cell::new(series, objects, task.clone(), Measure::WireOctets);
                cell.less(task, Measure::Octets)
            }));
        }
    }
    let cells = cells.into_iter();
    Experiment::new("added-by-ip", cells.map(|cell| cell.repeated(6)))
}
