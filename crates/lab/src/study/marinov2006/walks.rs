use super::super::names::{IF_TABLE, walk};
use super::super::{
    At, Axis, Cell, Experiment, Form, Measure, Published, Scope, SessionTask, Setting, Task, Unit,
};
use super::get::SHARE;
use super::{SSH, TCP, TSM_SSH, UDP, USM_TCP, USM_UDP, WAYS, Way};

/// Of which the break-even is told.
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

/// The places between which the costs of a walk are told by a line.
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
    let theirs = [
        (UDP, [80.0, 100.0]),
        (TCP, [110.0, 130.0]),
        (USM_UDP, [170.0, 190.0]),
        (USM_TCP, [200.0, 220.0]),
        (SSH, [150.0, 170.0]),
    ];
    let bounds = ["least", "greatest"];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &bounds, values));
    let measures = [
        Measure::LeastDominatingFrame,
        Measure::GreatestDominatingFrame,
    ];
    let pairs = || bounds.into_iter().zip(measures);
    let cells = WAYS.into_iter().flat_map(|way| {
        pairs().map(move |(at, measure)| packets(scope, way, INTERFACES, at, measure))
    });
    Experiment {
        id: "table-3-frames",
        title: "Sizes of frames in a walk of ifTable by 2354 getnexts",
        source: "Table 3, \"range\"",
        setup: format!(
            "ifTable of {INTERFACES} interfaces, in a network namespace of its own, has the {} objects of the paper. The \
             dominating range here is the narrowest, with bounds at tens, that holds 99 of 100 frames.",
            INTERFACES * COLUMNS
        ),
        unit: Unit::Octets,
        form: Form::Table,
        theirs: theirs.collect(),
        cells: cells.collect(),
        left_out: Vec::new(),
    }
}

/// Table 3, its columns of packets.
pub(super) fn table_3_packets(scope: Scope) -> Experiment {
    let theirs = [
        (UDP, [4710.0, 4710.0]),
        (TCP, [4709.0, 4712.0]),
        (USM_UDP, [4710.0, 4712.0]),
        (USM_TCP, [4709.0, 4714.0]),
        (SSH, [4711.0, 4742.0]),
    ];
    let places = ["in the range", "total"];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &places, values));
    let measures = [Measure::DominatingPackets, Measure::WirePackets];
    let pairs = || places.into_iter().zip(measures);
    let cells = WAYS.into_iter().flat_map(|way| {
        pairs().map(move |(at, measure)| packets(scope, way, INTERFACES, at, measure))
    });
    Experiment {
        id: "table-3-packets",
        title: "Packets of a walk of ifTable by 2354 getnexts",
        source: "Table 3",
        setup: "The same walks: packets in the dominating range, and all of the session, its opening and close included."
            .into(),
        unit: Unit::Packets,
        form: Form::Table,
        theirs: theirs.collect(),
        cells: cells.collect(),
        left_out: Vec::new(),
    }
}

fn by_size(label: &str) -> Form {
    Form::Lines {
        x: Axis::linear("exchanges"),
        y: Axis::linear(label),
    }
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
    Experiment {
        id: "figure-3",
        title: "Latency of walks of ifTable by size",
        source: "Figure 3",
        setup: "A session with one walk of ifTable by GetNext, in networks of 2 to 107 interfaces, and 250 in full runs. The \
                text tells no values of the plot but that SSH overtakes USM after about 500 exchanges, on either machine."
            .into(),
        unit: Unit::Milliseconds,
        form: by_size("ms"),
        theirs: Vec::new(),
        cells: cells.collect(),
        left_out: Vec::new(),
    }
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
    Experiment {
        id: "figure-3-slow",
        title: "Latency of walks of ifTable by size, with a slow agent",
        source: "Figure 3, right plot",
        setup: "The same walks of 2 and of 107 interfaces with an agent that has a quarter of a core, by a control group: several walks one \
                behind the other where one is shorter than its turns."
            .into(),
        unit: Unit::Milliseconds,
        form: by_size("ms"),
        theirs: Vec::new(),
        cells: cells.collect(),
        left_out: Vec::new(),
    }
}

/// Figure 5: bandwidth.
pub(super) fn figure_5(scope: Scope) -> Experiment {
    let cells = WAYS.into_iter().flat_map(|way| {
        sizes(scope).iter().map(move |&interfaces| {
            let at = exchanges(interfaces);
            packets(scope, way, interfaces, at, Measure::FrameOctets)
        })
    });
    Experiment {
        id: "figure-5",
        title: "Octets of walks of ifTable by size",
        source: "Figure 5",
        setup: "Ethernet frames of the same walks, the whole session. The text tells no values of the plot but that TCP takes more \
                than UDP, and SSH less than USM over either."
            .into(),
        unit: Unit::Kilobytes,
        form: by_size("kB"),
        theirs: Vec::new(),
        cells: cells.collect(),
        left_out: Vec::new(),
    }
}
