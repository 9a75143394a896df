//! The three studies of the paper.

use super::super::{
    Axis, Cell, Experiment, Form, Measure, Path, Scope, SubjectName, TwinTask, Unit,
};
use super::methods::{
    ADAPTIVE, DTLS, FIXED, HEDGED, LOSSY_TCP, OURS, PIPELINED, SSH, Series, Size, TCP, TLS,
    UDP_200, UDP_400, cell, large_task, our_cell, task,
};

/// Loss rates of study 1, of exchanges.
pub(super) const SMALL_LOSS: [f64; 13] = [
    0.0, 9.7, 18.9, 27.7, 29.4, 31.1, 32.7, 34.3, 35.9, 43.7, 51.0, 64.0, 75.0,
];
/// Loss rates of study 2.
pub(super) const LARGE_LOSS: [f64; 9] = [0.0, 2.0, 3.9, 9.7, 18.9, 27.7, 29.4, 31.1, 32.7];
/// Loss rates of study 3.
pub(super) const TCP_LOSS: [f64; 4] = [3.96, 5.91, 9.75, 27.7];

/// The longest round trip that is to be expected there, in milliseconds.
pub(super) const SMALL_ROUND_TRIP: f64 = 10.0;
/// The same of study 2.
pub(super) const LARGE_ROUND_TRIP: f64 = 50.0;

/// The series of study 2 whose requests are split.
const SPLIT: &str = "UDP adaptive, 4 messages";
/// The same with a time-out of the study.
const SPLIT_FIXED: &str = "UDP 200 ms, 4 messages";
/// Messages that 250 instances fit into without being fragmented.
const MESSAGES: u16 = 4;

/// Names and titles of the plots for each loss.
const PROGRESS_1: [(&str, &str); 13] = [
    (
        "study-1-at-0",
        "Progress of gets of one instance at 0 % loss",
    ),
    (
        "study-1-at-9.7",
        "Progress of gets of one instance at 9.7 % loss",
    ),
    (
        "study-1-at-18.9",
        "Progress of gets of one instance at 18.9 % loss",
    ),
    (
        "study-1-at-27.7",
        "Progress of gets of one instance at 27.7 % loss",
    ),
    (
        "study-1-at-29.4",
        "Progress of gets of one instance at 29.4 % loss",
    ),
    (
        "study-1-at-31.1",
        "Progress of gets of one instance at 31.1 % loss",
    ),
    (
        "study-1-at-32.7",
        "Progress of gets of one instance at 32.7 % loss",
    ),
    (
        "study-1-at-34.3",
        "Progress of gets of one instance at 34.3 % loss",
    ),
    (
        "study-1-at-35.9",
        "Progress of gets of one instance at 35.9 % loss",
    ),
    (
        "study-1-at-43.7",
        "Progress of gets of one instance at 43.7 % loss",
    ),
    (
        "study-1-at-51",
        "Progress of gets of one instance at 51 % loss",
    ),
    (
        "study-1-at-64",
        "Progress of gets of one instance at 64 % loss",
    ),
    (
        "study-1-at-75",
        "Progress of gets of one instance at 75 % loss",
    ),
];
const PROGRESS_2: [(&str, &str); 9] = [
    (
        "study-2-at-0",
        "Progress of gets of 250 instances at 0 % loss",
    ),
    (
        "study-2-at-2",
        "Progress of gets of 250 instances at 2 % loss",
    ),
    (
        "study-2-at-3.9",
        "Progress of gets of 250 instances at 3.9 % loss",
    ),
    (
        "study-2-at-9.7",
        "Progress of gets of 250 instances at 9.7 % loss",
    ),
    (
        "study-2-at-18.9",
        "Progress of gets of 250 instances at 18.9 % loss",
    ),
    (
        "study-2-at-27.7",
        "Progress of gets of 250 instances at 27.7 % loss",
    ),
    (
        "study-2-at-29.4",
        "Progress of gets of 250 instances at 29.4 % loss",
    ),
    (
        "study-2-at-31.1",
        "Progress of gets of 250 instances at 31.1 % loss",
    ),
    (
        "study-2-at-32.7",
        "Progress of gets of 250 instances at 32.7 % loss",
    ),
];
const PROGRESS_3: [(&str, &str); 4] = [
    (
        "study-3-at-3.96",
        "Progress of gets of 250 instances over TCP, several runs, at 3.96 % loss",
    ),
    (
        "study-3-at-5.91",
        "Progress of gets of 250 instances over TCP, several runs, at 5.91 % loss",
    ),
    (
        "study-3-at-9.75",
        "Progress of gets of 250 instances over TCP, several runs, at 9.75 % loss",
    ),
    (
        "study-3-at-27.7",
        "Progress of gets of 250 instances over TCP, several runs, at 27.7 % loss",
    ),
];

