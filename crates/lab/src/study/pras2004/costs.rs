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

fn cells(scope: Scope, measure: Measure) -> Vec<Cell> {
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

/// Table II: round trips.
pub(super) fn round_trip(scope: Scope) -> Experiment {
    let places = [1_u32, 22, 66, 264];
    let theirs = [
        ("SOAP", [1.7, 2.6, 10.3, 36.5]),
        ("SOAP, zlib", [3.3, 4.3, 5.6, 11.8]),
        ("SNMP GetBulk, best agent", [0.4, 1.6, 3.9, 21.1]),
        (
            "SNMP GetBulk, worst agent",
            [87.7, 1822.2, f64::NAN, f64::NAN],
        ),
    ];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &places, values))
        .filter(|published| published.value.is_finite());
    Experiment {
        id: "table-2",
        title: "Round trips, by objects",
        source: "Table II",
        setup: "A request and its response on an open session or connection. Theirs are for 1, 22, 66 and 270 objects, the lowest \
                of ten runs, 23 SNMP agents."
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
    Experiment {
        id: "memory",
        title: "Resident memory of the agent",
        source: "Section V",
        setup: "Of the same agent, which serves SNMP and web services, after requests of each kind. Theirs are code, static and \
                dynamic memory of agents of one kind each."
            .into(),
        unit: Unit::Kilobytes,
        form: Form::Bars,
        theirs: vec![
            Published::new("SNMP", "agent", 1972.0 + 129.0 + 160.0),
            Published::new("SOAP", "agent", 580.0 + 0.5 + 4.0),
        ],
        cells: vec![
            Cell::new("SNMP", "agent", snmp, Measure::Resident),
            Cell::new("SOAP", "agent", soap, Measure::Resident),
        ],
        left_out: vec![LeftOut::new(
            "code, static and dynamic memory apart",
            "resident memory is what today's kernels count",
        )],
    }
}
