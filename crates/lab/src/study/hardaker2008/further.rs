//! What the paper names as future work.

use super::super::{
    At, Cell, Change, Experiment, LinkTask, Measure, Path, Retrieval, Scope, SubjectName, TwinTask,
    Unit,
};
use super::methods::{
    ADAPTIVE, DTLS, LOSSY_TCP, OUR_TCP, PIPELINED, RESTARTED_TCP, SSH, Series, Size, TCP, TLS,
    UDP_50, UDP_100, UDP_200, UDP_1000, our_cell, task,
};
use super::restart;
use super::studies::{over_time, size_of, small_path};

/// The methods of most of these.
const METHODS: [Series; 6] = [UDP_100, UDP_1000, TCP, LOSSY_TCP, ADAPTIVE, PIPELINED];
/// The same with every kind of session.
const SESSIONS: [Series; 9] = [
    UDP_1000,
    TCP,
    RESTARTED_TCP,
    OUR_TCP,
    ADAPTIVE,
    PIPELINED,
    DTLS,
    TLS,
    SSH,
];

pub(super) fn experiments(scope: Scope) -> Vec<Experiment> {
    vec![
        delays(scope),
        varying_delay(scope),
        bursts(scope),
        changing_loss(scope),
        outage(scope),
        restart::progress(),
        restart::recovery(),
        restart::lost(),
        tcp_options(scope),
        tables(scope),
        link(),
        link_by_virtual(),
    ]
}

const SOURCE: &str = "Future Work";

fn grid(places: &[f64], methods: &[Series], of: impl Fn(Series, f64) -> LinkTask) -> Vec<Cell> {
    let cells = places.iter().flat_map(|&at| {
        let of = &of;
        let cells = methods.iter();
        cells.map(move |&series| our_cell(series, at, of(series, at)))
    });
    cells.collect()
}

fn delays(scope: Scope) -> Experiment {
    let size = Size::small(scope);
    Experiment::new(
        "delays",
        grid(
            &[1.0, 10.0, 50.0, 100.0, 300.0],
            &METHODS,
            |series, round_trip| task(series, Path::new(0.097, round_trip), size),
        ),
    )
    .noting(size_of(size))
}

fn varying_delay(scope: Scope) -> Experiment {
    let size = Size::small(scope);
    let methods = [UDP_100, UDP_200, TCP, ADAPTIVE, PIPELINED];
    Experiment::new(
        "varying-delay",
        grid(&[0.0, 20.0, 50.0, 90.0], &methods, |series, jitter| {
            let path = Path {
                jitter,
                ..Path::new(0.097, 100.0)
            };
            task(series, path, size)
        }),
    )
    .noting(size_of(size))
}

fn bursts(scope: Scope) -> Experiment {
    let size = Size::small(scope);
    Experiment::new(
        "bursts",
        grid(&[0.0, 10.0, 50.0, 200.0], &METHODS, |series, burst| {
            let path = Path {
                burst: (burst > 0.0).then_some(burst),
                ..small_path(18.9)
            };
            task(series, path, size)
        }),
    )
    .noting(size_of(size))
}

/// How many gets there could be, at a round trip each, in the time that a run has.
fn size_of_time(limit: u64) -> Size {
    Size {
        requests: u32::MAX,
        limit,
        fit: None,
    }
}

fn over_some_time(methods: &[Series], path: &Path, limit: u64) -> Vec<Cell> {
    let cells = methods.iter().map(|&series| {
        let task = task(series, path.clone(), size_of_time(limit));
        Cell::new(series.name, "gets", task, Measure::Completed).only(SubjectName::Varbind)
    });
    cells.collect()
}

fn changing_loss(_scope: Scope) -> Experiment {
    let change = |after, loss| Change { after, loss };
    let path = Path {
        changes: vec![change(2.0, 0.437), change(4.0, 0.097)],
        ..small_path(0.0)
    };
    Experiment {
        title: "A loss that changes: 0, 43.7 and 9.7 %, for two seconds each",
        source: SOURCE,
        setup:
            "Gets of one instance that were answered within six seconds, at a round trip of 10 ms."
                .into(),
        unit: Unit::Count,
        form: over_time(),
        ..Experiment::new("changing-loss", over_some_time(&METHODS, &path, 6_000))
    }
}

/// When the link of [`outage`] dies, and when it comes back, in seconds.
const OUTAGE: (f64, f64) = (1.0, 3.0);

fn outage(_scope: Scope) -> Experiment {
    let change = |after, loss| Change { after, loss };
    let path = Path {
        changes: vec![change(OUTAGE.0, 1.0), change(OUTAGE.1, 0.0)],
        ..small_path(0.0)
    };
    Experiment {
        title: "A link that dies, and comes back after two seconds",
        source: SOURCE,
        setup: "Gets of one instance that were answered within six seconds, at a round trip of 10 ms; nothing arrives from \
                the first second to the third. TCP, restarted: a connection that is silent for 400 ms is closed, and \
                another one opened."
            .into(),
        unit: Unit::Count,
        form: over_time(),
        ..Experiment::new("outage", over_some_time(&SESSIONS, &path, 6_000))
    }
}

fn tcp_options(scope: Scope) -> Experiment {
    let size = Size::small(scope);
    let methods = [TCP, RESTARTED_TCP, OUR_TCP, LOSSY_TCP, ADAPTIVE];
    Experiment::new(
        "tcp-options",
        grid(
            &[0.0, 9.7, 18.9, 29.4, 43.7, 51.0, 64.0],
            &methods,
            |series, loss| task(series, small_path(loss), size),
        ),
    )
    .noting(size_of(size))
}

fn tables(scope: Scope) -> Experiment {
    let requests = scope.choose(15, 30);
    let size = Size {
        requests,
        ..Size::small(scope)
    };
    let methods = [UDP_100, UDP_200, UDP_1000, OUR_TCP, ADAPTIVE, PIPELINED];
    Experiment::new(
        "tables",
        grid(&[0.0, 9.7, 29.4, 51.0], &methods, |series, loss| {
            size.fitted(task(series, small_path(loss), size).retrieving(Retrieval::Table))
        }),
    )
}

/// Loss rates at which the emulated link is compared with virtual time.
pub(super) const COMPARED_LOSS: [f64; 4] = [0.0, 9.7, 18.9, 29.4];

/// Few enough that every run ends in time.
const COMPARED: Size = Size {
    requests: 100,
    limit: 12_000,
    fit: None,
};

/// The time of a get without loss.
pub(super) fn without_loss_cell() -> Cell {
    let task = task(UDP_50, small_path(0.0), COMPARED);
    let all = At::from("all runs");
    Cell::new("get without loss", all, task, Measure::ResponseTime).only(SubjectName::Varbind)
}

/// What the emulated link itself does: the error of all that is measured with it.
fn link() -> Experiment {
    let lateness = Cell {
        series: "lateness, p99".into(),
        measure: Measure::Lateness,
        ..without_loss_cell()
    };
    Experiment::new("link", vec![without_loss_cell(), lateness])
}

fn link_by_virtual() -> Experiment {
    let cell = |loss| {
        let emulated = task(UDP_50, small_path(loss), COMPARED);
        let computed = TwinTask::new(emulated.method, emulated.path.clone(), emulated.requests);
        Cell::new(UDP_50.name, loss, emulated, Measure::Elapsed)
            .over(computed, Measure::Elapsed)
            .only(SubjectName::Varbind)
    };
    Experiment::new("link-by-virtual", COMPARED_LOSS.map(cell))
}
