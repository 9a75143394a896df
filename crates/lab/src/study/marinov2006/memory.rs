use super::super::{
    Axis, Cell, Experiment, Form, Measure, MemoryTask, Published, Scope, Task, Unit,
};
use super::SSH;
use crate::measurement::TransportKind;

/// The transports whose sessions an agent has to remember.
const TRANSPORTS: [(&str, TransportKind); 4] = [
    ("SNMPv3/TSM/SSH", TransportKind::Ssh),
    ("SNMPv3/TSM/TLS", TransportKind::Tls),
    ("SNMPv3/TSM/DTLS", TransportKind::Dtls),
    ("SNMPv2c/TCP", TransportKind::Tcp),
];

/// KByte at the start, and for each session, as the text tells them.
const START: f64 = 9312.0;
pub(super) const EACH: f64 = 7.0;

const fn task(scope: Scope, transport: TransportKind) -> MemoryTask {
    MemoryTask {
        transport,
        sessions: scope.choose(200, 1000),
    }
}

fn cell(scope: Scope, series: &str, at: &str, task: MemoryTask, measure: Measure) -> Cell {
    Cell::new(series, at, Task::Memory(task), measure).repeated(scope.choose(1, 6))
}

/// Figure 6: memory by open sessions.
pub(super) fn figure_6(scope: Scope) -> Experiment {
    let cells = TRANSPORTS.into_iter().flat_map(|(series, transport)| {
        let task = task(scope, transport);
        let none = (0, Measure::Memory);
        let steps = task.steps().into_iter();
        let points = std::iter::once(none)
            .chain(steps.map(|sessions| (sessions, Measure::MemoryWith(sessions))));
        points
            .map(|(at, measure)| {
                let task = Task::Memory(task.clone());
                Cell::new(series, at, task, measure).repeated(scope.choose(1, 6))
            })
            .collect::<Vec<_>>()
    });
    Experiment {
        id: "figure-6",
        title: "Memory of the agent by open sessions",
        source: "Figure 6",
        setup: "Memory (PSS) of an agent of its own. Each session has had one exchange; there, sessions were only opened. \
                Theirs is virtual memory. The text tells of the plot what it was at the start, 9312 KByte, that growth is linear, \
                and about 7 KByte for each session."
            .into(),
        unit: Unit::Kilobytes,
        form: Form::Lines {
            x: Axis::linear("open sessions"),
            y: Axis::linear("kB"),
        },
        theirs: vec![Published::new(SSH, 0_u32, START)],
        cells: cells.collect(),
        left_out: Vec::new(),
    }
}

/// What each session adds.
pub(super) fn per_session(scope: Scope) -> Experiment {
    let cells = TRANSPORTS.into_iter().map(|(series, transport)| {
        let task = task(scope, transport);
        cell(scope, series, "each", task, Measure::MemoryPerSession)
    });
    Experiment {
        id: "memory-per-session",
        title: "Memory of each open session",
        source: "section 5.6",
        setup: "The slope of the lines of Figure 6, without the first ten sessions, which bring code into memory. Theirs are KByte as \
                the paper has them, ours have 1000 octets."
            .into(),
        unit: Unit::Kilobytes,
        form: Form::Bars,
        theirs: vec![Published::new(SSH, "each", EACH)],
        cells: cells.collect(),
        left_out: Vec::new(),
    }
}
