use super::super::{Cell, Experiment, Measure, Scope, Task, WebTask};
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
    Experiment::new("agent-cpu", cells(scope, Measure::AgentCpu))
}

/// Table II: round trips.
pub(super) fn round_trip(scope: Scope) -> Experiment {
    Experiment::new("table-2", cells(scope, Measure::RoundTrip))
}

/// Memory of the agent.
pub(super) fn memory(_scope: Scope) -> Experiment {
    let objects = super::methods::MANY;
    let snmp: Task = super::methods::bulk(objects).of(1, EXCHANGES).into();
    let soap: WebTask = super::methods::soap(objects).of(1, EXCHANGES);
    let all = "PSS, in all";
    Experiment::new(
        "memory",
        vec![
            Cell::new("SNMP", all, snmp, Measure::Memory),
            Cell::new("Web services", all, soap, Measure::Memory),
        ],
    )
}
