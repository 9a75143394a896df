use super::super::{
    Axis, Cell, Experiment, Form, LeftOut, Measure, Published, Scope, Task, Unit, WebTask,
};
use super::methods::{METHODS, is_too_many, objects};

/// Exchanges in a session whose agent's CPU time is counted.
const EXCHANGES: u32 = 50;

/// The same task in sessions that are long enough to count CPU time; a table of thousands of rows is asked for once.
fn long(task: Task, objects: u32) -> Task {
    let exchanges = if objects > super::methods::MANY {
        1
    } else {
        EXCHANGES
    };
    match task {
        Task::Sessions(task) => task.of(1, exchanges).into(),
        Task::Web(task) => task.of(1, exchanges).into(),
        other => other,
    }
}

pub(super) fn cells(scope: Scope, measure: Measure) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (series, task) in METHODS {
        for objects in objects(scope) {
            if !is_too_many(series, objects) {
                cells.push(Cell::new(
                    series,
                    objects,
                    long(task(objects), objects),
                    measure,
                ));
            }
        }
    }
    cells
}

/// What an answer costs the agent: finding the values, coding them, sending them.
pub(super) fn agent_cpu(scope: Scope) -> Experiment {
    Experiment {
        id: "agent-cpu",
        title: "CPU time of the agent for a request, by objects",
        source: "Section V",
        setup: "The whole of the agent's CPU time, the system's for sending and receiving included; values come from a cache of \
                100 ms. They measured parts of it alone: coding and data retrieval."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Lines {
            x: Axis::logarithmic("objects"),
            y: Axis::logarithmic("CPU time in ms"),
        },
        theirs: Vec::new(),
        cells: cells(scope, Measure::AgentCpu),
        left_out: Vec::new(),
    }
}

/// Objects in Table II.
pub(super) const PLACES: [u32; 4] = [1, 22, 66, 270];

/// Table II: round trips.
pub(super) fn round_trip(scope: Scope) -> Experiment {
    let theirs = [
        ("SOAP", [1.7, 2.6, 10.3, 36.5]),
        ("SOAP, zlib", [3.3, 4.3, 5.6, 11.8]),
        ("SNMP-1, the fastest agent", [0.4, 1.6, 3.9, 21.1]),
    ];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &PLACES, values))
        .chain(Published::row(
            "SNMP-23, the slowest agent",
            &PLACES,
            &[87.7, 1822.2],
        ));
    Experiment {
        id: "table-2",
        title: "Round trips, by objects",
        source: "Table II",
        setup: "A request and its response on an open session or connection: means of a session of 50, and of one for a table of \
                thousands of rows. Theirs, WS and WS-Comp in the table, are from the first segment sent to the last one received, the \
                lowest of ten runs; most agents by a single GetBulk, over UDP; all 23 are in the experiment that follows. For a \
                table of 12 rows, ours take several messages over UDP."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Lines {
            x: Axis::logarithmic("objects"),
            y: Axis::logarithmic("round trip in ms"),
        },
        theirs: theirs.collect(),
        cells: cells(scope, Measure::RoundTrip),
        left_out: Vec::new(),
    }
}

/// Memory of the agent.
pub(super) fn memory(_scope: Scope) -> Experiment {
    let objects = super::methods::MANY;
    let snmp: Task = super::methods::bulk(objects).of(1, EXCHANGES).into();
    let soap: WebTask = super::methods::soap(objects).of(1, EXCHANGES);
    let all = "PSS, in all";
    Experiment {
        id: "memory",
        title: "Memory of the agent",
        source: "Table I",
        setup: "Memory (PSS) of an agent after requests of each kind; ours serves SNMP and web services in the same process. Theirs \
                are agents of one kind each: instructions, static data, and dynamic data, which for SNMP are 70 to 160 kB, and 300 \
                kB more where web services compress."
            .into(),
        unit: Unit::Kilobytes,
        form: Form::Bars,
        theirs: vec![
            Published::new("SNMP", "instructions", 1972.0),
            Published::new("SNMP", "static data", 129.0),
            Published::new("SNMP", "dynamic data, least", 70.0),
            Published::new("SNMP", "dynamic data, most", 160.0),
            Published::new("Web services", "instructions", 580.0),
            Published::new("Web services", "static data", 0.47),
            Published::new("Web services", "dynamic data, most", 4.0),
        ],
        cells: vec![
            Cell::new("SNMP", all, snmp, Measure::Memory),
            Cell::new("Web services", all, soap, Measure::Memory),
        ],
        left_out: vec![LeftOut::new(
            "instructions, static and dynamic data apart",
            "a kernel counts the pages of a process, without telling these apart",
        )],
    }
}
