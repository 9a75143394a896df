use super::super::names::{SYS_DESCR, get};
use super::super::{Cell, Experiment, Measure, Scope, Task};
use super::WAYS;

/// Sessions in each repetition.
const SESSIONS: u32 = 10;

/// The place of what is measured here, beside the machines of the paper.
pub(super) const HERE: &str = "this machine";

/// The same with an agent that has so many hundredths of a core.
const SLOW: &str = "a quarter of it";
pub(super) const SHARE: u32 = 25;

/// The place of what has no machine.
pub(super) const A_GET: &str = "a get";

/// Table 2, its columns of time.
pub(super) fn table_2_time() -> Experiment {
    let cells = WAYS.into_iter().flat_map(|way| {
        let task = way.task(get(SYS_DESCR)).of(SESSIONS, 1);
        let slowed = task.clone().slowed(SHARE);
        [(HERE, task), (SLOW, slowed)]
            .map(|(at, task)| Cell::new(way.name, at, task, Measure::SessionTime))
    });
    Experiment::new("table-2-time", cells)
}

fn on_the_wire(measure: Measure) -> Vec<Cell> {
    let cell = |way: super::Way| {
        let task = Task::Packets(way.task(get(SYS_DESCR)));
        Cell::new(way.name, A_GET, task, measure).repeated(6)
    };
    WAYS.map(cell).to_vec()
}

/// Table 2, its column of data.
pub(super) fn table_2_octets(_scope: Scope) -> Experiment {
    Experiment::new("table-2-octets", on_the_wire(Measure::FrameOctets))
}

/// Table 2, its column of packets.
pub(super) fn table_2_packets(_scope: Scope) -> Experiment {
    Experiment::new("table-2-packets", on_the_wire(Measure::WirePackets))
}