/// The way of study 1 at a loss in percent.
pub(super) fn small_path(loss: f64) -> Path {
    Path::new(part(loss), SMALL_ROUND_TRIP)
}

/// The way of studies 2 and 3 at a loss in percent.
pub(super) fn large_path(loss: f64) -> Path {
    Path::new(part(loss), LARGE_ROUND_TRIP)
}

/// A loss in percent as a part of 1, with as few digits: it is written down and read again.
fn part(loss: f64) -> f64 {
    (loss * 1e4).round() / 1e6
}

/// Study 1: one instance.
pub(super) fn study_1(scope: Scope) -> Vec<Experiment> {
    let size = Size::small(scope);
    let at = |loss: f64| -> Vec<Cell> {
        let of = |series: Series| task(series, small_path(loss), size);
        let theirs = FIXED.into_iter().chain([TCP, ADAPTIVE]);
        theirs
            .map(|series| cell(series, loss, of(series)))
            .chain(
                OURS.into_iter()
                    .map(|series| our_cell(series, loss, of(series))),
            )
            .collect()
    };
    let mut experiments = progress("Study 1", &PROGRESS_1, &SMALL_LOSS, &at, |loss| {
        format!(
            "Gets of sysContact.0 over SNMPv2c, one after the other, at {loss} % loss of exchanges, half of it each way, and a \
             round trip of {SMALL_ROUND_TRIP} ms. {} The text of the paper has no numbers for this plot.",
            size_of(size)
        )
    });
    experiments.push(
        Experiment::new("study-1", SMALL_LOSS.into_iter().flat_map(at)).noting(size_of(size)),
    );
    experiments.push(whole_runs(scope));
    experiments.push(packets(scope));
    experiments.push(virtual_time());
    experiments
}

/// Study 1 over TCP, as large as the paper's, at the loss rates for which there is time.
fn whole_runs(scope: Scope) -> Experiment {
    const HOUR: u64 = 3_600_000;
    let rates: &[f64] = match scope {
        Scope::Quick => &[9.7],
        Scope::Full => &[9.7, 29.4, 51.0, 64.0],
    };
    let size = Size {
        requests: 1000,
        limit: HOUR,
        fit: None,
    };
    let cells = rates.iter().map(|&loss| {
        let task = task(TCP, small_path(loss), size);
        our_cell(TCP, loss, task).repeated(1)
    });
    Experiment::new("study-1-whole", cells)
}

/// What study 1 costs the network.
fn packets(scope: Scope) -> Experiment {
    let size = Size::small(scope);
    let series = FIXED.into_iter().chain([TCP, ADAPTIVE]).chain(OURS);
    let cells = SMALL_LOSS.into_iter().flat_map(|loss| {
        series.clone().map(move |series| {
            let task = task(series, small_path(loss), size);
            let measure = Measure::WirePacketsPerExchange;
            Cell::new(series.name, loss, task, measure).only(SubjectName::Varbind)
        })
    });
    Experiment::new("study-1-packets", cells)
}

/// Study 1 in virtual time, as large as the paper's.
fn virtual_time() -> Experiment {
    const REQUESTS: u32 = 1000;
    let series = FIXED.into_iter().chain([ADAPTIVE, PIPELINED, HEDGED]);
    let cells = SMALL_LOSS.into_iter().flat_map(|loss| {
        series.clone().map(move |Series { name, method, .. }| {
            let task = TwinTask::new(method, small_path(loss), REQUESTS);
            Cell::new(name, loss, task, Measure::ResponseTime).only(SubjectName::Varbind)
        })
    });
    Experiment::new("study-1-virtual", cells)
}

