use super::super::names::{IF_TABLE, oid, walk};
use super::super::{At, Cell, Experiment, Measure, Scope, SessionTask, Setting, Task};
use super::get::SHARE;
use super::{SSH, TSM_SSH, USM_TCP, USM_UDP, WAYS, Way};
use crate::request::{Request, WalkStep};

/// The walks with a break-even.
const BREAKING_EVEN: [&str; 4] = [SSH, TSM_SSH, USM_UDP, USM_TCP];

/// Columns of ifTable.
const COLUMNS: u32 = 22;
/// So many interfaces give the 2354 objects of Table 3.
const INTERFACES: u32 = 107;

/// Interfaces with which tables are walked.
fn sizes(scope: Scope) -> &'static [u32] {
    match scope {
        Scope::Quick => &[2, 24, INTERFACES],
        Scope::Full => &[2, 6, 12, 24, 48, INTERFACES, 250],
    }
}

/// The exchanges of a walk: one for each object, and one that leads out of the table.
const fn exchanges(interfaces: u32) -> u32 {
    interfaces * COLUMNS + 1
}

/// The ends of the linear range of the costs of a walk.
pub(super) const SHORT_AND_LONG: (u32, u32) = (exchanges(2), exchanges(INTERFACES));

/// The place of the longest walk that every scope has.
pub(super) const LONG: u32 = exchanges(INTERFACES);

fn task(way: Way, interfaces: u32) -> SessionTask {
    way.task(walk(IF_TABLE))
        .in_setting(Setting::Interfaces(interfaces))
}

fn packets(scope: Scope, way: Way, interfaces: u32, at: impl Into<At>, measure: Measure) -> Cell {
    let task = Task::Packets(task(way, interfaces));
    Cell::new(way.name, at, task, measure).repeated(scope.choose(1, 6))
}

/// Table 3, its column of ranges.
pub(super) fn table_3_frames(scope: Scope) -> Experiment {
    let bounds = ["least", "greatest"];
    let measures = [
        Measure::LeastDominatingFrame,
        Measure::GreatestDominatingFrame,
    ];
    let pairs = || bounds.into_iter().zip(measures);
    let cells = WAYS.into_iter().flat_map(|way| {
        pairs().map(move |(at, measure)| packets(scope, way, INTERFACES, at, measure))
    });
    Experiment::new("table-3-frames", cells)
}

/// Table 3, its columns of packets.
pub(super) fn table_3_packets(scope: Scope) -> Experiment {
    let places = ["in the range", "total"];
    let measures = [Measure::DominatingPackets, Measure::WirePackets];
    let pairs = || places.into_iter().zip(measures);
    let cells = WAYS.into_iter().flat_map(|way| {
        pairs().map(move |(at, measure)| packets(scope, way, INTERFACES, at, measure))
    });
    Experiment::new("table-3-packets", cells)
}

/// Figure 3: latency of walks by size.
pub(super) fn figure_3(scope: Scope) -> Experiment {
    let cells = WAYS.into_iter().flat_map(|way| {
        sizes(scope).iter().map(move |&interfaces| {
            let task = task(way, interfaces);
            Cell::new(way.name, exchanges(interfaces), task, Measure::SessionTime)
                .repeated(scope.choose(6, 30))
        })
    });
    Experiment::new("figure-3", cells)
}

/// Figure 3, right plot: the same with a slow agent, as far as the break-even needs it.
pub(super) fn figure_3_slow(scope: Scope) -> Experiment {
    let ways = WAYS
        .into_iter()
        .filter(|way| BREAKING_EVEN.contains(&way.name));
    let cells = ways.flat_map(|way| {
        [2, INTERFACES].map(|interfaces| {
            let task = task(way, interfaces).slowed(SHARE);
            Cell::new(way.name, exchanges(interfaces), task, Measure::SessionTime)
                .repeated(scope.choose(6, 30))
        })
    });
    Experiment::new("figure-3-slow", cells)
}

/// The walks by GetBulk of section 5.1.
pub(super) fn bulk_walks(scope: Scope) -> Experiment {
    let request = Request::Walk {
        root: oid(IF_TABLE),
        step: WalkStep::GetBulk {
            max_repetitions: 10,
        },
    };
    let cells = WAYS.into_iter().flat_map(|way| {
        let request = &request;
        [2, INTERFACES].map(|interfaces| {
            let task = way.task(request.clone());
            let task = task.in_setting(Setting::Interfaces(interfaces)).of(5, 1);
            let at = interfaces * COLUMNS;
            Cell::new(way.name, at, task, Measure::SessionTime).repeated(scope.choose(6, 30))
        })
    });
    Experiment::new("bulk-walks", cells)
}

/// Figure 5: bandwidth.
pub(super) fn figure_5(scope: Scope) -> Experiment {
    let cells = WAYS.into_iter().flat_map(|way| {
        sizes(scope).iter().map(move |&interfaces| {
            let at = exchanges(interfaces);
            packets(scope, way, interfaces, at, Measure::FrameOctets)
        })
    });
    Experiment::new("figure-5", cells)
}
