use super::super::names::{IF_TABLE, SYS_DESCR, get, walk};
use super::super::{Cell, Experiment, Measure, Scope, SessionTask, Setting, Task};
use super::{SSH, TSM_SSH, USM_TCP, USM_UDP, WAYS, Way};
use crate::security::Scheme;
use crate::subject::SshHandicap;

/// The three states of Nagle's algorithm, as places.
pub(super) const NAGLE: [(&str, &str); 3] = [
    ("on", "always"),
    ("off after the key exchange", "until-authenticated"),
    ("off from the beginning", "never"),
];
/// The state of the algorithm when packets are not sent one by one.
pub(super) const TOGETHER: &str = "off, packets sent together";
/// The same with the algorithm on.
pub(super) const TOGETHER_ON: &str = "on, packets sent together";

/// Both states of the window, as places.
pub(super) const ADJUSTED: &str = "after every message";
pub(super) const SELDOM: &str = "when necessary";

/// Interfaces of the table that is walked: 529 exchanges.
const INTERFACES: u32 = 24;

/// A window that any message of a walk of ifTable takes more than half of, and none takes more than wholly.
const fn window(scheme: Scheme) -> u32 {
    match scheme {
        Scheme::V1 | Scheme::V2c => 88,
        Scheme::V3(_) | Scheme::V3Transport => 180,
    }
}

fn ways(names: &'static [&'static str]) -> impl Iterator<Item = Way> {
    WAYS.into_iter().filter(|way| names.contains(&way.name))
}

/// Section 4.1: what Nagle's algorithm costs.
pub(super) fn nagle(scope: Scope) -> Experiment {
    let one_by_one = NAGLE.map(|(at, nagle)| (at, nagle, ",packets=each"));
    let together = [(TOGETHER_ON, "always", ""), (TOGETHER, "never", "")];
    let states = || one_by_one.into_iter().chain(together);
    let cells = ways(&[SSH, TSM_SSH]).flat_map(|way| {
        states().map(move |(at, nagle, packets)| {
            let task = SessionTask {
                ssh_handicap: SshHandicap::new(format!("nagle={nagle}{packets}")),
                ..way.task(get(SYS_DESCR)).of(3, 1)
            };
            Cell::new(way.name, at, task, Measure::SessionTime).repeated(scope.choose(6, 30))
        })
    });
    Experiment::new("nagle", cells)
}

/// What sessions over SSH cost with either window, and with USM.
fn windows(scope: Scope, cell: impl Fn(Way, &str, SessionTask) -> Cell) -> Vec<Cell> {
    let task = |way: Way| {
        way.task(walk(IF_TABLE))
            .in_setting(Setting::Interfaces(INTERFACES))
    };
    let mut cells = Vec::new();
    for way in ways(&[SSH, TSM_SSH]) {
        let handicapped = SessionTask {
            ssh_handicap: SshHandicap::new(format!("nagle=never,window={}", window(way.scheme))),
            ..task(way)
        };
        cells.push(cell(way, ADJUSTED, handicapped));
        cells.push(cell(way, SELDOM, task(way)));
    }
    for way in ways(&[USM_UDP, USM_TCP]) {
        cells.push(cell(way, SELDOM, task(way)));
    }
    let repetitions = scope.choose(3, 30);
    let repeated = cells.into_iter().map(|cell| match cell.repetitions {
        None => cell.repeated(repetitions),
        Some(_) => cell,
    });
    repeated.collect()
}

/// Section 4.2: latency with window adjustments.
pub(super) fn window_latency(scope: Scope) -> Experiment {
    Experiment::new(
        "window-latency",
        windows(scope, |way, at, task| {
            Cell::new(way.name, at, task, Measure::SessionTime)
        }),
    )
}

/// Section 4.2: bandwidth with window adjustments.
pub(super) fn window_octets(scope: Scope) -> Experiment {
    Experiment::new(
        "window-octets",
        windows(scope, |way, at, task| {
            let task = Task::Packets(task);
            Cell::new(way.name, at, task, Measure::FrameOctets).repeated(scope.choose(1, 6))
        }),
    )
}
