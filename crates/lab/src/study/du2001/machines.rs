use super::super::{Cell, Experiment, Form, Measure, Published, Unit};
use super::lengths::session;
use crate::measurement::TransportKind;

/// Of a core, in hundredths, in the place of the slower machine.
const SLOW: u32 = 50;

/// What section 4 says of machines: the time until TLS is set up.
pub(super) fn set_up() -> Experiment {
    let (series, task) = ("TLS, set-up", session(TransportKind::Tls, 1));
    let at = ["the faster machine", "the slower machine"];
    let cells = [task.clone(), task.slowed(SLOW)];
    let cells = at.into_iter().zip(cells);
    Experiment {
        id: "set-up-by-machine",
        title: "Setting TLS up, by machine",
        source: "section 4",
        setup: format!(
            "Theirs are a SPARCstation 10 and a SPARCstation 5. Here the slower machine is this one with an agent that has {SLOW} % of a \
             core, by a control group: it works for a millisecond and then waits, so that only the time of many sessions is that of a \
             slower machine; the manager is as fast as before."
        ),
        unit: Unit::Milliseconds,
        form: Form::Bars,
        theirs: Published::row(series, &at, &[160.0, 300.0]),
        cells: cells
            .map(|(at, task)| Cell::new(series, at, task, Measure::SetUpTime))
            .collect(),
        left_out: Vec::new(),
    }
}
