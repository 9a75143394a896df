//! An agent whose process is killed and started again.

use super::super::{
    Cell, Claimed, Evidence, Experiment, Form, LinkTask, Measure, Restart, SubjectName, Unit,
    Verdict,
};
use super::methods::{
    ADAPTIVE, DTLS, OUR_TCP, SSH, Series, Size, TCP, TLS, UDP_50, UDP_200, UDP_1000, USM, task,
};
use super::studies::{SMALL_ROUND_TRIP, over_time, small_path};

const METHODS: [Series; 10] = [
    UDP_50, UDP_200, UDP_1000, ADAPTIVE, USM, TCP, OUR_TCP, DTLS, TLS, SSH,
];

/// When the agent is killed, and for how long there is none, in milliseconds.
const RESTART: Restart = Restart {
    after: 1000,
    away: 700,
};
/// As many gets as there is time for.
const SIZE: Size = Size {
    requests: u32::MAX,
    limit: 4000,
    fit: None,
};
/// Where the values of tables stand.
const PLACE: &str = "all runs";

/// Whether our manager recovers soon.
pub(in crate::study) fn is_got_over(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let away = RESTART.away as f64 * 1e3;
    let ratio = |series: Series| {
        let recovery = "restart-recovery";
        let time = evidence.figure(recovery, series.name, PLACE)?;
        Some(time.scaled(1.0 / away))
    };
    let ours = [ADAPTIVE, USM, OUR_TCP, DTLS, TLS, SSH];
    Verdict::of_ratios(
        ours.map(|series| (series.name.to_owned(), ratio(series))),
        claimed,
        "the time from when the agent listens again to the next answer, by the time that it was away",
    )
}

fn task_of(series: Series) -> LinkTask {
    task(series, small_path(0.0), SIZE).with_restart(RESTART)
}

fn cells(measure: Measure) -> Vec<Cell> {
    let cell = |series: Series| Cell::new(series.name, PLACE, task_of(series), measure);
    METHODS
        .map(|series| cell(series).only(SubjectName::Varbind))
        .into()
}

fn setup(what: &str) -> String {
    format!(
        "Gets of one instance for {} s, one after the other, at a round trip of {SMALL_ROUND_TRIP} ms, without loss. After {} s the \
         agent's process is killed (SIGKILL), and started again {} ms later. Who gets an error asks again. {what}",
        SIZE.limit / 1000,
        RESTART.after / 1000,
        RESTART.away,
    )
}

fn experiment(
    id: &'static str,
    title: &'static str,
    setup: String,
    measure: Measure,
) -> Experiment {
    Experiment {
        id,
        title,
        source: "Future Work",
        setup,
        unit: if measure == Measure::Recovery {
            Unit::Milliseconds
        } else {
            Unit::Count
        },
        form: Form::Table,
        theirs: Vec::new(),
        left_out: Vec::new(),
        cells: cells(measure),
    }
}

/// How many gets are answered over time.
pub(super) fn progress() -> Experiment {
    Experiment {
        form: over_time(),
        ..experiment(
            "restart",
            "An agent that is killed, and started again",
            setup("The gets that were answered."),
            Measure::Completed,
        )
    }
}

/// How long it takes until gets are answered again.
pub(super) fn recovery() -> Experiment {
    experiment(
        "restart-recovery",
        "Recovery from an agent's restart",
        setup(
            "The time from when the agent listens again on this transport to the next get that is answered. Over TCP, TLS and \
             SSH there is a new connection, over DTLS a new association, and with USM the agent's clock begins anew.",
        ),
        Measure::Recovery,
    )
}

/// How many gets come to nothing meanwhile.
pub(super) fn lost() -> Experiment {
    experiment(
        "restart-lost",
        "Gets that were lost by an agent's restart",
        setup("The gets that ended with an error instead of an answer."),
        Measure::Failed,
    )
}
