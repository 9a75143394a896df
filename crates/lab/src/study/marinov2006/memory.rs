use super::super::{Cell, Experiment, Measure, MemoryTask, Scope, Task};
use crate::measurement::TransportKind;

/// The transports whose sessions an agent has to remember.
const TRANSPORTS: [(&str, TransportKind); 4] = [
    ("SNMPv3/TSM/SSH", TransportKind::Ssh),
    ("SNMPv3/TSM/TLS", TransportKind::Tls),
    ("SNMPv3/TSM/DTLS", TransportKind::Dtls),
    ("SNMPv2c/TCP", TransportKind::Tcp),
];

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
    Experiment::new("figure-6", cells)
}

/// What each session adds.
pub(super) fn per_session(scope: Scope) -> Experiment {
    let cells = TRANSPORTS.into_iter().map(|(series, transport)| {
        let task = task(scope, transport);
        cell(scope, series, "each", task, Measure::MemoryPerSession)
    });
    Experiment::new("memory-per-session", cells)
}
