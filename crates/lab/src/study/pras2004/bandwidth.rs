use super::super::{Axis, Cell, Experiment, Form, LeftOut, Measure, Published, Scope, Task, Unit};
use super::formula;
use super::methods::{MANY, METHODS, bulk, get, is_too_many, objects};

/// Octets of a name of ifTable and, about, of its values here.
const NAME: f64 = 11.0;
const VALUE: f64 = 3.0;

fn lines() -> Form {
    Form::Lines {
        x: Axis::logarithmic("objects"),
        y: Axis::logarithmic("octets"),
    }
}

/// The formulas beside what messages really take.
pub(super) fn formulas(scope: Scope) -> Experiment {
    let mut theirs = Vec::new();
    let mut cells = Vec::new();
    for objects in objects(scope)
        .into_iter()
        .filter(|objects| !is_too_many("SNMP Get", *objects))
    {
        let count = f64::from(objects);
        for (series, octets, task) in [
            ("Get", formula::get(count, NAME, VALUE), get(objects)),
            ("GetBulk", formula::bulk(count, NAME, VALUE), bulk(objects)),
        ] {
            theirs.push(Published::new(series, objects, octets));
            let cell = Cell::new(series, objects, task, Measure::Octets);
            cells.push(cell.repeated(scope.choose(2, 3)));
        }
    }
    Experiment {
        id: "formulas",
        title: "Octets of messages by the paper's formulas, and as they are",
        source: "Formulas of section IV",
        setup: format!(
            "L_GET = 54 + n (10 + 2 name + value) and L_BULK = 54 + 5 n + n value + (n + 1) name, with names of {NAME} octets \
             and values of {VALUE}; request and response in SNMPv2c. Theirs are the formulas, ours the messages."
        ),
        unit: Unit::Octets,
        form: lines(),
        theirs,
        cells,
        left_out: Vec::new(),
    }
}

pub(super) fn cells(scope: Scope, measure: Measure) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (series, task) in METHODS {
        for objects in objects(scope) {
            if !is_too_many(series, objects) {
                let cell = Cell::new(series, objects, task(objects), measure);
                cells.push(cell.repeated(scope.choose(2, 3)));
            }
        }
    }
    cells
}

/// Octets at the level of messages and bodies.
pub(super) fn messages(scope: Scope) -> Experiment {
    // What the text says: a request of about 500 octets, a response of 450 and 1000 for each row; zlib gains 2, 4 and 8
    // for 1, 50 and 250 objects.
    let soap = |rows: f64| 500.0 + 450.0 + 1000.0 * rows;
    let theirs = vec![
        Published::new("SOAP", 22_u32, soap(1.0)),
        Published::new("SOAP", 66_u32, soap(3.0)),
        Published::new("SOAP", 264_u32, soap(12.0)),
        Published::new("SOAP, zlib", 1_u32, 950.0 / 2.0),
        Published::new("SOAP, zlib", 264_u32, soap(12.0) / 8.0),
        Published::new("SNMP GetBulk", 22_u32, formula::bulk(22.0, NAME, VALUE)),
        Published::new("SNMP GetBulk", 264_u32, formula::bulk(264.0, NAME, VALUE)),
        Published::new(
            "SNMP, OPC",
            264_u32,
            0.75 * formula::bulk(264.0, NAME, VALUE),
        ),
    ];
    Experiment {
        id: "messages",
        title: "Octets of request and response, by objects",
        source: "Figures of section IV",
        setup: "Messages of SNMP (GetBulk in one message over TCP, and over UDP in as many as fit into packets), and bodies of HTTP without their headers. An object, a row, and tables of 3 and 12 rows of \
                ifTable. Theirs are what the text tells of the plots."
            .into(),
        unit: Unit::Octets,
        form: lines(),
        theirs,
        cells: cells(scope, Measure::Octets),
        left_out: Vec::new(),
    }
}

/// Octets at the level of IP, a session with its opening and close.
pub(super) fn packets(scope: Scope) -> Experiment {
    let mut all = Vec::new();
    for (series, task) in METHODS {
        for objects in objects(scope) {
            let task = match task(objects) {
                Task::Sessions(task) => Task::Packets(task),
                other => other,
            };
            let is_session = match &task {
                Task::Packets(task) => !task.request.is_walk(),
                Task::Compressed(_) => false,
                _ => true,
            };
            if is_session && objects <= MANY {
                let cell = Cell::new(series, objects, task, Measure::WireOctets);
                all.push(cell.repeated(scope.choose(2, 3)));
            }
        }
    }
    Experiment {
        id: "packets",
        title: "Octets of IP packets of a whole session, by objects",
        source: "Section IV, IP level",
        setup: "From the opening of the connection to its close, one request. Theirs: 56 octets more for an exchange over UDP, 380 \
                for opening and closing TCP, 273 to 485 for SOAP over HTTP, 613 to 715 if it is compressed."
            .into(),
        unit: Unit::Octets,
        form: lines(),
        theirs: vec![
            Published::new("SNMP GetBulk", 22_u32, formula::bulk(22.0, NAME, VALUE) + 56.0),
            Published::new("SNMP GetBulk", 264_u32, formula::bulk(264.0, NAME, VALUE) + 56.0),
            Published::new("SOAP", 22_u32, 950.0 + 1000.0 + 380.0 + 273.0),
            Published::new("SOAP", 264_u32, 950.0 + 12_000.0 + 380.0 + 485.0),
            Published::new("SOAP, zlib", 264_u32, 12_950.0 / 8.0 + 380.0 + 715.0),
        ],
        cells: all,
        left_out: vec![LeftOut::new(
            "walks",
            "they, and a table of 12 rows over UDP, take more than one message of SNMP",
        )],
    }
}