/// Study 2: 250 instances.
pub(super) fn study_2(scope: Scope) -> Vec<Experiment> {
    let size = Size::large(scope);
    let at = |loss: f64| -> Vec<Cell> {
        let of = |series: Series, messages| large_task(series, large_path(loss), size, messages);
        let in_one = [UDP_200, UDP_400, TCP, ADAPTIVE];
        let in_one = in_one.map(|series| cell(series, loss, of(series, 1)));
        let split = [(SPLIT, ADAPTIVE), (SPLIT_FIXED, UDP_200)].map(|(name, series)| {
            let task = of(series, MESSAGES);
            Cell::new(name, loss, task, Measure::ResponseTime)
        });
        let streams = [LOSSY_TCP, TLS, SSH];
        let streams = streams.map(|series| our_cell(series, loss, of(series, 1)));
        let dtls = our_cell(DTLS, loss, of(DTLS, MESSAGES));
        let cells = in_one.into_iter().chain(split).chain(streams);
        cells.chain([dtls]).collect()
    };
    let setup = "Gets of 250 instances of sysContact.0, a request of three fragments and a response of four where it is one \
                 message over UDP, and a round trip of 50 ms. With four messages for it nothing is fragmented, and they \
                 are sent together, as over DTLS, which does not fragment.";
    let mut experiments = progress("Study 2", &PROGRESS_2, &LARGE_LOSS, &at, |loss| {
        format!(
            "{setup} At {loss} % loss, of a packet there or one back. {} The text of the paper has no numbers for this plot.",
            size_of(size)
        )
    });
    experiments.push(
        Experiment::new("study-2", LARGE_LOSS.into_iter().flat_map(at)).noting(size_of(size)),
    );
    experiments.push(large_virtual_time(size));
    experiments
}

/// Study 2 in virtual time, with as many gets as over the link.
fn large_virtual_time(size: Size) -> Experiment {
    let series = [
        (UDP_200.name, UDP_200, 1),
        (UDP_400.name, UDP_400, 1),
        (ADAPTIVE.name, ADAPTIVE, 1),
        (SPLIT, ADAPTIVE, MESSAGES),
        (SPLIT_FIXED, UDP_200, MESSAGES),
    ];
    let cells = LARGE_LOSS.into_iter().flat_map(|loss| {
        series
            .into_iter()
            .filter_map(move |(name, series, messages)| {
                let task = large_task(series, large_path(loss), size, messages);
                let twin = TwinTask {
                    requests: size.requests,
                    ..TwinTask::of(&task)?
                };
                let cell = Cell::new(name, loss, twin, Measure::ResponseTime);
                Some(cell.only(SubjectName::Varbind))
            })
    });
    Experiment::new("study-2-virtual", cells)
}

/// Study 3: how much runs over TCP differ.
pub(super) fn study_3(scope: Scope) -> Vec<Experiment> {
    let size = Size::large(scope);
    let of = |loss: f64| large_task(TCP, large_path(loss), size, 1);
    let setup = |loss: f64| {
        format!(
            "Gets of 250 instances over TCP, a round trip of 50 ms and {loss} % loss: each run has losses of its own. {}",
            size_of(size)
        )
    };
    let cells = |loss| vec![cell(TCP, loss, of(loss))];
    let mut experiments = progress("Study 3", &PROGRESS_3, &TCP_LOSS, &cells, setup);
    experiments.push(
        Experiment::new("study-3", TCP_LOSS.map(|loss| cell(TCP, loss, of(loss))))
            .noting(size_of(size)),
    );
    experiments
}

fn progress(
    source: &'static str,
    names: &[(&'static str, &'static str)],
    rates: &[f64],
    cells: &impl Fn(f64) -> Vec<Cell>,
    setup: impl Fn(f64) -> String,
) -> Vec<Experiment> {
    let rates = names.iter().zip(rates);
    let experiments = rates.map(|((id, title), loss)| Experiment {
        title,
        source,
        setup: setup(*loss),
        unit: Unit::Milliseconds,
        form: over_time(),
        ..Experiment::new(id, cells(*loss))
    });
    experiments.collect()
}

/// What all runs of a size have in common.
pub(super) fn size_of(size: Size) -> String {
    format!(
        "A run has up to {} gets where the paper has 1000, fewer where each takes long. One that is not over after {} s is cut, and \
         counts as longer than all that are not: the median is that of all runs (censoring of type I).",
        size.requests,
        size.limit / 1000
    )
}

pub(super) fn over_time() -> Form {
    Form::Progress {
        x: Axis::linear("seconds"),
        y: Axis::linear("gets that were answered"),
    }
}
