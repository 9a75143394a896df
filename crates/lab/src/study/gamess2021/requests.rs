use super::super::names::{SYS_CONTACT, get, get_next, oid, set};
use super::super::{Axis, Cell, Experiment, Form, LeftOut, Measure, Published, SessionTask, Unit};
use super::{DTLS, RESTCONF, USM, V1, V2C, contact_by_restconf, models};
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
    const BOARDS: [&str; 3] = ["Zero W", "3B", "3B+"];
    let minutes = |minutes: f64, seconds: f64| minutes * 60.0 + seconds;
    let rows = [
        (
            "./configure",
            [minutes(15.0, 42.0), minutes(4.0, 31.0), minutes(4.0, 3.0)],
        ),
        (
            "make",
            [
                minutes(62.0, 26.0),
                minutes(14.0, 14.0),
                minutes(12.0, 28.0),
            ],
        ),
        (
            "make install",
            [minutes(4.0, 8.0), minutes(1.0, 18.0), minutes(1.0, 7.0)],
        ),
    ];
    Experiment {
        id: "table-1",
        title: "Time of building Net-SNMP 5.8 on the boards",
        source: "Table I",
        setup: "It tells how the boards compare. Theirs are given in minutes and seconds.".into(),
        unit: Unit::Seconds,
        form: Form::Table,
        theirs: rows
            .iter()
            .flat_map(|(command, values)| Published::row(command, &BOARDS, values))
            .collect(),
        cells: Vec::new(),
        left_out: vec![LeftOut::new(
            "building Net-SNMP",
            "it takes these boards, and is not about SNMP",
        )],
    }
}

/// Experiment A: the type of request.
pub(super) fn table_2() -> Experiment {
    let theirs = [
        (GET, V1, [2.97, 2.02, 1.71]),
        (GET, V2C, [2.99, 2.01, 1.73]),
        (GET, USM, [3.51, 2.24, 2.15]),
        (GET, DTLS, [3.95, 2.44, 2.36]),
        (GET_NEXT, V1, [2.98, 2.08, 1.74]),
        (GET_NEXT, V2C, [2.96, 2.05, 1.72]),
        (GET_NEXT, USM, [3.53, 2.31, 2.20]),
        (GET_NEXT, DTLS, [4.02, 2.47, 2.33]),
        (SET, V1, [151.27, 127.44, 122.35]),
        (SET, V2C, [151.35, 127.50, 122.37]),
        (SET, USM, [155.32, 131.74, 126.92]),
        (SET, DTLS, [157.21, 135.87, 131.56]),
    ];
    let boards = ["Zero W", "3B", "3B+"];
    let theirs = theirs.iter().flat_map(|(request, model, values)| {
        let pairs = boards.iter().zip(values);
        pairs.map(move |(board, value)| {
            Published::new(&format!("{model} ({board})"), *request, *value)
        })
    });
    let mut cells = Vec::new();
    for (place, request) in requests() {
        for (model, task) in models(&request) {
            let task = of_one_exchange(task);
            cells.push(Cell::new(model, place, task, Measure::ResponseTime));
        }
    }
    let restconf = contact_by_restconf().of(10, 1);
    cells.push(Cell::new(RESTCONF, GET, restconf, Measure::ResponseTime));
    Experiment {
        id: "table-2",
        title: "Response time by type of request",
        source: "Table II, experiment A",
        setup: "Sessions of one exchange, opening and closing within. A Set gives sysContact.0 another string of 32 characters each \
                time; the agents keep it on this machine's disk: ours by one fdatasync before it answers, snmpd by an fsync for \
                each line of its file after it has answered, while the next request waits. \
                Manager and agent are on one core, without a network between; certificates are of ECDSA (P-256), theirs of RSA. \
                TLS and SSH had to be left out there, RESTCONF (HTTP, JSON) was left to future work. Theirs with USM and DTLS take 0.2 to \
                1.1 ms longer for Get and GetNext than in SNMPv2c, less than any exchange of theirs takes, though discovery and \
                handshakes are exchanges too: their figures seem to leave these out."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Bars,
        theirs: theirs.collect(),
        cells,
        left_out: Vec::new(),
    }
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
    Experiment {
        id: "set-storage",
        title: "What it costs that a Set lasts",
        source: "experiment A, section VII",
        setup: "The same Set with the agent's state on the disk and in memory (/dev/shm), and a get: the difference of the first two \
                is what storage costs. Theirs had microSD cards, and say that this made the difference between Get and Set."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Bars,
        theirs: Vec::new(),
        cells,
        left_out: Vec::new(),
    }
}

/// Experiment B: the number of object identifiers.
pub(super) fn object_identifiers() -> Experiment {
    let theirs = [
        ("v1 (Zero W)", 2.97),
        ("v1 (3B)", 2.02),
        ("v1 (3B+)", 1.71),
        ("v2c (Zero W)", 2.99),
        ("v2c (3B)", 2.01),
        ("v2c (3B+)", 1.73),
        ("v3/USM (Zero W)", 3.51),
        ("v3/USM (3B)", 2.24),
        ("v3/USM (3B+)", 2.15),
        ("v3/DTLS (Zero W)", 3.95),
        ("v3/DTLS (3B)", 2.44),
        ("v3/DTLS (3B+)", 2.36),
    ];
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
    Experiment {
        id: "object-identifiers",
        title: "Response time by object identifiers in a GetRequest",
        source: "Figures 4 to 7, experiment B",
        setup: "Sessions of one GetRequest that names sysContact.0, a string of 32 characters, 1 to 32 times. Of the plots, the text \
                tells that they are linear; theirs at 1 are those of Table II, which are of the same requests."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Lines {
            x: Axis::linear("object identifiers"),
            y: Axis::linear("ms"),
        },
        theirs: theirs
            .map(|(series, value)| Published::new(series, 1, value))
            .to_vec(),
        cells,
        left_out: Vec::new(),
    }
}
